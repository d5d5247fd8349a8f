import Foundation
package import MarqueeClient
public import MarqueeTransport
import NIOCore
import NIOPosix
import Synchronization

/// A fault-injecting relay between clients and a server: a Unix socket that forwards data in both directions.
public final class ServerLink: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var delay = Duration.zero
    var isInterrupted = false
  }

  /// The endpoint to which clients connect.
  public let endpoint: Endpoint
  private let path: String
  private let state = Mutex(State())

  private init(_ endpoint: Endpoint, to path: String) {
    self.endpoint = endpoint
    self.path = path
  }

  /// Runs a relay from a new Unix socket at `entrance` to the server's socket at `path` while `body` runs.
  package static func run<Result>(
    from entrance: String, to path: String, _ body: (ServerLink) async throws -> Result
  ) async throws -> Result {
    let link = ServerLink(.unix(path: entrance), to: path)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { link.open($0) }
      .bind(unixDomainSocketPath: entrance).get()
    // Remove the listener's socket file, which would block the next one; it may not exist.
    defer { try? FileManager.default.removeItem(atPath: entrance) }
    do {
      let result = try await body(link)
      try await link.stop(listener)
      return result
    } catch {
      try await link.stop(listener)
      throw error
    }
  }

  /// The delay of data sent from now on, in each direction, in real time; at least 0. Order is preserved.
  public var delay: Duration {
    get { state.withLock(\.delay) }
    set {
      precondition(newValue >= .zero, "delay must not be negative: \(newValue)")
      state.withLock { $0.delay = newValue }
    }
  }

  /// Whether the relay rejects connections; see ``interrupt(_:)``.
  public var isInterrupted: Bool { state.withLock(\.isInterrupted) }

  /// Closes all connections and discards data in flight. Clients can reconnect immediately.
  public func cut() async {
    for channel in state.withLock({ Array($0.channels.values) }) {
      // The channel may be closed already.
      try? await channel.close()
    }
  }

  /// Closes all connections and rejects new ones while `body` runs.
  public func interrupt<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    state.withLock { $0.isInterrupted = true }
    defer { state.withLock { $0.isInterrupted = false } }
    await cut()
    return try await body()
  }

  /// Returns a client that connects through this relay and reconnects without delay.
  public func connection() -> RPCClient { RPCClient(endpoint, configuration: .eager) }

  private func stop(_ listener: any Channel) async throws {
    try await listener.close()
    await cut()
  }

  private func open(_ client: any Channel) -> EventLoopFuture<Void> {
    guard !isInterrupted else { return client.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    return ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .channelInitializer { server in
        server.eventLoop.makeCompletedFuture {
          try server.pipeline.syncOperations.addHandler(Pipe(to: client) { self.delay })
          try client.pipeline.syncOperations.addHandler(Pipe(to: server, opens: true) { self.delay })
          self.add(client)
          self.add(server)
        }
      }
      .connect(unixDomainSocketPath: path).map { _ in }
  }

  private func add(_ channel: any Channel) {
    let isLate = state.withLock { state in
      state.channels[ObjectIdentifier(channel)] = channel
      return state.isInterrupted
    }
    if isLate { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }
  }
}

extension ClientConfiguration {
  /// A configuration that reconnects almost without delay.
  package static var eager: ClientConfiguration {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    configuration.backoff.last = .milliseconds(50)
    return configuration
  }
}

extension Reconnection {
  /// A reconnection policy that retries almost without delay.
  package static var eager: Reconnection {
    var reconnection = Reconnection()
    reconnection.backoff.first = .milliseconds(1)
    reconnection.backoff.last = .milliseconds(50)
    return reconnection
  }
}

/// Forwards data to another channel on the same event loop after a delay, and closes it when its own channel closes.
private final class Pipe: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let other: any Channel
  /// Whether to start reading from the other channel once this one is active.
  private let opens: Bool
  private let delay: @Sendable () -> Duration
  /// The data in flight, in order; `nil` is the end of the stream.
  private var parts: [ByteBuffer?] = []
  private var lastArrival = NIODeadline.distantPast

  init(to other: any Channel, opens: Bool = false, delay: @escaping @Sendable () -> Duration) {
    self.other = other
    self.opens = opens
    self.delay = delay
  }

  func channelActive(context: ChannelHandlerContext) {
    guard opens else { return }
    let other = other
    other.setOption(.autoRead, value: true).whenSuccess { other.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    send(unwrapInboundIn(data), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    send(nil, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func send(_ part: ByteBuffer?, _ context: ChannelHandlerContext) {
    let delay = delay()
    guard delay > .zero || !parts.isEmpty else { return forward(part) }
    lastArrival = max(lastArrival, .now() + TimeAmount(delay))
    parts.append(part)
    context.eventLoop.assumeIsolated().scheduleTask(deadline: lastArrival) { self.forward(self.parts.removeFirst()) }
  }

  private func forward(_ part: ByteBuffer?) {
    if let part { other.writeAndFlush(part, promise: nil) } else { other.close(promise: nil) }
  }
}
