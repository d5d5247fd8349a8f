import Foundation
package import MarqueeClient
public import MarqueeTransport
import NIOCore
import NIOPosix
import Synchronization

/// A way from clients to a server that a test can disturb: a Unix socket of its own, on which everything is handed on,
/// both ways.
public final class ServerLink: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var delay = Duration.zero
    var isInterrupted = false
  }

  /// Where clients connect.
  public let endpoint: Endpoint
  private let path: String
  private let state = Mutex(State())

  private init(_ endpoint: Endpoint, to path: String) {
    self.endpoint = endpoint
    self.path = path
  }

  /// Hands on between a Unix socket at `entrance`, where nothing may be yet, and the server's at `path` while `body`
  /// runs.
  package static func run<Result>(
    from entrance: String, to path: String, _ body: (ServerLink) async throws -> Result
  ) async throws -> Result {
    let link = ServerLink(.unix(path: entrance), to: path)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { link.open($0) }
      .bind(unixDomainSocketPath: entrance).get()
    // What a listener leaves of itself would stand in the way of the next; there may be nothing.
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

  /// How much later everything arrives that is sent from now on, in either direction: real time, at least 0. What is
  /// sent keeps its order.
  public var delay: Duration {
    get { state.withLock(\.delay) }
    set {
      precondition(newValue >= .zero, "a delay of \(newValue)")
      state.withLock { $0.delay = newValue }
    }
  }

  /// Whether nobody gets through: see ``interrupt(_:)``.
  public var isInterrupted: Bool { state.withLock(\.isInterrupted) }

  /// Closes every connection, with what is on its way; clients may come back at once.
  public func cut() async {
    for channel in state.withLock({ Array($0.channels.values) }) {
      // One that is closed already cannot be closed again, which is as good.
      try? await channel.close()
    }
  }

  /// Closes every connection and lets none be made while `body` runs.
  public func interrupt<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    state.withLock { $0.isInterrupted = true }
    defer { state.withLock { $0.isInterrupted = false } }
    await cut()
    return try await body()
  }

  /// A connection through here, which is made anew without a pause.
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
  /// Connects again without a pause.
  package static var eager: ClientConfiguration {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    configuration.backoff.last = .milliseconds(50)
    return configuration
  }
}

extension Reconnection {
  /// Reconnects without a pause.
  package static var eager: Reconnection {
    var reconnection = Reconnection()
    reconnection.backoff.first = .milliseconds(1)
    reconnection.backoff.last = .milliseconds(50)
    return reconnection
  }
}

/// Hands on what comes, after a delay, and closes when its channel does. Both channels are of one event loop.
private final class Pipe: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let other: any Channel
  /// Whether the other channel may speak once this one is active.
  private let opens: Bool
  private let delay: @Sendable () -> Duration
  /// What is on its way, in its order; `nil` is the end.
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
    guard delay > .zero || !parts.isEmpty else { return handOn(part) }
    lastArrival = max(lastArrival, .now() + TimeAmount(delay))
    parts.append(part)
    context.eventLoop.assumeIsolated().scheduleTask(deadline: lastArrival) { self.handOn(self.parts.removeFirst()) }
  }

  private func handOn(_ part: ByteBuffer?) {
    if let part { other.writeAndFlush(part, promise: nil) } else { other.close(promise: nil) }
  }
}
