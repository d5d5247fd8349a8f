import MarqueeModel

/// The erasure of a device's events and decisions: those before a removal of content, or all those of a removed device
/// (rule W6).
///
/// The database records the numbers up to which a device's rows have been overwritten, so that a later erasure does not
/// read them again, and decisions that are stored late do not bring anything back. A removed device is marked until its
/// erasure is complete: readers ignore the device from the first transaction on, and the steps that follow may be
/// interrupted.
package struct Erasure: Sendable {
  /// The device's row number.
  let device: Int64

  /// Overwrites all rows before an event and up to a decision.
  ///
  /// - Parameters:
  ///   - sequence: The sequence of the event, which is stored.
  ///   - decision: The number of the last decision; decisions up to it that are not stored yet are dropped later.
  ///   - transaction: The transaction.
  func run(
    before sequence: UInt64, throughDecision decision: UInt64, _ transaction: any JournalTransaction
  ) throws {
    try transaction.beginErasure(of: device, isWhole: false)
    let (event, decision) = (Int64(sequence) - 1, Int64(decision))
    while try transaction.eraseNextRows(of: device, in: .events, through: event) > 0 {}
    while try transaction.eraseNextRows(of: device, in: .decisions, through: decision) > 0 {}
    try transaction.recordErasure(of: device, through: event, decision: decision)
  }
}

/// The erasure of removed devices.
extension Erasure {
  /// Removes a device: readers ignore it from now on.
  ///
  /// - Returns: `nil` if there is no such device.
  init?(removing id: DeviceID, _ transaction: any JournalTransaction) throws {
    guard let number = try transaction.remove(id) else { return nil }
    device = number
    try transaction.beginErasure(of: number, isWhole: true)
  }

  /// Returns the erasure of a removed device that is not complete, if there is one.
  package static func unfinished(_ view: any JournalView) throws -> Erasure? {
    try view.unfinishedErasure().map(Erasure.init(device:))
  }

  /// Erases a part of a removed device in a transaction of its own, and returns whether anything was left.
  package func step(_ transaction: any JournalTransaction) throws -> Bool {
    if try transaction.deleteFirstSnapshot(of: device) { return true }
    if try transaction.eraseNextRows(of: device, in: .events, through: .max) > 0 { return true }
    return try transaction.eraseNextRows(of: device, in: .decisions, through: .max) > 0
  }

  /// Erases the name and the parameters of a removed device, of which nothing else is left.
  package func finish(_ transaction: any JournalTransaction) throws { try transaction.finishErasure(of: device) }
}
