import GRDB
import MarqueeModel

/// Why the store could not do what it was asked: a code to act on, a message for people, and the cause.
///
/// Messages carry numbers, never payload bytes, paths or SQL.
public struct StoreError: Error, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Another process, or another ``Store`` of this one, has the data directory open.
    public static let directoryLocked = Code(description: "directory locked")
    /// The file was written by a newer version.
    public static let schemaTooNew = Code(description: "schema too new")
    /// There is no space left; nothing was written.
    public static let diskFull = Code(description: "disk full")
    /// The system could not read or write; nothing was written.
    public static let ioFailed = Code(description: "input or output failed")
    /// Stored bytes are not what was stored.
    public static let corrupt = Code(description: "corrupt")
    /// A record does not continue the journal: a device that is unknown or exists already, a sequence out of
    /// order, or an instant before the last one. Nothing was written.
    public static let conflict = Code(description: "conflict")
    /// A commit or a flush to the disk failed, and whether what was written will be found after a restart is not
    /// known. The store takes no more writes.
    public static let commitFailed = Code(description: "commit failed")
    /// What is asked for is older than the history that is kept.
    public static let notKept = Code(description: "not kept")
    /// The store has been closed.
    public static let closed = Code(description: "closed")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened.
  public let message: String
  /// The device concerned, when there is one.
  public let device: DeviceID?
  /// The sequence of the journal's event or snapshot concerned (0 for the creation), or the decision's number.
  public let sequence: UInt64?
  /// What led to it.
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

/// The result code of a failed call of SQLite or of the system.
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the number comes from.
  public enum Origin: String, Sendable {
    /// An extended result code of SQLite.
    case sqlite = "SQLite code"
    /// An `errno`.
    case system = "errno"
  }

  /// Where the number comes from.
  public let origin: Origin
  /// The number.
  public let number: Int32

  public var description: String { "\(origin.rawValue) \(number)" }
}

extension StoreError {
  private static let flushFailures: [ResultCode] = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC]

  /// The error that a failure while `activity` is, in the store's terms.
  init(_ error: any Error, while activity: String) {
    if let error = error as? StoreError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self.init(.ioFailed, "\(activity) failed", cause: error)
      return
    }
    let cause = SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue)
    let code: Code =
      switch error.resultCode {
      // What a failed flush leaves of earlier writes, nobody knows: the system may have dropped their pages.
      case .SQLITE_IOERR where Self.flushFailures.contains(error.extendedResultCode): .commitFailed
      case .SQLITE_FULL: .diskFull
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_MISMATCH: .corrupt
      case .SQLITE_CONSTRAINT: .conflict
      case .SQLITE_MISUSE: .closed
      default: .ioFailed
      }
    let reason = code == .diskFull ? "\(activity) failed: the disk is full" : "\(activity) failed"
    self.init(code, "\(reason) (\(cause))", cause: cause)
  }
}
