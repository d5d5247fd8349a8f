import MarqueeTransport
import NIOCore
import NIOPosix

/// Connects clients of the native protocol to a server's sockets in gRPC or Connect over HTTP/2, through an
/// ``HTTP2Bridge``.
package struct HTTP2Dialer: Dialer {
  private let endpoint: Endpoint
  private let codec: ConnectBridgeCall.Codec?
  private let report: @Sendable (String) -> Void

  /// Creates a dialer of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - codec: The encoding of messages in the Connect protocol; `nil` for gRPC.
  ///   - report: Called with each violation of HTTP/2 or of the protocol's mapping by the server.
  package init(
    _ endpoint: Endpoint, _ codec: ConnectBridgeCall.Codec? = nil,
    reporting report: @escaping @Sendable (String) -> Void
  ) {
    self.endpoint = endpoint
    self.codec = codec
    self.report = report
  }

  package func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTP2BridgeHandler(codec, on: channel.eventLoop, reporting: report))
        try pipeline.addHandler(handler)
      }
    }
    return switch endpoint {
    case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
    case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
    }
  }
}
