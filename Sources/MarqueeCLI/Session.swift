import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
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

  @OptionGroup(title: "Credentials") var credentials: CredentialOptions

  @Flag(help: "Write JSON.")
  var json = false

  /// Runs `body` with a server, and turns what the server says against it into a ``CommandFailure``.
  ///
  /// The person is told when the server is slow to answer, unless `follows` says that the command goes on for as long
  /// as the person likes. A server that is gone is looked for again within `reconnectionTimeMax`, if that is given.
  func run(
    follows: Bool = false, reconnectionTimeMax: Duration? = nil, _ body: (Session) async throws -> Void
  ) async throws {
    let endpoint = try endpoint()
    let connection = try credentials.connection(to: endpoint, reconnectionTimeMax: reconnectionTimeMax)
    let session = Session(endpoint: endpoint, connection: connection, isJSON: json)
    let progress = follows ? nil : ProgressMeter("Waiting for the server at \(endpoint)")
    defer { progress?.end() }
    do {
      try await body(session)
      await session.connection.close()
    } catch let status as RPCStatus {
      throw session.failure(status)
    }
  }

  /// The server that is meant.
  func endpoint() throws(CommandFailure) -> Endpoint {
    if let server { return server }
    do {
      return try Endpoint.standard()
    } catch {
      throw CommandFailure(.usage, "the server cannot be looked for: \(error)")
    }
  }
}

/// How to prove who asks; each is also a variable.
struct CredentialOptions: ParsableArguments {
  /// What the options are called.
  static let names = [
    "--token-file", "--tls-roots", "--tls-certificate-chain", "--tls-private-key", "--tls-server-name",
  ]

  @Option(help: ArgumentHelp("A file with a token (MARQUEE_TOKEN_FILE).", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      """
      Use TLS, and trust servers whose certificates those in this PEM file have signed, or "system" for the machine's \
      (MARQUEE_TLS_ROOTS).
      """, valueName: "file"))
  var tlsRoots: String?

  @Option(help: ArgumentHelp("A PEM file with a certificate (MARQUEE_TLS_CERTIFICATE_CHAIN).", valueName: "file"))
  var tlsCertificateChain: String?

  @Option(help: ArgumentHelp("A PEM file with its key (MARQUEE_TLS_PRIVATE_KEY).", valueName: "file"))
  var tlsPrivateKey: String?

  @Option(
    help: ArgumentHelp(
      "The name in the server's certificate, if not its host (MARQUEE_TLS_SERVER_NAME).", valueName: "name"))
  var tlsServerName: String?

  /// A client of that server; nothing is sent yet.
  func connection(
    to endpoint: Endpoint, reconnectionTimeMax: Duration? = nil
  ) throws(CommandFailure) -> RPCClient {
    var credentials = ClientCredentials(environment: ProcessInfo.processInfo.environment)
    if let tokenFile { credentials.tokenFile = tokenFile }
    if let tlsRoots { credentials.tlsRoots = tlsRoots }
    if let tlsCertificateChain { credentials.tlsCertificateChain = tlsCertificateChain }
    if let tlsPrivateKey { credentials.tlsPrivateKey = tlsPrivateKey }
    if let tlsServerName { credentials.tlsServerName = tlsServerName }
    do {
      var configuration = try credentials.configuration(for: endpoint)
      if let reconnectionTimeMax { configuration.backoff.last = reconnectionTimeMax }
      return RPCClient(endpoint, configuration: configuration)
    } catch {
      throw CommandFailure(.usage, "\(error)")
    }
  }
}

/// A server to ask, and where to write what it answers.
struct Session: Sendable {
  let endpoint: Endpoint
  let connection: RPCClient
  let isJSON: Bool
  let terminal = Terminal.standard

  var operators: OperatorClient { OperatorClient(connection) }
  var display: DisplayClient { DisplayClient(connection) }

  /// The time on a device, or by this machine's clock for those who may not look.
  func now(on device: DeviceID) async throws -> Instant {
    do {
      return try await operators.donations(on: device, count: 1).at
    } catch let status as RPCStatus where status.code == .permissionDenied {
      return .systemNow
    }
  }

  /// What `body` gives, which asks an app through the server.
  func ask<Answer>(_ app: AppID, _ body: () async throws -> Answer) async throws -> Answer {
    do {
      return try await body()
    } catch let status as RPCStatus where status.code == .unavailable {
      // A server that is there says itself that the app is not.
      guard (try? await HealthClient(connection).check()) != nil else { throw status }
      throw CommandFailure(
        .unavailable, status.message, hints: ["Start what provides \(app)'s widgets on this device."])
    }
  }

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
    case .unauthenticated:
      return CommandFailure(
        .refused, "refused: \(status)",
        hints: ["Say who you are with --token-file, or with --tls-certificate-chain and --tls-private-key."])
    default:
      return CommandFailure(.refused, "refused: \(status)")
    }
  }
}

/// Runs `body` until it ends or the person presses Ctrl-C (or SIGTERM comes), which cancels it and is no failure.
func withInterruption(_ body: @escaping @Sendable () async throws -> Void) async throws {
  let (interruptions, continuation) = AsyncStream.makeStream(of: Void.self)
  // Before the body begins, whose first words may be what is waited for.
  let watch = await SignalWatch([SIGINT, SIGTERM]) { _ in continuation.yield() }
  let task = Task { try await body() }
  let interrupter = Task { for await _ in interruptions { task.cancel() } }
  defer {
    watch.end()
    interrupter.cancel()
  }
  do {
    try await task.value
  } catch  where task.isCancelled {
    // Asked to stop, and stopped.
  }
}
