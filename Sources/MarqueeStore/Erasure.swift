import GRDB
import MarqueeModel
import MarqueeScheduler

/// A table whose rows are overwritten in place with zeros, so that they never move: see ``Redaction``.
struct ErasableTable {
  static let journal = ErasableTable(
    name: "journal", key: "sequence", bytes: "event", progress: "sequence", otherAssignments: "")
  /// The name of a decision's stack is replaced by as many bytes.
  static let decision = ErasableTable(
    name: "decision", key: "number", bytes: "body", progress: "decision",
    otherAssignments: ", stack = printf('%.*c', length(CAST(stack AS BLOB)), '-')")

  let name: String
  /// The column of a row's number.
  let key: String
  /// The column of a row's bytes.
  let bytes: String
  /// The column of the table `erasure` with the number up to which a device's rows have been overwritten.
  let progress: String
  /// SQL assignments that overwrite the row's other values.
  let otherAssignments: String

  /// A row that is to be overwritten.
  struct StoredRow {
    let row: Int64
    let device: Int64
    let number: Int64
    let at: Int64
    let size: Int
  }

  func overwrite(_ row: StoredRow, _ db: Database) throws {
    let zeros = Array(repeating: UInt8(0), count: row.size)
    let checksum = Checksum.of(zeros, device: row.device, sequence: row.number, at: row.at)
    try db.cachedStatement(
      sql: "UPDATE \(name) SET \(bytes) = zeroblob(?), checksum = ?\(otherAssignments) WHERE rowid = ?"
    ).execute(arguments: [row.size, checksum, row.row])
  }
}

/// The erasure of a device's events and decisions: those before a removal of content, or all those of a removed device
/// (rule W6).
///
/// The table `erasure` contains the numbers up to which a device's rows have been overwritten, so that a later erasure
/// does not read them again, and decisions that are stored late do not bring anything back. The entry of a removed
/// device is marked as `whole` and exists until the erasure is complete: readers ignore the device from the first
/// transaction on, and the steps that follow may be interrupted.
///
/// The name of a device is in no row that moves except in those of two indexes, which are rebuilt.
struct Erasure {
  /// The maximum number of rows that one step overwrites.
  private static let stepCountMax = 8_192
  /// The number of bytes after which a step ends.
  private static let stepSize = 8_388_608

  /// The device's row number.
  let device: Int64

  /// Overwrites all rows before an event and up to a decision, in the database's current transaction.
  ///
  /// - Parameters:
  ///   - sequence: The sequence of the event, which is stored.
  ///   - decision: The number of the last decision; decisions up to it that are not stored yet are dropped later.
  func run(before sequence: UInt64, throughDecision decision: UInt64, _ db: Database) throws {
    try start(isWhole: false, db)
    try repairJournalIndex(db)
    let (event, decision) = (Int64(sequence) - 1, Int64(decision))
    while try overwrite(.journal, through: event, db) > 0 {}
    while try overwrite(.decision, through: decision, db) > 0 {}
    try db.cachedStatement(
      sql: "UPDATE erasure SET sequence = max(sequence, ?), decision = max(decision, ?) WHERE device = ?"
    ).execute(arguments: [event, decision, device])
  }

  private func start(isWhole: Bool, _ db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO erasure (device, sequence, decision, whole) VALUES (?, 0, 0, ?)
        ON CONFLICT (device) DO UPDATE SET whole = excluded.whole
        """
    ).execute(arguments: [device, isWhole])
  }

  /// Overwrites the next rows that are not overwritten yet, and returns their number.
  private func overwrite(_ table: ErasableTable, through last: Int64, _ db: Database) throws -> Int {
    let statement = try db.cachedStatement(
      sql: """
        SELECT rowid AS row, \(table.key) AS number, at, length(\(table.bytes)) AS size FROM \(table.name)
        WHERE device = ?1 AND \(table.key) > (SELECT \(table.progress) FROM erasure WHERE device = ?1)
          AND \(table.key) <= ?2
        ORDER BY \(table.key) LIMIT \(Self.stepCountMax)
        """)
    let rows = try Row.fetchCursor(statement, arguments: [device, last])
    var found: [ErasableTable.StoredRow] = []
    var size = 0
    while size < Self.stepSize, let row = try rows.next() {
      found.append(
        ErasableTable.StoredRow(
          row: try row.value("row"), device: device, number: try row.value("number"), at: try row.value("at"),
          size: try row.value("size")))
      size += found.last?.size ?? 0
    }
    guard let reached = found.last?.number else { return 0 }
    for row in found { try table.overwrite(row, db) }
    try db.cachedStatement(sql: "UPDATE erasure SET \(table.progress) = ? WHERE device = ?")
      .execute(arguments: [reached, device])
    return found.count
  }

  /// Rebuilds the index of the events if it lacks some of the device's, which SQLite does not notice.
  private func repairJournalIndex(_ db: Database) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT coalesce(count(*) = max(sequence) - min(sequence) + 1, 1)
        FROM journal INDEXED BY sqlite_autoindex_journal_1 WHERE device = ?
        """)
    let isComplete = try StoredIndex.unlessCorrupt { try Bool.fetchOne(statement, arguments: [device]) }
    if isComplete != true { try db.execute(sql: "REINDEX journal") }
  }
}

/// The erasure of removed devices.
extension Erasure {
  /// Removes a device: readers ignore it from now on.
  ///
  /// - Returns: `nil` if there is no such device.
  init?(removing id: DeviceID, _ db: Database) throws {
    guard let number = try DeviceNumbers.find(id, db) else { return nil }
    device = number
    try db.execute(sql: "UPDATE device SET removed = 1 WHERE id = ?", arguments: [number])
    try db.execute(sql: "DELETE FROM wake_schedule WHERE device = ?", arguments: [number])
    try start(isWhole: true, db)
    try repairJournalIndex(db)
  }

  /// Returns the erasure of a removed device that is not complete, if there is one.
  static func unfinished(_ db: Database) throws -> Erasure? {
    try Int64.fetchOne(db, sql: "SELECT device FROM erasure WHERE whole = 1 LIMIT 1").map(Erasure.init(device:))
  }

  /// Erases a part of a removed device in a transaction of its own, and returns whether anything was left.
  func step(_ db: Database) throws -> Bool {
    try db.execute(
      sql: """
        DELETE FROM snapshot WHERE rowid = (SELECT rowid FROM snapshot WHERE device = ? ORDER BY sequence LIMIT 1)
        """, arguments: [device])
    if db.changesCount > 0 { return true }
    if try overwrite(.journal, through: .max, db) > 0 { return true }
    return try overwrite(.decision, through: .max, db) > 0
  }

  /// Erases the name and the parameters of a removed device, of which nothing else is left.
  func finish(_ db: Database) throws {
    for table in ["retention_boundary", "donation_count", "erasure"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE device = ?", arguments: [device])
    }
    let row = try Row.fetchOne(
      db, sql: "SELECT at, length(creation) AS size FROM device WHERE id = ?", arguments: [device])
    guard let row else { throw StoreError(.corrupt, "the row of a removed device is missing") }
    let (at, size): (Int64, Int) = (try row.value("at"), try row.value("size"))
    let checksum = Checksum.of(Array(repeating: 0, count: size), device: device, sequence: 0, at: at)
    try db.execute(
      sql: """
        UPDATE device SET name = printf('%.*c', length(CAST(name AS BLOB)), '-'), creation = zeroblob(?), checksum = ?
        WHERE id = ?
        """, arguments: [size, checksum, device])
    try db.execute(sql: "REINDEX device")
  }
}
