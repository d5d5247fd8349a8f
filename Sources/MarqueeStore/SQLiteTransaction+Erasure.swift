import GRDB
import MarqueeJournal

/// The erasure of a device's rows. The table `erasure` contains the numbers up to which they have been overwritten; its
/// row of a removed device is marked as `whole`.
extension SQLiteTransaction {
  /// The maximum number of rows that one step overwrites.
  private static let stepCountMax = 8_192
  /// The number of bytes after which a step ends.
  private static let stepSize = 8_388_608

  func beginErasure(of device: Int64, isWhole: Bool) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO erasure (device, sequence, decision, whole) VALUES (?, 0, 0, ?)
        ON CONFLICT (device) DO UPDATE SET whole = excluded.whole
        """
    ).execute(arguments: [device, isWhole])
    try repairJournalIndex(of: device)
  }

  func eraseNextRows(of device: Int64, in rowTable: RowTable, through last: Int64) throws -> Int {
    let table = ErasableTable(rowTable)
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

  func recordErasure(of device: Int64, through sequence: Int64, decision: Int64) throws {
    try db.cachedStatement(
      sql: "UPDATE erasure SET sequence = max(sequence, ?), decision = max(decision, ?) WHERE device = ?"
    ).execute(arguments: [sequence, decision, device])
  }

  /// The name of a device is in no row that moves except in those of two indexes, which are rebuilt.
  func finishErasure(of device: Int64) throws {
    for table in ["retention_boundary", "donation_count", "erasure"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE device = ?", arguments: [device])
    }
    let row = try Row.fetchOne(
      db, sql: "SELECT at, length(creation) AS size FROM device WHERE id = ?", arguments: [device])
    guard let row else { throw JournalError(.corrupt, "the row of a removed device is missing") }
    let (at, size): (Int64, Int) = (try row.value("at"), try row.value("size"))
    let checksum = Checksum.of(Array(repeating: 0, count: size), device: device, sequence: 0, at: at)
    try db.execute(
      sql: """
        UPDATE device SET name = printf('%.*c', length(CAST(name AS BLOB)), '-'), creation = zeroblob(?), checksum = ?
        WHERE id = ?
        """, arguments: [size, checksum, device])
    try db.execute(sql: "REINDEX device")
  }

  /// Rebuilds the index of the events if it lacks some of the device's, which SQLite does not notice.
  private func repairJournalIndex(of device: Int64) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT coalesce(count(*) = max(sequence) - min(sequence) + 1, 1)
        FROM journal INDEXED BY sqlite_autoindex_journal_1 WHERE device = ?
        """)
    let isComplete = try StoredIndex.unlessCorrupt { try Bool.fetchOne(statement, arguments: [device]) }
    if isComplete != true { try db.execute(sql: "REINDEX journal") }
  }
}
