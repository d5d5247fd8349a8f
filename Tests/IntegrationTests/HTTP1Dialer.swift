import Glibc
import MarqueeTestSupport
import MarqueeTransport
import NIOCore
import NIOPosix

/// Connects clients of the native protocol to a server's sockets in the Connect protocol over HTTP/1.1, through an
/// ``HTTP1Bridge``.
struct HTTP1Dialer: Dialer {
  private struct NoSocketPair: Error {}

  private let endpoint: Endpoint
  private let codec: ConnectBridgeCall.Codec
  private let report: @Sendable (String) -> Void

  /// Creates a dialer of an endpoint. `report` is called with each violation of HTTP or Connect by the server.
  init(_ endpoint: Endpoint, _ codec: ConnectBridgeCall.Codec, reporting report: @escaping @Sendable (String) -> Void) {
    self.endpoint = endpoint
    self.codec = codec
    self.report = report
  }

  /// Opens no connection to the server: each call opens its own, because HTTP/1.1 has no concurrent calls.
  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      return loop.makeFailedFuture(NoSocketPair())
    }
    let (clientEnd, serverEnd) = (ends[0], ends[1])
    let endpoint = endpoint
    let bridge = HTTP1Bridge(codec, keepsConnections: false, on: loop, reporting: report) { fill in
      let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try fill(channel) }
      }
      return switch endpoint {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    }
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
