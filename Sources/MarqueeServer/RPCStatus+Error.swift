import MarqueeModel
import MarqueeRPC
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
    case let error as StoreError: self.init(error)
    case is CancellationError: self.init(.cancelled, "the call was cancelled")
    default: self.init(.internalError, "internal error")
    }
  }
}
