import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeRPC
import MarqueeTransport

/// Which server to ask, and how to write what it answers.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where the server is: unix:PATH or tcp:HOST:PORT.", valueName: "endpoint"),
    transform: { text in
      do { return try Endpoint(text) } catch { throw ValidationError("\(error)") }
    })
  var server: Endpoint?

  @Flag(help: "Write JSON.")
  var json = false

  /// Runs `body` with a server, and turns what the server says against it into a ``CommandFailure``.
  func run(_ body: (Session) async throws -> Void) async throws {
    let session = Session(endpoint: try endpoint(), isJSON: json)
    do {
      try await body(session)
      await session.connection.close()
    } catch let status as RPCStatus {
      throw session.failure(status)
    }
  }

  private func endpoint() throws(CommandFailure) -> Endpoint {
    if let server { return server }
    do {
      return try Endpoint.standard()
    } catch {
      throw CommandFailure(.usage, "the server cannot be looked for: \(error)")
    }
  }
}

/// A server to ask, and where to write what it answers.
struct Session: Sendable {
  let endpoint: Endpoint
  let connection: RPCClient
  let terminal = Terminal.standard
  let isJSON: Bool

  init(endpoint: Endpoint, isJSON: Bool) {
    self.endpoint = endpoint
    self.isJSON = isJSON
    connection = RPCClient(endpoint)
  }

  var operators: OperatorClient { OperatorClient(connection) }
  var display: DisplayClient { DisplayClient(connection) }

  /// Writes the JSON or the lines, whichever was asked for.
  func write(json: @autoclosure () throws -> JSONValue, lines: @autoclosure () throws -> [String]) rethrows {
    if isJSON { terminal.write(try json()) } else { terminal.write(try lines()) }
  }

  /// What a call's status means to the person at the keyboard.
  func failure(_ status: RPCStatus) -> CommandFailure {
    switch status.code {
    case .unavailable:
      return CommandFailure(
        .unavailable, "no server answers at \(endpoint): \(status.message)",
        hints: [
          "Start one with: marqueed --data-dir DIRECTORY --listen \(endpoint)",
          "Or name another with --server ENDPOINT, or in \(Endpoint.environmentVariable).",
        ])
    case .deadlineExceeded:
      return CommandFailure(.unavailable, "the server at \(endpoint) did not answer in time")
    case .internalError, .unknown, .dataLoss, .unimplemented:
      return CommandFailure(.internalError, "the server at \(endpoint) failed: \(status)")
    default:
      return CommandFailure(.refused, "refused: \(status)")
    }
  }
}

/// Runs `body` until it ends or the person presses Ctrl-C (or SIGTERM comes), which cancels it and is no failure.
func withInterruption(_ body: @escaping @Sendable () async throws -> Void) async throws {
  let task = Task { try await body() }
  let sources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { task.cancel() }
    source.resume()
    return source
  }
  defer { for source in sources { source.cancel() } }
  do {
    try await task.value
  } catch  where task.isCancelled {
    // Asked to stop, and stopped.
  }
}
