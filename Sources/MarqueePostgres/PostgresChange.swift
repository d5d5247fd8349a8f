import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// The transaction that writes a batch, on the writer's thread.
final class PostgresChange: PostgresReading, JournalTransaction {
  let transaction: PostgresTransaction
  private let numbers: PostgresNumbers

  init(_ transaction: PostgresTransaction, _ numbers: PostgresNumbers) {
    self.transaction = transaction
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

  func number(of id: DeviceID) throws -> Int64? {
    if let known = numbers.known(id) { return known }
    return try firstInteger(PostgresView.deviceNumber(id))
  }

  /// Adds the rows to the statements of the next round trip.
  private func insert(_ rows: Batch.Rows) throws {
    try numbers.prepare(for: rows, transaction)
    for call in try PostgresInsertion(rows, numbers).calls { transaction.add(call) }
  }

  func remove(_ id: DeviceID) throws -> Int64? {
    let removed = try firstInteger(
      PostgresCall(
        prepared: "remove", "UPDATE device SET removed = true WHERE name = $1 AND NOT removed RETURNING id",
        [.text(id.text)]))
    numbers.remove(id)
    guard let removed else { return nil }
    transaction.add(
      PostgresCall(prepared: "remove_wake", "DELETE FROM wake_schedule WHERE device = $1", [.integer(removed)]))
    return removed
  }

  func setBoundary(_ boundary: BoundaryRow, state: TableRow) throws {
    transaction.add(
      PostgresCall(
        prepared: "set_boundary",
        """
        INSERT INTO retention_boundary (device, sequence, decision, at, state, checksum) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (device) DO UPDATE SET sequence = excluded.sequence, decision = excluded.decision,
          at = excluded.at, state = excluded.state, checksum = excluded.checksum
        """,
        [
          .integer(state.device), .integer(boundary.sequence), .integer(boundary.decision), .integer(boundary.at),
          .bytes(state.bytes), .integer(state.checksum),
        ]))
  }

  func deleteSnapshots(of device: Int64, in sequences: ClosedRange<Int64>) throws {
    transaction.add(
      PostgresCall(
        prepared: "delete_snapshots", "DELETE FROM snapshot WHERE device = $1 AND sequence BETWEEN $2 AND $3",
        [.integer(device), .integer(sequences.lowerBound), .integer(sequences.upperBound)]))
  }

  func deleteFirstSnapshot(of device: Int64) throws -> Bool {
    let deleted = try transaction.run(
      PostgresCall(
        prepared: "delete_first_snapshot",
        """
        DELETE FROM snapshot WHERE device = $1
          AND sequence = (SELECT min(sequence) FROM snapshot WHERE device = $1)
        """, [.integer(device)]))
    return deleted.changedCount > 0
  }

  func keepSnapshot(of device: Int64, _ sequence: Int64, count: Int) throws {
    transaction.add(
      PostgresCall(
        prepared: "keep_snapshot", "UPDATE snapshot SET stays = true WHERE device = $1 AND sequence = $2",
        [.integer(device), .integer(sequence)]))
    transaction.add(
      PostgresCall(
        prepared: "end_exemptions",
        """
        UPDATE snapshot SET stays = false WHERE device = $1 AND stays AND sequence <=
          (SELECT sequence FROM snapshot WHERE device = $1 AND stays ORDER BY sequence DESC LIMIT 1 OFFSET $2)
        """, [.integer(device), .integer(Int64(count))]))
  }

  func donatedEvents(
    of device: Int64, after sequence: Int64, before end: Int64, containing needles: [String]
  ) throws -> [TableRow] {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "donated_events",
        """
        SELECT device, sequence, at, event, checksum FROM (
          SELECT *, sum(length(event)) OVER (ORDER BY sequence) - length(event) AS size FROM (
            SELECT * FROM journal WHERE device = $1 AND sequence > $2 AND sequence < $3 AND kind = \(Event.donatedTag)
              AND (cardinality($4::bytea[]) = 0
                OR EXISTS (SELECT FROM unnest($4::bytea[]) AS needle WHERE position(needle IN event) > 0))
            ORDER BY sequence LIMIT $5) AS counted) AS page
        WHERE size < $6 ORDER BY sequence
        """,
        [
          .integer(device), .integer(sequence), .integer(end), .byteArrays(needles.map { [UInt8]($0.utf8) }),
          .integer(Int64(RowSelection.pageCountMax)), .integer(Int64(RowSelection.pageSizeMax)),
        ]))
    return try TableRow.all(in: rows)
  }

  /// Replaces the bytes of a row. PostgreSQL keeps the earlier ones in its files: in the table until the next vacuum,
  /// and in the write-ahead log.
  func overwrite(_ row: TableRow, in table: RowTable) throws -> Bool {
    let names = PostgresSelection.Table(table)
    let kind: [PostgresValue] = table == .events ? [.integer(row.kind)] : []
    let changed = try transaction.run(
      PostgresCall(
        prepared: "overwrite_\(names.name)",
        """
        UPDATE \(names.name) SET \(names.bytes) = $3, checksum = $4\(kind.isEmpty ? "" : ", kind = $5")
        WHERE device = $1 AND \(names.key) = $2
        """,
        [.integer(row.device), .integer(row.number), .bytes(row.bytes), .integer(row.checksum)] + kind))
    return changed.changedCount == 1
  }

  func deleteExpiredRows(of table: RowTable) throws -> Int {
    let names = PostgresSelection.Table(table)
    let (key, countMax) = (names.key, Self.stepCountMax)
    return try transaction.run(
      PostgresCall(
        prepared: "delete_expired_\(names.name)",
        """
        WITH expired AS (
          SELECT row.device, row.\(key) FROM retention_boundary AS boundary CROSS JOIN LATERAL (
            SELECT device, \(key) FROM \(names.name)
            WHERE device = boundary.device AND \(key) <= boundary.\(names.progress)
            ORDER BY \(key) LIMIT \(countMax)) AS row
          UNION ALL
          SELECT row.device, row.\(key) FROM device CROSS JOIN LATERAL (
            SELECT device, \(key) FROM \(names.name) WHERE device = device.id ORDER BY \(key) LIMIT \(countMax)) AS row
          WHERE device.removed AND NOT EXISTS (SELECT FROM erasure WHERE erasure.device = device.id)
          LIMIT \(countMax))
        DELETE FROM \(names.name) AS row USING expired WHERE row.device = expired.device AND row.\(key) = expired.\(key)
        """)
    ).changedCount
  }

  /// The maximum number of rows that one step overwrites or deletes.
  static let stepCountMax = 8_192
  /// The number of bytes after which a step of an erasure ends.
  static let stepSize = 8_388_608
}

extension TableRow {
  /// The tag of an event.
  var kind: Int64 { bytes.first.map { Int64($0) } ?? 0 }
}
