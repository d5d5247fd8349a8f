import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// Where a device's kept history begins if not with its creation: at an instant, with the device as it was then.
struct Base {
  private static let columns = "device, sequence AS number, at, state AS bytes, checksum"

  /// The sequence of the last event up to the instant.
  let sequence: UInt64
  let at: Instant
  private let id: DeviceID
  private let number: Int64

  /// The base of the device that has that number in the tables; `nil` when everything of it is kept.
  init?(of id: DeviceID, _ number: Int64, _ db: Database) throws {
    let statement = try db.cachedStatement(sql: "SELECT sequence, at FROM base WHERE device = ?")
    guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
    let (sequence, at): (Int64, Int64) = (try row.value("sequence"), try row.value("at"))
    guard sequence > 0, let at = Instant(milliseconds: at) else {
      throw StoreError(.corrupt, "where a device's history begins cannot be read", device: id)
    }
    self.sequence = UInt64(sequence)
    self.at = at
    self.id = id
    self.number = number
  }

  /// The device as it was.
  func device(_ db: Database) throws -> Device {
    let sql = "SELECT \(Self.columns) FROM base WHERE device = ?"
    guard let found = try Row.fetchOne(db, sql: sql, arguments: [number]) else {
      throw StoreError(.corrupt, "what a device's history begins with is missing", device: id)
    }
    let row = try StoredRow(found, of: id)
    let device = try row.decodedSnapshot()
    guard device.id == id, device.now == row.at, row.number == sequence, row.at == at else {
      throw row.corrupt("the beginning of something else")
    }
    return device
  }

  /// What to answer whoever asks for what was before.
  var notKept: StoreError {
    StoreError(.notKept, "the history of device '\(id)' before \(at) is not kept", device: id, sequence: sequence)
  }

  /// Lets the kept history of a device begin with `device`, as it was after the event of that sequence and the stored
  /// decision of that number, and before the next of both; not before the present beginning.
  static func set(
    _ device: Device, after sequence: UInt64, decision: UInt64, _ number: Int64, _ db: Database
  ) throws {
    let bytes = Snapshot.bytes(of: device)
    let (last, at) = (Int64(sequence), device.now.milliseconds)
    let checksum = Checksum.of(bytes, device: number, sequence: last, at: at)
    try db.cachedStatement(sql: "DELETE FROM snapshot WHERE device = ? AND sequence <= ?")
      .execute(arguments: [number, last])
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO base (device, sequence, decision, at, state, checksum) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [number, last, Int64(decision), at, Data(bytes), checksum])
  }
}
