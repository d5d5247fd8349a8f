/// A protocol by which clients call a server.
public enum CallProtocol: String, CaseIterable, Hashable, Sendable {
  /// Marquee's own protocol, described in the article *CallProtocol* of MarqueeRPC.
  case native
  /// gRPC over HTTP/2.
  case grpc
  /// Connect over HTTP/1.1 or HTTP/2, in JSON or in the encoding of protocol buffers.
  case connect
}
