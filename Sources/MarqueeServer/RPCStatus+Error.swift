import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeStore
import MarqueeTransport
import MarqueeWire

extension RPCStatus {
  /// What a peer reads of an error: the one place where errors become statuses.
  ///
  /// What we do not know is `INTERNAL` without detail, since its text might hold paths or payload.
  init(_ error: any Error) {
    switch error {
    case let status as RPCStatus: self = status
    case let refusal as Refusal: self.init(refusal)
    case let error as StoreError: self.init(error.code.status, error.message)
    case is RuntimeError: self.init(.unavailable, "the server is stopping; come back later")
    case is CancellationError: self.init(.cancelled, "the call was cancelled")
    default: self.init(.internalError, "internal error")
    }
  }
}

extension StoreError.Code {
  /// A full disk passes; whatever else the store reports is for the operator, whom the log tells.
  fileprivate var status: StatusCode {
    switch self {
    case .diskFull: .resourceExhausted
    case .closed: .unavailable
    case .corrupt: .dataLoss
    case .notKept: .outOfRange
    default: .internalError
    }
  }
}
