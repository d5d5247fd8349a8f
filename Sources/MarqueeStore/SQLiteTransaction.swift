import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel

/// The changes of the tables in the database's current transaction, on the writer's thread.
final class SQLiteTransaction: SQLiteReading, JournalTransaction {
  let db: Database
  private(set) var numbers: DeviceNumbers
  /// The devices whose entries in the index of the donations are complete.
  private var indexedDevices: Set<Int64> = []

  /// Creates a transaction.
  ///
  /// - Parameters:
  ///   - db: The database, which is inside a transaction.
  ///   - numbers: The row numbers of devices.
  init(_ db: Database, _ numbers: DeviceNumbers = DeviceNumbers()) {
    self.db = db
    self.numbers = numbers
  }

  func write(_ batch: Batch) throws {
    for step in batch.steps {
      switch step {
      case .insert(let rows): try insert(rows)
      case .change(let change): try change(self)
      }
    }
  }

  func number(of id: DeviceID) throws -> Int64? { try numbers.number(of: id, db) }

  func remove(_ id: DeviceID) throws -> Int64? {
    guard let device = try DeviceNumbers.find(id, db) else { return nil }
    try db.execute(sql: "UPDATE device SET removed = 1 WHERE id = ?", arguments: [device])
    try db.execute(sql: "DELETE FROM wake_schedule WHERE device = ?", arguments: [device])
    numbers.remove(id)
    return device
  }

  func setBoundary(_ boundary: BoundaryRow, state: TableRow) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO retention_boundary (device, sequence, decision, at, state, checksum)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      state.device, boundary.sequence, boundary.decision, boundary.at, Data(state.bytes), state.checksum,
    ])
  }

  func deleteSnapshots(of device: Int64, in sequences: ClosedRange<Int64>) throws {
    try db.cachedStatement(sql: "DELETE FROM snapshot WHERE device = ? AND sequence BETWEEN ? AND ?")
      .execute(arguments: [device, sequences.lowerBound, sequences.upperBound])
  }

  func deleteFirstSnapshot(of device: Int64) throws -> Bool {
    try db.execute(
      sql: """
        DELETE FROM snapshot WHERE rowid = (SELECT rowid FROM snapshot WHERE device = ? ORDER BY sequence LIMIT 1)
        """, arguments: [device])
    return db.changesCount > 0
  }

  func keepSnapshot(of device: Int64, _ sequence: Int64, count: Int) throws {
    try db.cachedStatement(sql: "UPDATE snapshot SET stays = 1 WHERE device = ? AND sequence = ?")
      .execute(arguments: [device, sequence])
    try db.cachedStatement(
      sql: """
        UPDATE snapshot SET stays = 0 WHERE device = ? AND stays = 1 AND sequence <=
          (SELECT sequence FROM snapshot WHERE device = ? AND stays = 1 ORDER BY sequence DESC LIMIT 1 OFFSET ?)
        """
    ).execute(arguments: [device, device, count])
  }

  func donatedEvents(
    of device: Int64, after sequence: Int64, before end: Int64, containing needles: [String]
  ) throws -> [TableRow] {
    if indexedDevices.insert(device).inserted, try !DonationIndex.isComplete(for: device, db) {
      try DonationIndex.rebuild(db)
    }
    let statement = try db.makeStatement(sql: DonationIndex.query(needleCount: needles.count))
    let arguments: StatementArguments = [device, sequence, end, RowSelection.pageCountMax]
    return try page(
      statement, arguments + StatementArguments(needles.map { Data($0.utf8) }), sizeMax: RowSelection.pageSizeMax)
  }

  func overwrite(_ row: TableRow, in table: RowTable) throws -> Bool {
    try db.cachedStatement(sql: ErasableTable(table).overwriting).execute(
      arguments: [Data(row.bytes), row.checksum, row.device, row.number])
    return db.changesCount == 1
  }

  func deleteExpiredRows(of table: RowTable) throws -> Int { try ExpiredRows(of: table).remove(db) }
}

extension SQLiteTransaction {
  private func requiredNumber(of id: DeviceID) throws -> Int64 {
    guard let number = try numbers.number(of: id, db) else { throw JournalError.unknownDevice(id) }
    return number
  }

  private func insert(_ rows: Batch.Rows) throws {
    for row in rows.created { try insertDevice(row) }
    for row in rows.events {
      try insert(
        row, "INSERT INTO journal (device, sequence, at, event, checksum) VALUES (?, ?, ?, ?, ?)")
    }
    for decision in rows.decisions { try insert(decision) }
    for row in rows.snapshots { try insertSnapshot(row) }
    for entry in rows.wakes {
      try db.cachedStatement(
        sql: """
          INSERT INTO wake_schedule (device, wake, policy) VALUES (?, ?, ?)
          ON CONFLICT (device) DO UPDATE SET wake = excluded.wake, policy = excluded.policy
          """
      ).execute(arguments: [requiredNumber(of: entry.device), entry.row.wake, entry.row.policy])
    }
  }

  private func insertDevice(_ row: Batch.Row) throws {
    // The checksum covers the device's number, so the number is assigned here and not by SQLite.
    let next = try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(max(id), 0) + 1 FROM device")) ?? 1
    try run(
      "INSERT INTO device (id, name, at, creation, checksum) VALUES (?, ?, ?, ?, ?)",
      [next, row.device.text, row.at, Data(row.bytes), row.checksum(next)], of: row)
  }

  private func insert(_ row: Batch.Row, _ sql: String) throws {
    let device = try requiredNumber(of: row.device)
    try run(sql, [device, row.number, row.at, Data(row.bytes), row.checksum(device)], of: row)
  }

  private func insert(_ decision: Batch.DecisionRow) throws {
    let (row, device) = (decision.row, try requiredNumber(of: decision.row.device))
    try run(
      """
      INSERT INTO decision (device, number, at, stack, body, checksum) SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE device = ?1 AND decision >= ?2)
      ON CONFLICT (device, number) DO NOTHING
      """, [device, row.number, row.at, decision.stack.text, Data(row.bytes), row.checksum(device)], of: row)
  }

  private func insertSnapshot(_ row: Batch.Row) throws {
    let device = try requiredNumber(of: row.device)
    let boundary = try db.cachedStatement(sql: "SELECT 1 FROM retention_boundary WHERE device = ? AND sequence >= ?")
    guard try Int.fetchOne(boundary, arguments: [device, row.number]) == nil else { return }
    try insert(
      row,
      """
      INSERT INTO snapshot (device, sequence, at, state, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (device, sequence) DO NOTHING
      """)
    try run(
      """
      DELETE FROM snapshot WHERE device = ? AND stays = 0 AND sequence % ? <> 0 AND sequence <
        (SELECT sequence FROM snapshot WHERE device = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?)
      """, [device, Batch.Rows.retainedSnapshotStride, device, Batch.Rows.recentSnapshotCount - 1], of: row)
  }

  private func run(_ sql: String, _ arguments: StatementArguments, of row: Batch.Row) throws {
    do {
      try db.cachedStatement(sql: sql).execute(arguments: arguments)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw JournalError(
        .conflict, "record \(row.number) of the device conflicts with a stored record", device: row.device,
        sequence: UInt64(row.number),
        cause: SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue))
    }
  }
}
