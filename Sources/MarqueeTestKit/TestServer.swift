import Foundation
import Logging
public import MarqueeKit
public import MarqueeModel
import MarqueeRuntime
package import MarqueeServer
public import MarqueeTransport
import ServiceLifecycle
import Synchronization

/// A whole Marquee server in this process: real files in a directory of its own, a real socket, and a clock that
/// stands still until it is moved.
public final class TestServer: Sendable {
  private struct Run {
    let group: ServiceGroup
    let task: Task<Void, any Error>
  }

  private let clock: ManualClock
  private let directory: URL
  private let run = Mutex<Run?>(nil)
  private let change: Mutex<@Sendable (inout MarqueeConfiguration) -> Void>
  private let logger = Logger(label: "MarqueeTestKit") { _ in SwiftLogNoOpLogHandler() }

  private init(at start: Instant, _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void) throws {
    clock = ManualClock(at: start)
    self.change = Mutex(change)
    // Short enough for the path of a Unix socket.
    directory = URL(filePath: "/tmp/marquee-test-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Runs a server while `body` runs; it has stopped and its files are gone when this returns, however `body` ends.
  public static func run<Result>(
    at start: Instant, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await run(at: start, configured: { _ in }, body)
  }

  /// The same with a configuration that `change` makes of the usual one, whenever the server starts.
  package static func run<Result>(
    at start: Instant, configured change: @escaping @Sendable (inout MarqueeConfiguration) -> Void,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let server = try TestServer(at: start, change)
    // What cannot be removed is left to whoever cleans /tmp; there is nobody to tell.
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

  /// What the clock shows.
  public var now: Instant { clock.now }

  /// Where it listens; the same after a restart.
  public var endpoint: Endpoint { .unix(path: directory.appending(path: "socket").path) }

  /// A connection to the server, which is made anew without a pause.
  public func connection() -> RPCClient { RPCClient(endpoint, configuration: .eager) }

  /// Opens a way to the server that can be disturbed while `body` runs. No two that are open have one name.
  public func link<Result>(
    _ name: String = "link", _ body: (ServerLink) async throws -> Result
  ) async throws -> Result {
    try await ServerLink.run(
      from: directory.appending(path: name).path, to: directory.appending(path: "socket").path, body)
  }

  /// An app on a device, whose time is the server's, on a connection of its own or on `client`.
  public func app(_ app: String, device: String, on client: RPCClient? = nil) throws -> AppConnection {
    try AppConnection(app: app, device: device, client: client ?? connection()) { [clock] in
      Date(timeIntervalSince1970: Double(clock.now.milliseconds) / 1_000)
    }
  }

  /// Stops in an orderly way and starts again on the same files. Everybody's connections are cut; what was
  /// acknowledged is there.
  public func restart() async throws {
    try await end()
    try await begin()
  }

  /// The same with a configuration that `change` makes of the usual one from now on.
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
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: [.init(service: server)], logger: logger))
    let task = Task { try await group.run() }
    run.withLock { $0 = Run(group: group, task: task) }
    // A server that never listens has said why.
    if await server.listening() == nil { try await task.value }
  }

  private func end() async throws {
    guard let run = run.withLock({ $0.take() }) else { return }
    await run.group.triggerGracefulShutdown()
    try await run.task.value
  }
}
