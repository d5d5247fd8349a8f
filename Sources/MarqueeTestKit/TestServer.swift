import Foundation
import Logging
public import MarqueeKit
public import MarqueeModel
import MarqueeRuntime
package import MarqueeServer
public import MarqueeTransport
import Synchronization

/// A complete Marquee server in this process, with its own data directory, a real socket, and a manual clock.
public final class TestServer: Sendable {
  private let clock: ManualClock
  private let directory: URL
  private let running = Mutex<RunningServer?>(nil)
  private let change: Mutex<@Sendable (inout MarqueeConfiguration) -> Void>
  private let logger = Logger(label: "MarqueeTestKit") { _ in SwiftLogNoOpLogHandler() }

  private init(at start: Instant, _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void) throws {
    clock = ManualClock(at: start)
    self.change = Mutex(change)
    // Short, because the path of a Unix socket is limited.
    directory = URL(filePath: "/tmp/marquee-test-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Runs a server while `body` runs. The server is stopped and its files are removed when this returns or throws.
  public static func run<Result>(
    at start: Instant, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await run(at: start, configured: { _ in }, body)
  }

  /// The same, with `change` applied to the default configuration at each start.
  package static func run<Result>(
    at start: Instant, configured change: @escaping @Sendable (inout MarqueeConfiguration) -> Void,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let server = try TestServer(at: start, change)
    // Best effort: leftover files in /tmp are harmless.
    defer { try? FileManager.default.removeItem(at: server.directory) }
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

  /// The current time of the server's clock.
  public var now: Instant { clock.now }

  /// The endpoint on which the server listens; the same after a restart.
  public var endpoint: Endpoint { .unix(path: directory.appending(path: "socket").path) }

  /// Returns a client that reconnects without delay.
  public func connection() -> RPCClient { RPCClient(endpoint, configuration: .eager) }

  /// Runs a ``ServerLink`` to the server while `body` runs. Names of concurrent links must be unique.
  public func link<Result>(
    _ name: String = "link", _ body: (ServerLink) async throws -> Result
  ) async throws -> Result {
    try await ServerLink.run(
      from: directory.appending(path: name).path, to: directory.appending(path: "socket").path, body)
  }

  /// Returns the connection of an app on a device, with the server's time, on its own client or on `client`.
  public func app(_ app: String, device: String, on client: RPCClient? = nil) throws -> AppConnection {
    try AppConnection(app: app, device: device, client: client ?? connection()) { [clock] in
      Date(timeIntervalSince1970: Double(clock.now.milliseconds) / 1_000)
    }
  }

  /// Restarts the server gracefully on the same data directory. All connections are closed; acknowledged changes are
  /// durable.
  public func restart() async throws {
    try await end()
    try await begin()
  }

  /// The same, with `change` applied to the default configuration from now on.
  package func restart(configured change: @escaping @Sendable (inout MarqueeConfiguration) -> Void) async throws {
    self.change.withLock { $0 = change }
    try await restart()
  }

  private func begin() async throws {
    var configuration = MarqueeConfiguration(
      dataDirectory: directory.appending(path: "data").path, endpoints: [endpoint])
    configuration.shutdownGrace = .seconds(1)
    change.withLock(\.self)(&configuration)
    let server = try MarqueeServer(configuration: configuration, clock: clock, logger: logger)
    let running = try await RunningServer(server, logger: logger)
    self.running.withLock { $0 = running }
  }

  private func end() async throws {
    try await running.withLock { $0.take() }?.stop()
  }
}
