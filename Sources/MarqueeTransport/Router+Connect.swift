import MarqueeHTTP
import MarqueeRPC

extension Router {
  private static let streamsRequests = RPCStatus(
    .unimplemented, "the method streams requests, which requires gRPC over HTTP/2")

  /// Returns the rejection of a call in the Connect protocol, or in gRPC-Web over HTTP/1.1, whose form does not suit
  /// its method; `nil` for a call that may be opened, among them those of unknown methods.
  func rejection(of method: String, _ format: ConnectFormat) -> ConnectRequest.Rejection? {
    if format.codec == .json, transcoder == nil { return .http(415) }
    return switch routes[method]?.kind {
    case nil: nil
    case .unary?: format.isStream && !format.isGRPCWeb ? .http(415) : nil
    case .serverStreaming?: format.isStream ? nil : .http(415)
    case .clientStreaming?, .bidirectional?: .status(Self.streamsRequests, format)
    }
  }
}
