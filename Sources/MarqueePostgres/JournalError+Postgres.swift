import MarqueeJournal
import MarqueeModel

extension JournalError {
  /// The error after the end of a journal.
  static var closed: JournalError { JournalError(.closed, "the journal has been closed") }

  /// Creates an error for a failure of `activity`.
  ///
  /// - Parameters:
  ///   - error: A ``PostgresError``, or an error of the work in a transaction.
  ///   - activity: The activity, for the message.
  ///   - numbers: The numbers of devices, for the device of a conflict.
  init(_ error: any Error, while activity: String, _ numbers: PostgresNumbers? = nil) {
    if let error = error as? JournalError {
      self = error
      return
    }
    guard let error = error as? PostgresError else {
      self.init(.ioFailed, "\(activity) failed", cause: error)
      return
    }
    let code = error.outcome == .unknown ? Code.commitFailed : error.journalCode
    guard code != .diskFull else {
      self.init(.diskFull, "\(activity) failed: the disk is full in PostgreSQL", cause: error)
      return
    }
    guard code == .conflict else {
      self.init(code, "\(activity) failed: \(error)", cause: error)
      return
    }
    let (device, number) = error.key(numbers)
    self.init(
      .conflict, "record \(number ?? 0) of the device conflicts with a stored record", device: device,
      sequence: number, cause: error)
  }
}

extension JournalError {
  /// Creates an error for a failure of `activity` of an open journal.
  ///
  /// A database, a password or a directory of keys that is refused now may be accepted later, for example after a
  /// failover. Only the start of a server is refused because of it.
  init(_ error: any Error, ofOpenJournalWhile activity: String, _ numbers: PostgresNumbers? = nil) {
    let error = JournalError(error, while: activity, numbers)
    self = error.code == .refused ? JournalError(.unavailable, error.message, cause: error.cause ?? error) : error
  }

  /// Whether the message may have the database's address, its user, and names of its objects.
  package var quotesDatabase: Bool {
    if let cause = cause as? JournalError { return cause.quotesDatabase }
    return cause is PostgresError && ![.conflict, .diskFull].contains(code)
  }
}

extension PostgresError {
  /// The SQLSTATE of a statement by a writer that another has replaced.
  private static let fencedState = "MQ001"
  /// The SQLSTATE of a data key that was wrapped under a key-encryption key that a rotation has replaced.
  private static let replacedKeyState = "23503"
  /// The SQLSTATEs of rows that do not fit the stored ones: the journal does not continue, a key exists, or a value is
  /// not allowed.
  private static let conflictStates: Set = ["MQ002", "23502", "23505", "23514"]

  fileprivate var journalCode: JournalError.Code {
    switch code {
    case .unavailable: .unavailable
    case .malformedSettings, .accessDenied, .unsafeServer: .refused
    case .wrongFormat: .schemaTooNew
    case .fenced: .directoryLocked
    case .tooLarge: .ioFailed
    case .wrongType: .corrupt
    case .failed: stateCode
    }
  }

  private var stateCode: JournalError.Code {
    guard let state else { return .ioFailed }
    if state == Self.fencedState { return .fenced }
    if state == Self.replacedKeyState { return .busy }
    if Self.conflictStates.contains(state) { return .conflict }
    return switch state.prefix(2) {
    case "53" where state == "53100": .diskFull
    case "40", "53", "55": .busy
    case "08", "57": .unavailable
    case "XX": .corrupt
    default: .ioFailed
    }
  }

  /// Returns the device and the number of the row that a constraint refused, from the details that the server reported.
  fileprivate func key(_ numbers: PostgresNumbers?) -> (device: DeviceID?, number: UInt64?) {
    guard let values = detail?.split(separator: ")=(", maxSplits: 1).dropFirst().first else { return (nil, nil) }
    if detail?.hasPrefix("Key (name)") == true {
      let ending = ") already exists."
      guard values.hasSuffix(ending) else { return (nil, 0) }
      // A name that is not valid was not inserted by the journal.
      return (try? DeviceID(String(values.dropLast(ending.count))), 0)
    }
    let words = values.split { !$0.isNumber && $0 != "-" }.prefix(2).compactMap { Int64($0) }
    guard words.count == 2 else { return (nil, nil) }
    return (numbers?.device(words[0]), UInt64(bitPattern: words[1]))
  }
}
