import MarqueeHTTP
import MarqueeRPC

extension Router {
  private static let streamsRequests = RPCStatus(
    .unimplemented, "the method streams requests, which requires gRPC over HTTP/2")

  /// Returns the rejection of a call in the Connect protocol, or in gRPC-Web over HTTP/1.1, whose form does not suit
  /// its method; `nil` for a call that may be opened, among them those of unknown methods.
  func rejection(
    of method: String, _ format: ConnectFormat, _ forms: CallForms
  ) -> ConnectRequest.Rejection? {
    let kind = kinds[method]
    let isInForm =
      switch kind {
      case .unary?: !format.isStream || format.isGRPCWeb
      case .serverStreaming?: format.isStream
      case nil, .clientStreaming?, .bidirectional?: true
      }
    guard isInForm, format.codec != .json || transcoder != nil else {
      return .http(forms.wrongContentType(method, [format.contentType]))
    }
    return kind == .clientStreaming || kind == .bidirectional ? .status(Self.streamsRequests, format) : nil
  }
}
