import MarqueeJournal

/// The end of a deletion: what remains of the device is sealed under its next data key, which takes the earlier one's
/// place in the same transaction.
extension PostgresChange {
  /// The number of bytes of rows that are opened and sealed at a time.
  private static let resealedSizeMax = 4_194_304

  private struct Columns {
    let table: SealedTable
    let name: String
    let device: String
    let number: String
    let bytes: String
  }

  private static let sealedColumns = [
    Columns(table: .devices, name: "device", device: "id", number: "0::bigint", bytes: "creation"),
    Columns(table: .events, name: "journal", device: "device", number: "sequence", bytes: "event"),
    Columns(table: .snapshots, name: "snapshot", device: "device", number: "sequence", bytes: "state"),
    Columns(table: .decisions, name: "decision", device: "device", number: "number", bytes: "body"),
    Columns(table: .boundaries, name: "retention_boundary", device: "device", number: "sequence", bytes: "state"),
  ]

  /// Seals all rows of a device under the key that the transaction has made for it, and stores that key.
  func reseal(_ device: Int64) throws {
    for columns in Self.sealedColumns {
      var last: Int64 = -1
      while let next = try resealPage(of: device, columns, after: last) { last = next }
    }
    transaction.add(try keys.storing([device]))
  }

  /// Seals the next rows of a table.
  ///
  /// A row that cannot be opened stays: it is damaged, and remains so without its key.
  ///
  /// - Returns: The number of the last row, or `nil` after the last page.
  private func resealPage(of device: Int64, _ columns: Columns, after last: Int64) throws -> Int64? {
    let found = try transaction.run(
      PostgresCall(
        prepared: "resealed_\(columns.name)",
        """
        SELECT \(columns.device), number, at, bytes FROM (
          SELECT *, sum(length(bytes)) OVER (ORDER BY number) - length(bytes) AS size FROM (
            SELECT \(columns.device), \(columns.number) AS number, at, \(columns.bytes) AS bytes FROM \(columns.name)
            WHERE \(columns.device) = $1 AND \(columns.number) > $2 ORDER BY 2 LIMIT $3) AS counted) AS page
        WHERE size < \(Self.resealedSizeMax) ORDER BY number
        """, [.integer(device), .integer(last), .integer(Int64(RowSelection.pageCountMax))]))
    guard found.count > 0 else { return nil }
    let next = try keys.sealing(device)
    var (numbers, sealed, tags): ([Int64], [[UInt8]], [Int64]) = ([], [], [])
    for row in 0..<found.count {
      let (number, bytes) = (try found.integer(row, 1), try found.bytes(row, 3))
      let key = SealedRow.Key(table: columns.table, device: device, number: number, at: try found.integer(row, 2))
      guard DataKey.generation(of: bytes) != next.generation, let content = try opened(bytes, key) else { continue }
      numbers.append(number)
      sealed.append(try next.seal(content))
      tags.append(content.stack.map { next.tag(ofStack: $0) } ?? 0)
    }
    if !numbers.isEmpty { store(numbers, sealed, tags, of: device, columns) }
    return try found.integer(found.count - 1, 1)
  }

  private func store(_ numbers: [Int64], _ sealed: [[UInt8]], _ tags: [Int64], of device: Int64, _ columns: Columns) {
    let stack = columns.table == .decisions ? ", stack = resealed.tag" : ""
    transaction.add(
      PostgresCall(
        prepared: "reseal_\(columns.name)",
        """
        UPDATE \(columns.name) AS row SET \(columns.bytes) = resealed.bytes\(stack)
        FROM unnest($2::bigint[], $3::bytea[], $4::bigint[]) AS resealed(position, bytes, tag)
        WHERE row.\(columns.device) = $1 AND \(columns.number) = resealed.position
        """, [.integer(device), .integers(numbers), .byteArrays(sealed), .integers(tags)]))
  }
}
