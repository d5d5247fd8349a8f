import GRDB
import MarqueeModel

/// The numbers that devices have in the tables, as far as they were looked up lately. A device keeps its number.
struct DeviceNumbers {
  /// Numbers that are kept, at most; with more, all are looked up anew.
  static let countMax = 16_384

  private var numbers: [DeviceID: Int64] = [:]

  /// The number of a device, in the transaction that the database is in; throws `conflict` when there is none.
  mutating func number(of device: DeviceID, _ db: Database) throws -> Int64 {
    if let number = numbers[device] { return number }
    let statement = try db.cachedStatement(sql: "SELECT id FROM device WHERE name = ?")
    guard let number = try Int64.fetchOne(statement, arguments: [device.text]) else {
      throw StoreError(.conflict, "a record of a device that does not exist", device: device)
    }
    if numbers.count == Self.countMax { numbers = [:] }
    numbers[device] = number
    return number
  }

  /// Forgets all, when a transaction has failed: devices that it made may get other numbers.
  mutating func removeAll() { numbers = [:] }
}
