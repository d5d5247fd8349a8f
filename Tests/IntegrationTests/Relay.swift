import MarqueeTransport
import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a server on a Unix socket, so that a test can cut their connections.
final class Relay: Sendable {
  /// Where clients connect.
  let endpoint: Endpoint
  private let listener: any Channel
  private let clients = Mutex<[ObjectIdentifier: any Channel]>([:])

  private init(_ listener: any Channel, _ endpoint: Endpoint) {
    self.listener = listener
    self.endpoint = endpoint
  }

  /// Relays to the socket at `path` while `body` runs.
  static func run<Result>(to path: String, _ body: (Relay) async throws -> Result) async throws -> Result {
    let accepted = AsyncStream<any Channel>.makeStream()
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { client in
        accepted.continuation.yield(client)
        return Self.connect(client, to: path)
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let relay = Relay(listener, .tcp(host: "127.0.0.1", port: listener.localAddress?.port ?? 0))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await client in accepted.stream { relay.add(client) } }
      do {
        let result = try await body(relay)
        try await relay.stop(accepted.continuation)
        return result
      } catch {
        try await relay.stop(accepted.continuation)
        throw error
      }
    }
  }

  /// Closes every connection; clients may come back.
  func cut() async {
    for client in clients.withLock({ Array($0.values) }) {
      // One that is closed already cannot be closed again, which is as good.
      try? await client.close()
    }
  }

  private func stop(_ accepted: AsyncStream<any Channel>.Continuation) async throws {
    try await listener.close()
    accepted.finish()
    await cut()
  }

  private func add(_ client: any Channel) {
    clients.withLock { $0[ObjectIdentifier(client)] = client }
    client.closeFuture.whenComplete { _ in
      _ = self.clients.withLock { $0.removeValue(forKey: ObjectIdentifier(client)) }
    }
  }

  private static func connect(_ client: any Channel, to path: String) -> EventLoopFuture<Void> {
    ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .channelInitializer { server in
        server.eventLoop.makeCompletedFuture {
          try server.pipeline.syncOperations.addHandler(Pipe(to: client))
          try client.pipeline.syncOperations.addHandler(Pipe(to: server, opens: true))
        }
      }
      .connect(unixDomainSocketPath: path).map { _ in }
  }

  /// Hands on what comes, and closes when its channel does.
  private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel
    /// Whether the other channel may speak once this one is active.
    private let opens: Bool

    init(to other: any Channel, opens: Bool = false) {
      self.other = other
      self.opens = opens
    }

    func channelActive(context: ChannelHandlerContext) {
      guard opens else { return }
      let other = other
      other.setOption(.autoRead, value: true).whenSuccess { other.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      other.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
