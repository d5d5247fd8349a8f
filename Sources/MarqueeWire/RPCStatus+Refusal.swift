public import MarqueeModel
public import MarqueeRPC

extension RPCStatus {
  /// The status that says what was refused, with the code of the same name.
  public init(_ refusal: Refusal) {
    let code: StatusCode =
      switch refusal.code {
      case .invalidArgument: .invalidArgument
      case .notFound: .notFound
      case .alreadyExists: .alreadyExists
      case .failedPrecondition: .failedPrecondition
      case .resourceExhausted: .resourceExhausted
      }
    self.init(code, refusal.description)
  }
}
