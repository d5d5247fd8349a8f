import Glibc
import MarqueeTransport
import NIOCore
import NIOPosix

/// Connects clients of the native protocol to a server's sockets in the Connect protocol over HTTP/1.1, through a
/// ``ConnectBridge``.
struct ConnectDialer: Dialer {
  /// The encoding of messages.
  enum Codec: String {
    case proto, json
  }

  private struct NoSocketPair: Error {}

  private let endpoint: Endpoint
  private let codec: Codec

  /// Creates a dialer of an endpoint.
  init(_ endpoint: Endpoint, _ codec: Codec) {
    self.endpoint = endpoint
    self.codec = codec
  }

  /// Opens no connection to the server: each call opens its own, because HTTP/1.1 has no concurrent calls.
  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      return loop.makeFailedFuture(NoSocketPair())
    }
    let (clientEnd, serverEnd) = (ends[0], ends[1])
    let bridge = ConnectBridge(endpoint, codec, on: loop)
    return channel(of: serverEnd, bridge, on: loop).flatMap { _ in self.channel(of: clientEnd, handler, on: loop) }
  }

  private func channel(
    of socket: CInt, _ handler: any ChannelHandler & Sendable, on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
    }.withConnectedSocket(socket)
  }
}
