import GRDB
import MarqueeModel

/// A cache of the devices' row numbers. A device's number never changes.
struct DeviceNumbers: Sendable {
  /// The maximum number of entries; the cache is cleared when it is full.
  static let countMax = 16_384

  private var numbers: [DeviceID: Int64] = [:]

  /// Returns the number of a device, as of the database's current transaction, or `nil` if there is no such device.
  mutating func number(of device: DeviceID, _ db: Database) throws -> Int64? {
    if let number = numbers[device] { return number }
    guard let number = try Self.find(device, db) else { return nil }
    if numbers.count == Self.countMax { numbers = [:] }
    numbers[device] = number
    return number
  }

  /// Returns the number of a device without the cache, or `nil` if there is no such device.
  static func find(_ device: DeviceID, _ db: Database) throws -> Int64? {
    let statement = try db.cachedStatement(sql: "SELECT id FROM device WHERE name = ? AND removed = 0")
    return try Int64.fetchOne(statement, arguments: [device.text])
  }

  /// Removes all entries, and returns them.
  mutating func removeAll() -> DeviceNumbers {
    defer { numbers = [:] }
    return self
  }

  /// Removes the entry of a device that is being removed.
  mutating func remove(_ device: DeviceID) { numbers[device] = nil }
}
