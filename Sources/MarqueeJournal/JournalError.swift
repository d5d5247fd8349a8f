import MarqueeModel

/// An error of a journal, with a code, a message and the cause.
///
/// Messages never contain payload bytes, paths or SQL.
public struct JournalError: Error, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Another process, or another store in this process, has the data directory open.
    public static let directoryLocked = Code(description: "directory locked")
    /// The tables were written by a newer version.
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
    /// A commit or flush failed. Whether the transaction is durable is unknown; the journal accepts no more writes.
    public static let commitFailed = Code(description: "commit failed")
    /// The request concerns history that is no longer retained.
    public static let notKept = Code(description: "not kept")
    /// The database cannot be reached, or the connection was lost. Nothing was written.
    public static let unavailable = Code(description: "unavailable")
    /// The settings, the server or the database are not accepted.
    public static let refused = Code(description: "refused")
    /// Another server has taken the devices over. Nothing was written, and this journal accepts no more writes.
    public static let fenced = Code(description: "fenced")
    /// The device is in a shard that the journal does not own: another node's. Nothing was written.
    public static let notOwned = Code(description: "not owned")
    /// The journal has been closed.
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

  public init(
    _ code: Code, _ message: String, device: DeviceID? = nil, sequence: UInt64? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.device = device
    self.sequence = sequence
    self.cause = cause
  }
}

extension JournalError: CustomStringConvertible {
  public var description: String { "\(code): \(message)" }
}

/// Whether a failed write is durable.
extension JournalError {
  /// Whether a failed write is durable.
  public enum Outcome: Sendable {
    /// Everything was written. Only its deletions are unfinished: files may contain deleted content for some time.
    case written
    /// Nothing was written.
    case notWritten
    /// It is unknown which records are durable until the journal is opened again.
    case unknown
  }

  /// Whether the write that failed with this error is durable.
  public var outcome: Outcome {
    switch code {
    case .deletionUnfinished: .written
    case .commitFailed: .unknown
    default: .notWritten
    }
  }

  /// Whether the same call may succeed if it is repeated.
  public var isTransient: Bool { [.diskFull, .ioFailed, .busy, .unavailable].contains(code) }

  /// Whether nothing was written and other writes may succeed: the disk failed, or a record that a deletion reads is
  /// corrupt. After other errors the journal must be closed and opened again. One of these is a conflict: what its user
  /// has in memory does not agree with the records.
  public var isRecoverable: Bool { isTransient || code == .corrupt }
}
