/// A protocol by which clients call a server.
public enum CallProtocol: String, CaseIterable, Hashable, Sendable {
  /// Marquee's own protocol, described in the article *CallProtocol* of MarqueeRPC.
  case native
  /// gRPC over HTTP/2.
  case grpc
  /// Connect over HTTP/1.1 or HTTP/2, in JSON or in the encoding of protocol buffers.
  case connect

  /// The name in ALPN of the connections that begin in this protocol.
  public var applicationProtocol: String {
    switch self {
    case .native: "marquee/1"
    case .grpc: "h2"
    case .connect: "http/1.1"
    }
  }
  /// Whether a server with some protocols accepts connections that begin in this one: HTTP/2, which is that of gRPC,
  /// also has calls of Connect.
  func isAccepted(with protocols: Set<CallProtocol>) -> Bool {
    protocols.contains(self) || (self == .grpc && protocols.contains(.connect))
  }
}
