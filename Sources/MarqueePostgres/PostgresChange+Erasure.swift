import MarqueeJournal

/// The erasure of a device's rows. The table `erasure` contains the numbers up to which they have been overwritten; its
/// row of a removed device is marked as `whole`.
extension PostgresChange {
  func beginErasure(of device: Int64, isWhole: Bool) throws {
    transaction.add(
      PostgresCall(
        prepared: "begin_erasure",
        """
        INSERT INTO erasure (device, sequence, decision, whole) VALUES ($1, 0, 0, $2 <> 0)
        ON CONFLICT (device) DO UPDATE SET whole = excluded.whole
        """, [.integer(device), .integer(isWhole ? 1 : 0)]))
  }

  func eraseNextRows(of device: Int64, in table: RowTable, through last: Int64) throws -> Int {
    let names = PostgresSelection.Table(table)
    let found = try transaction.run(
      PostgresCall(
        prepared: "erasable_\(names.name)",
        """
        SELECT number, at, size FROM (
          SELECT *, sum(size) OVER (ORDER BY number) - size AS before FROM (
            SELECT \(names.key) AS number, at, length(\(names.bytes)) AS size FROM \(names.name)
            WHERE device = $1 AND \(names.key) <= $2
              AND \(names.key) > (SELECT \(names.progress) FROM erasure WHERE device = $1)
            ORDER BY \(names.key) LIMIT $3) AS counted) AS page
        WHERE before < $4 ORDER BY number
        """,
        [
          .integer(device), .integer(last), .integer(Int64(Self.stepCountMax)), .integer(Int64(Self.stepSize)),
        ]))
    guard found.count > 0 else { return 0 }
    var (numbers, bytes, checksums): ([Int64], [[UInt8]], [Int64]) = ([], [], [])
    for row in 0..<found.count {
      let number = try found.integer(row, 0)
      numbers.append(number)
      bytes.append(Array(repeating: 0, count: Int(try found.integer(row, 2))))
      checksums.append(Checksum.of(bytes[row], device: device, sequence: number, at: try found.integer(row, 1)))
    }
    let other = table == .events ? ", kind = 0" : ", stack = repeat('-', octet_length(stack))"
    transaction.add(
      PostgresCall(
        prepared: "erase_\(names.name)",
        """
        UPDATE \(names.name) AS row SET \(names.bytes) = zeros.bytes, checksum = zeros.checksum\(other)
        FROM unnest($2::bigint[], $3::bytea[], $4::bigint[]) AS zeros(position, bytes, checksum)
        WHERE row.device = $1 AND row.\(names.key) = zeros.position
        """, [.integer(device), .integers(numbers), .byteArrays(bytes), .integers(checksums)]))
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
    let found = try transaction.run(
      PostgresCall(prepared: "creation", "SELECT at, length(creation) FROM device WHERE id = $1", [.integer(device)]))
    guard found.count == 1 else { throw JournalError(.corrupt, "the row of a removed device is missing") }
    let zeros = [UInt8](repeating: 0, count: Int(try found.integer(0, 1)))
    let checksum = Checksum.of(zeros, device: device, sequence: 0, at: try found.integer(0, 0))
    for table in ["retention_boundary", "erasure"] {
      transaction.add(
        PostgresCall(prepared: "finish_\(table)", "DELETE FROM \(table) WHERE device = $1", [.integer(device)]))
    }
    transaction.add(
      PostgresCall(
        prepared: "finish_device",
        "UPDATE device SET name = repeat('-', octet_length(name)), creation = $2, checksum = $3 WHERE id = $1",
        [.integer(device), .bytes(zeros), .integer(checksum)]))
  }
}
