import MarqueeTransport
import NIOCore
import NIOPosix

/// Connects clients of the native protocol to a server's sockets in gRPC, through a ``GRPCBridge``.
package struct GRPCDialer: Dialer {
  private let endpoint: Endpoint
  private let report: @Sendable (String) -> Void

  /// Creates a dialer of an endpoint. `report` is called with each violation of HTTP/2 or gRPC's mapping by the server.
  package init(_ endpoint: Endpoint, reporting report: @escaping @Sendable (String) -> Void) {
    self.endpoint = endpoint
    self.report = report
  }

  package func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(GRPCBridgeHandler(on: channel.eventLoop, reporting: report))
        try pipeline.addHandler(handler)
      }
    }
    return switch endpoint {
    case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
    case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
    }
  }
}
