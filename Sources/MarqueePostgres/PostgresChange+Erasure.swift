import MarqueeJournal

/// The erasure of a device's rows. The table `erasure` contains the numbers up to which they have been erased; its row
/// of a removed device is marked as `whole`.
///
/// Rows are replaced or deleted, and what remains of a device is sealed under another key: PostgreSQL keeps the earlier
/// bytes in its files, but no longer the key.
extension PostgresChange {
  func beginErasure(of device: Int64, isWhole: Bool) throws {
    if !isWhole { try keys.replace(device, transaction) }
    transaction.add(
      PostgresCall(
        prepared: "begin_erasure",
        """
        INSERT INTO erasure (device, sequence, decision, whole) VALUES ($1, 0, 0, $2 <> 0)
        ON CONFLICT (device) DO UPDATE SET whole = excluded.whole
        """, [.integer(device), .integer(isWhole ? 1 : 0)]))
  }

  /// Replaces the next rows by ones with a single zero. Deletes those of a removed device, whose key is gone.
  func eraseNextRows(of device: Int64, in table: RowTable, through last: Int64) throws -> Int {
    let names = PostgresSelection.Table(table)
    let found = try transaction.run(
      PostgresCall(
        prepared: "erasable_\(names.name)",
        """
        SELECT row.\(names.key), row.at, whole FROM \(names.name) AS row JOIN erasure USING (device)
        WHERE device = $1 AND row.\(names.key) <= $2
          AND row.\(names.key) > CASE WHEN whole THEN 0 ELSE erasure.\(names.progress) END
        ORDER BY row.\(names.key) LIMIT $3
        """, [.integer(device), .integer(last), .integer(Int64(Self.stepCountMax))]))
    guard found.count > 0 else { return 0 }
    let numbers = try (0..<found.count).map { try found.integer($0, 0) }
    if try found.integer(0, 2) != 0 {
      transaction.add(
        PostgresCall(
          prepared: "erase_whole_\(names.name)",
          "DELETE FROM \(names.name) WHERE device = $1 AND \(names.key) <= $2",
          [.integer(device), .integer(numbers[numbers.count - 1])]))
      return found.count
    }
    let sealed = try numbers.enumerated().map { row, number in
      let at = try found.integer(row, 1)
      let checksum = Checksum.of([0], device: device, sequence: number, at: at)
      let erased = TableRow(device: device, number: number, at: at, bytes: [0], checksum: checksum)
      return try self.sealed(erased, SealedTable(table), stack: table == .decisions ? Self.erasedStack : nil)
    }
    let other = table == .events ? ", kind = 0" : ", stack = 0"
    transaction.add(
      PostgresCall(
        prepared: "erase_\(names.name)",
        """
        UPDATE \(names.name) AS row SET \(names.bytes) = zeros.bytes\(other)
        FROM unnest($2::bigint[], $3::bytea[]) AS zeros(position, bytes)
        WHERE row.device = $1 AND row.\(names.key) = zeros.position
        """, [.integer(device), .integers(numbers), .byteArrays(sealed)]))
    transaction.add(
      PostgresCall(
        prepared: "erased_\(names.name)", "UPDATE erasure SET \(names.progress) = $2 WHERE device = $1",
        [.integer(device), .integer(numbers[numbers.count - 1])]))
    return found.count
  }

  func recordErasure(of device: Int64, through sequence: Int64, decision: Int64) throws {
    transaction.add(
      PostgresCall(
        prepared: "record_erasure",
        """
        UPDATE erasure SET sequence = greatest(sequence, $2), decision = greatest(decision, $3) WHERE device = $1
        """, [.integer(device), .integer(sequence), .integer(decision)]))
  }

  func finishErasure(of device: Int64) throws {
    for (table, key) in [("retention_boundary", "device"), ("erasure", "device"), ("device", "id")] {
      transaction.add(
        PostgresCall(prepared: "finish_\(table)", "DELETE FROM \(table) WHERE \(key) = $1", [.integer(device)]))
    }
  }
}
