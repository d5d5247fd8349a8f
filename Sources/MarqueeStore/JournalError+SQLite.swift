import Foundation
import GRDB
import GRDBSQLite
import MarqueeFiles
import MarqueeJournal

extension JournalError {
  private static let flushFailures: [ResultCode] = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC]

  /// Creates an error for a failure of `activity`.
  init(_ error: any Error, while activity: String) {
    if let error = error as? JournalError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self = Self.system(error, while: activity)
      return
    }
    let cause = SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue)
    let code: Code =
      switch error.resultCode {
      // After a failed flush, the state of earlier writes is unknown: the system may have dropped their pages.
      case .SQLITE_IOERR where Self.flushFailures.contains(error.extendedResultCode): .commitFailed
      case .SQLITE_FULL: .diskFull
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_MISMATCH: .corrupt
      case .SQLITE_CONSTRAINT: .conflict
      case .SQLITE_MISUSE: .closed
      default: .ioFailed
      }
    let reason =
      switch code {
      case .diskFull: "the disk is full"
      case .busy: "another process has locked the data directory"
      default: String(cString: sqlite3_errstr(cause.number))
      }
    self.init(code, "\(activity) failed: \(reason) (\(cause))", cause: cause)
  }

  /// Returns the error for a failed file operation.
  private static func system(_ error: any Error, while activity: String) -> JournalError {
    if let error = error as? FileError {
      return error.number.map { .system($0, while: activity) }
        ?? JournalError(.ioFailed, "\(activity) failed: \(error)", cause: error)
    }
    // The messages of Foundation's errors contain the file's path.
    if let error = (error as? CocoaError)?.underlying as? POSIXError {
      return .system(error.code.rawValue, while: activity)
    }
    return JournalError(.ioFailed, "\(activity) failed", cause: error)
  }
}
