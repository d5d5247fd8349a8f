/// A protocol by which clients call a server.
public enum CallProtocol: String, CaseIterable, Hashable, Sendable {
  /// Marquee's own protocol, described in the article *CallProtocol* of MarqueeRPC.
  case native
  /// gRPC over HTTP/2.
  case grpc

  /// The protocol's name in ALPN, by which the peers of a TLS connection choose one.
  public var applicationProtocol: String {
    switch self {
    case .native: "marquee/1"
    case .grpc: "h2"
    }
  }
}
