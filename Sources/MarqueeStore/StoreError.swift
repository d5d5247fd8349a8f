import Foundation
import GRDB
import GRDBSQLite
import MarqueeFiles
import MarqueeModel

/// An error of the store, with a code, a message and the cause.
///
/// Messages never contain payload bytes, paths or SQL.
public struct StoreError: Error, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Another process, or another ``Store`` in this process, has the data directory open.
    public static let directoryLocked = Code(description: "directory locked")
    /// The store was written by a newer version.
    public static let schemaTooNew = Code(description: "schema too new")
    /// The disk is full. Nothing was written.
    public static let diskFull = Code(description: "disk full")
    /// A read or write failed. Nothing was written.
    public static let ioFailed = Code(description: "input or output failed")
    /// Another process has locked the database. Nothing was written.
    public static let busy = Code(description: "busy")
    /// Everything was written, but readers prevent its completion: files may contain deleted content.
    public static let deletionUnfinished = Code(description: "deletion unfinished")
    /// The stored data is corrupt.
    public static let corrupt = Code(description: "corrupt")
    /// A record conflicts with the stored ones: the device is unknown or exists already, the sequence is out of order,
    /// or the instant is before the last one. Nothing was written.
    public static let conflict = Code(description: "conflict")
    /// A commit or flush failed. Whether the transaction is durable is unknown; the store accepts no more writes.
    public static let commitFailed = Code(description: "commit failed")
    /// The request concerns history that is no longer retained.
    public static let notKept = Code(description: "not kept")
    /// The store has been closed.
    public static let closed = Code(description: "closed")
  }

  /// The kind of failure.
  public let code: Code
  /// A description of the failure.
  public let message: String
  /// The device concerned, if any.
  public let device: DeviceID?
  /// The sequence of the event or snapshot (0 for the creation), or the number of the decision, if any.
  public let sequence: UInt64?
  /// The underlying error, if any.
  public let cause: (any Error)?

  init(
    _ code: Code, _ message: String, device: DeviceID? = nil, sequence: UInt64? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.device = device
    self.sequence = sequence
    self.cause = cause
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { "\(code): \(message)" }
}

/// The result code of a failed SQLite or system call.
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The source of a result code.
  public enum Origin: String, Sendable {
    /// An extended result code of SQLite.
    case sqlite = "SQLite code"
    /// An `errno`.
    case system = "errno"
  }

  /// The source of the result code.
  public let origin: Origin
  /// The result code.
  public let number: Int32

  public var description: String { "\(origin.rawValue) \(number)" }
}

extension StoreError {
  private static let flushFailures: [ResultCode] = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC]

  /// Creates an error for a failure of `activity`.
  init(_ error: any Error, while activity: String) {
    if let error = error as? StoreError {
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
  private static func system(_ error: any Error, while activity: String) -> StoreError {
    if let error = error as? FileError {
      return error.number.map { .system($0, while: activity) }
        ?? StoreError(.ioFailed, "\(activity) failed: \(error)", cause: error)
    }
    // The messages of Foundation's errors contain the file's path.
    if let error = (error as? CocoaError)?.underlying as? POSIXError {
      return .system(error.code.rawValue, while: activity)
    }
    return StoreError(.ioFailed, "\(activity) failed", cause: error)
  }
}
