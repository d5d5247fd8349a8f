/// A protocol in which a connection begins. It carries the calls of one or more protocols.
public enum ConnectionProtocol: String, CaseIterable, Hashable, Sendable {
  /// Marquee's own protocol.
  case native
  /// HTTP/2, with calls of gRPC and Connect.
  case http2
  /// HTTP/1.1, with calls of Connect and gRPC-Web.
  case http1

  /// The name in ALPN.
  public var applicationProtocol: String {
    switch self {
    case .native: "marquee/1"
    case .http2: "h2"
    case .http1: "http/1.1"
    }
  }

  /// Whether a server with some protocols of calls accepts the connection.
  func isAccepted(with protocols: Set<CallProtocol>) -> Bool {
    switch self {
    case .native: protocols.contains(.native)
    case .http2: protocols.contains(.grpc) || protocols.contains(.connect)
    case .http1: protocols.contains(.connect)
    }
  }
}
