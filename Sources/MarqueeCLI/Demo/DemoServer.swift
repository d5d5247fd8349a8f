import Foundation
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The server of a demo: `marqueed`, installed next to `marquee`, with a manual clock and a private Unix socket.
struct DemoServer: Sendable {
  let endpoint: Endpoint
  private let process: ProgramProcess
  private let log: URL

  /// Starts a server whose clock is set to `start`.
  ///
  /// - Parameter servesPages: Whether browsers on this machine reach it, on a free TCP port.
  init(at start: Instant, in sandbox: DemoSandbox, servesPages: Bool = false) throws {
    endpoint = .unix(path: sandbox.directory.appending(path: "marqueed.sock").path)
    log = sandbox.directory.appending(path: "marqueed.log")
    try Data().write(to: log)
    var arguments = [
      "--data-dir", sandbox.directory.appending(path: "data").path, "--listen", "\(endpoint)",
      "--clock", "manual=\(start)",
    ]
    if servesPages { arguments += ["--listen", "tcp:127.0.0.1:0"] }
    process = try sandbox.start("marqueed", arguments, errors: try FileHandle(forWritingTo: log))
  }

  /// Waits until the server answers, and returns a connection to it.
  func connection() async throws -> RPCClient {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(10)
    configuration.backoff.last = .milliseconds(100)
    let connection = RPCClient(endpoint, configuration: configuration)
    _ = try await connection.unary(
      HealthService.check, HealthCheckRequest(), options: CallOptions(timeout: .seconds(20), waitsForReady: true))
    return connection
  }

  /// Waits until the server exits, which is a failure, or the task is cancelled.
  func watch() async throws {
    let status = try await process.exitStatus()
    throw failure("marqueed exited with status \(status)")
  }

  /// Returns a failure with the end of the server's log.
  func failure(_ reason: String) -> CommandFailure {
    // Without its log, the failure has no hints.
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    return CommandFailure(
      .unavailable, "the demo's server failed: \(reason)",
      hints: text.split(separator: "\n").suffix(5).map(String.init))
  }
}
