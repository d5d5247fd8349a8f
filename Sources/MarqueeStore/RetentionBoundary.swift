import Foundation
import GRDB
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
  func set(_ number: Int64, _ db: Database) throws {
    let decision = device.decisionCount
    try RetentionBoundary.set(device, after: sequence, decision: decision, number, db)
    if isErasure { try Erasure(device: number).run(before: sequence, throughDecision: decision, db) }
  }
}

/// The beginning of a device's retained history, if that is not its creation: the device's state at an instant.
struct RetentionBoundary {
  private static let columns = "device, sequence AS number, at, state AS bytes, checksum"

  /// The sequence of the last event before the boundary.
  let sequence: UInt64
  /// The number of the last decision before the boundary.
  let decision: UInt64
  let at: Instant
  private let id: DeviceID
  private let number: Int64

  /// Reads the boundary of the device with that row number. `nil` if the device's whole history is retained.
  init?(of id: DeviceID, _ number: Int64, _ db: Database) throws {
    let statement = try db.cachedStatement(
      sql: "SELECT sequence, decision, at FROM retention_boundary WHERE device = ?")
    guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
    let (sequence, decision): (Int64, Int64) = (try row.value("sequence"), try row.value("decision"))
    guard sequence > 0, decision >= 0, let at = Instant(milliseconds: try row.value("at")) else {
      throw StoreError(.corrupt, "the retention boundary of the device is invalid", device: id)
    }
    self.sequence = UInt64(sequence)
    self.decision = UInt64(decision)
    self.at = at
    self.id = id
    self.number = number
  }

  /// Returns the device at the boundary.
  func device(_ db: Database) throws -> Device {
    let sql = "SELECT \(Self.columns) FROM retention_boundary WHERE device = ?"
    guard let found = try Row.fetchOne(db, sql: sql, arguments: [number]) else {
      throw StoreError(.corrupt, "the retention boundary of the device is missing", device: id)
    }
    let row = try StoredRow(found, of: id)
    let device = try row.decodedSnapshot(PublishedTimelines(of: id, number, nil, db))
    guard device.id == id, device.now == row.at, row.number == sequence, row.at == at else {
      throw row.corrupt("the retention boundary does not match its row")
    }
    return device
  }

  /// The error for a request that concerns the history before the boundary.
  var notKept: StoreError {
    StoreError(.notKept, "the history of device '\(id)' before \(at) is not retained", device: id, sequence: sequence)
  }

  /// Sets the boundary of a device, which must not precede the current one.
  ///
  /// - Parameters:
  ///   - device: The device after the given event and decision, and before the next ones.
  ///   - sequence: The sequence of the last event before the boundary.
  ///   - decision: The number of the last stored decision before the boundary.
  ///   - number: The device's row number.
  static func set(
    _ device: Device, after sequence: UInt64, decision: UInt64, _ number: Int64, _ db: Database
  ) throws {
    let bytes = Snapshot.bytes(of: device, .included)
    let (last, at) = (Int64(sequence), device.now.milliseconds)
    let checksum = Checksum.of(bytes, device: number, sequence: last, at: at)
    try db.cachedStatement(sql: "DELETE FROM snapshot WHERE device = ? AND sequence <= ?")
      .execute(arguments: [number, last])
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO retention_boundary (device, sequence, decision, at, state, checksum)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [number, last, Int64(decision), at, Data(bytes), checksum])
  }
}
