import MarqueeRPC

extension RPCStatus {
  /// The status of a call of a method that the server does not have. In the Connect protocol, its HTTP status is 404.
  package static let unknownMethod = RPCStatus(.unimplemented, "unknown method")
}
