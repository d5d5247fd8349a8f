import MarqueeModel
import MarqueeScheduler

/// An event after which a device's retained history begins.
struct HistoryStart: Sendable {
  let sequence: UInt64
  /// The device right after the event.
  let device: Device
  /// Whether the history before is erased at once; otherwise it expires.
  var isErasure: Bool

  /// Begins the history of the device with that row number. The event must be stored.
  func set(_ number: Int64, _ transaction: any JournalTransaction) throws {
    let decision = device.decisionCount
    try RetentionBoundary.set(device, after: sequence, decision: decision, number, transaction)
    if isErasure { try Erasure(device: number).run(before: sequence, throughDecision: decision, transaction) }
  }
}

/// The beginning of a device's retained history, if that is not its creation: the device's state at an instant.
struct RetentionBoundary {
  /// The sequence of the last event before the boundary.
  let sequence: UInt64
  /// The number of the last decision before the boundary.
  let decision: UInt64
  let at: Instant
  private let id: DeviceID
  private let number: Int64

  /// Reads the boundary of the device with that row number. `nil` if the device's whole history is retained.
  init?(of id: DeviceID, _ number: Int64, _ view: any JournalView) throws {
    guard let row = try view.boundary(of: number) else { return nil }
    try self.init(row, of: id, number)
  }

  /// - Throws: ``JournalError`` `corrupt` if a value of the row is invalid.
  init(_ row: BoundaryRow, of id: DeviceID, _ number: Int64) throws(JournalError) {
    guard row.sequence > 0, row.decision >= 0, let at = Instant(milliseconds: row.at) else {
      throw JournalError(.corrupt, "the retention boundary of the device is invalid", device: id)
    }
    sequence = UInt64(row.sequence)
    decision = UInt64(row.decision)
    self.at = at
    self.id = id
    self.number = number
  }

  /// Returns the device at the boundary.
  func device(_ view: any JournalView) throws -> Device {
    guard let found = try view.boundaryState(of: number) else {
      throw JournalError(.corrupt, "the retention boundary of the device is missing", device: id)
    }
    let row = try StoredRow(found, of: id)
    let device = try row.decodedSnapshot(PublishedTimelines(of: id, number, nil, view))
    guard device.id == id, device.now == row.at, row.number == sequence, row.at == at else {
      throw row.corrupt("the retention boundary does not match its row")
    }
    return device
  }

  /// The error for a request that concerns the history before the boundary.
  var notKept: JournalError {
    JournalError(
      .notKept, "the history of device '\(id)' before \(at) is not retained", device: id, sequence: sequence)
  }

  /// Sets the boundary of a device, which must not precede the current one.
  ///
  /// - Parameters:
  ///   - device: The device after the given event and decision, and before the next ones.
  ///   - sequence: The sequence of the last event before the boundary.
  ///   - decision: The number of the last stored decision before the boundary.
  ///   - number: The device's row number.
  ///   - transaction: The transaction.
  static func set(
    _ device: Device, after sequence: UInt64, decision: UInt64, _ number: Int64, _ transaction: any JournalTransaction
  ) throws {
    let (last, at) = (Int64(sequence), device.now.milliseconds)
    try transaction.deleteSnapshots(of: number, in: 0...last)
    try transaction.setBoundary(
      BoundaryRow(sequence: last, decision: Int64(decision), at: at),
      state: TableRow(device: number, number: last, at: at, Snapshot.bytes(of: device, .included)))
  }
}
