import MarqueeJournal
import MarqueeModel

/// The numbers of devices that the writer knows, and those that it has reserved for new devices.
///
/// A device's number never changes, and one writer creates and removes devices.
final class PostgresNumbers {
  /// The maximum number of entries; the cache is cleared when it is full.
  private static let countMax = 65_536
  /// The number of numbers that are reserved together. Those that a writer does not use are lost.
  private static let reservationCount = 32

  private var numbers: [DeviceID: Int64] = [:]
  private var reserved: [Int64] = []

  /// Returns the number of a device.
  ///
  /// - Throws: ``JournalError`` `conflict` for an unknown device.
  func number(of id: DeviceID) throws(JournalError) -> Int64 {
    guard let number = numbers[id] else {
      throw JournalError(.conflict, "the record's device does not exist", device: id)
    }
    return number
  }

  /// Returns the number of a device, if it is known.
  func known(_ id: DeviceID) -> Int64? { numbers[id] }

  /// Returns the device with a number, if it is known.
  func device(_ number: Int64) -> DeviceID? { numbers.first { $0.value == number }?.key }

  /// Reads and reserves the numbers, and reads and makes the data keys, that the insertion of rows requires. Takes no
  /// round trip if they are known.
  func prepare(for rows: Batch.Rows, _ keys: TransactionKeys, _ transaction: PostgresTransaction) throws {
    var required = Set(rows.events.map(\.device))
    required.formUnion(rows.decisions.map(\.row.device))
    required.formUnion(rows.snapshots.map(\.device))
    required.formUnion(rows.wakes.map(\.device))
    if numbers.count + required.count > Self.countMax { numbers = numbers.filter { required.contains($0.key) } }
    var unknown = required.filter { numbers[$0] == nil }
    for row in rows.created { unknown.remove(row.device) }
    let missing = rows.created.count - reserved.count
    if !unknown.isEmpty || missing > 0 { try read(unknown, missing: missing, keys, transaction) }
    for row in rows.created {
      // One that exists already conflicts when it is inserted.
      let number = reserved.removeFirst()
      numbers[row.device] = number
      keys.create(number)
    }
    // An unknown device is a conflict when its rows are inserted.
    try keys.prepare(required.compactMap { numbers[$0] }, transaction)
  }

  private func read(
    _ unknown: Set<DeviceID>, missing: Int, _ keys: TransactionKeys, _ transaction: PostgresTransaction
  ) throws {
    let results = try transaction.run([
      PostgresCall(
        prepared: "device_numbers",
        """
        SELECT id, name, \(TransactionKeys.columns) FROM device LEFT JOIN seal ON seal.device = id
        WHERE name = ANY($1) AND NOT removed
        """, [.texts(unknown.map(\.text))]),
      PostgresCall(
        prepared: "reserve", "SELECT nextval('device_number') FROM generate_series(1, $1)",
        [.integer(Int64(missing > 0 ? missing + Self.reservationCount : 0))]),
    ])
    let found = Dictionary(uniqueKeysWithValues: unknown.map { ($0.text, $0) })
    for row in 0..<results[0].count {
      guard let id = found[try results[0].text(row, 1)] else { continue }
      let number = try results[0].integer(row, 0)
      numbers[id] = number
      try keys.insert(of: number, results[0], row, from: 2)
    }
    for row in 0..<results[1].count { reserved.append(try results[1].integer(row, 0)) }
  }

  /// Removes the entry of a device that is being removed.
  func remove(_ id: DeviceID) { numbers[id] = nil }

  /// Clears the cache after a failed transaction, which may have created or removed devices, and whose reservations a
  /// crash of the database can undo.
  func removeAll() { (numbers, reserved) = ([:], []) }
}
