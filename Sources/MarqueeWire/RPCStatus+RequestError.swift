public import MarqueeModel
public import MarqueeRPC

extension RPCStatus {
  /// Creates a status from a request error, with the code of the same name and the field as a detail.
  public init(_ error: RequestError) {
    let code: StatusCode =
      switch error.code {
      case .invalidArgument: .invalidArgument
      case .notFound: .notFound
      case .alreadyExists: .alreadyExists
      case .failedPrecondition: .failedPrecondition
      case .resourceExhausted: .resourceExhausted
      }
    self.init(code, field: error.field, error.reason)
  }
}

extension RPCStatus {
  /// The status of a TCP client's call to a server without an access policy, which no credential authenticates.
  public static let noAccessPolicy = RPCStatus(
    .unauthenticated,
    "unauthenticated: the server has no access policy with rules; connect over the Unix socket, without a token")
}
