import MarqueeClient
import MarqueeModel
import MarqueeRuntime
import MarqueeServer
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import Synchronization
import Tracing

/// A server in this process, on real sockets and in virtual time, with its own data directory.
///
/// In contrast to the `TestServer` of MarqueeTestKit, it also listens on TCP, and its clock, files and configuration
/// are accessible. A ``Daemon`` is a server in its own process.
final class InProcessServer: Sendable {
  /// The virtual clock, which only the test advances.
  let clock: ManualClock
  let directory: TemporaryDirectory
  private let tracer: (any Tracer)?
  private let change: @Sendable (inout MarqueeConfiguration) -> Void
  /// The protocol of the server's clients.
  let callProtocol: TestProtocol
  private let running = Mutex<RunningServer?>(nil)

  private init(
    _ clock: ManualClock, _ tracer: (any Tracer)?, _ callProtocol: TestProtocol,
    _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void
  ) throws {
    self.clock = clock
    self.callProtocol = callProtocol
    self.tracer = tracer
    self.change = change
    directory = try TemporaryDirectory()
  }

  /// Runs a server while `body` runs; the server has stopped on return, also if `body` throws. The server's clients use
  /// `callProtocol`.
  static func run<Result>(
    at start: Instant = Fixture.start, tracer: (any Tracer)? = nil, over callProtocol: TestProtocol = .standard,
    _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void = { _ in },
    _ body: (InProcessServer) async throws -> Result
  ) async throws -> Result {
    let server = try InProcessServer(ManualClock(at: start), tracer, callProtocol, change)
    try await server.begin()
    do {
      let result = try await body(server)
      try await server.end()
      return result
    } catch {
      try await server.end()
      throw error
    }
  }

  /// The Unix socket; the same after a restart.
  var endpoint: Endpoint { .unix(path: directory.file("socket")) }

  /// The TCP endpoint while the server is running; another port after each restart.
  var tcpEndpoint: Endpoint {
    guard let running = running.withLock(\.self) else { preconditionFailure("the server is not running") }
    return running.endpoints[1]
  }

  /// An access policy that permits local clients everything.
  static let openPolicy = "rules: [{loopback: true, role: operator}]\n"

  /// The server's configuration.
  var configuration: MarqueeConfiguration {
    var configuration = MarqueeConfiguration(
      dataDirectory: directory.file("data"), endpoints: [endpoint, .tcp(host: "127.0.0.1", port: 0)])
    configuration.shutdownGrace = .seconds(1)
    change(&configuration)
    return configuration
  }

  /// A new connection.
  func connection() -> RPCClient { callProtocol.client(endpoint) }

  /// A new connection for all kinds of calls: in the native protocol if the server's clients use one without them.
  func duplexConnection() -> RPCClient { (callProtocol.isDuplex ? callProtocol : .native).client(endpoint) }

  /// A display on a connection of its own.
  func display() -> DisplayClient { DisplayClient(connection(), reconnection: .eager) }

  /// An operator on a connection of its own.
  func admin() -> OperatorClient { OperatorClient(connection()) }

  /// Shuts the server down and starts it again on the same data, with `meanwhile` in between.
  func restart(meanwhile: () throws -> Void = {}) async throws {
    try await end()
    try meanwhile()
    try await begin()
  }

  private func begin() async throws {
    let server = try MarqueeServer(configuration: configuration, clock: clock, logger: .silent, tracer: tracer)
    let running = try await RunningServer(server, logger: .silent)
    self.running.withLock { $0 = running }
  }

  private func end() async throws {
    try await running.withLock { $0.take() }?.stop()
  }
}
