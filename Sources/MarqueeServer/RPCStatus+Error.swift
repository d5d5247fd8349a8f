import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRPC
import MarqueeRuntime
import MarqueeStore
import MarqueeTransport
import MarqueeWire

extension RPCStatus {
  /// Creates the status that a peer receives for an error.
  ///
  /// The status `RESOURCE_EXHAUSTED` of a condition that passes, such as a full disk or queue, contains a delay for the
  /// retry. An unknown error becomes `INTERNAL` without details, since its text may contain paths or payload.
  init(_ error: any Error) {
    switch error {
    case let status as RPCStatus: self = status
    case let error as RequestError: self.init(error)
    case let error as JournalError where error.code == .unavailable:
      self.init(.unavailable, "the database is not available; retry later")
    case let error as JournalError where error.quotesDatabase:
      self.init(error.code.status, "the database reported an error")
    case let error as JournalError:
      let status = RPCStatus(error.code.status, error.message)
      self = error.code == .diskFull ? status.retryable() : status
    case let error as RuntimeError where error.code == .overloaded:
      let delay = error.retryDelay.map { Duration.milliseconds($0.milliseconds) }
      self = RPCStatus(.resourceExhausted, error.message).retryable(after: delay ?? .seconds(1))
    case let error as RuntimeError where error.code == .moved:
      self.init(.unavailable, error.message)
      metadata.append(Self.movedKey, error.owner?.address ?? "")
    case is RuntimeError:
      self.init(.unavailable, "the server is shutting down; retry later")
      metadata.append(Self.movedKey, "")
    case is CancellationError: self.init(.cancelled, "the call was cancelled")
    default: self.init(.internalError, "internal error")
    }
  }
}

extension JournalError.Code {
  /// The status code for clients. The server logs the details of internal errors.
  fileprivate var status: StatusCode {
    switch self {
    case .diskFull: .resourceExhausted
    case .closed, .busy, .deletionUnfinished, .fenced, .notOwned, .unavailable: .unavailable
    case .corrupt: .dataLoss
    case .notKept: .outOfRange
    default: .internalError
    }
  }
}
