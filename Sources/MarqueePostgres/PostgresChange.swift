import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// The transaction that writes a batch, on the writer's thread.
final class PostgresChange: PostgresReading, JournalTransaction {
  let transaction: PostgresTransaction
  let keys: TransactionKeys
  let shards: OwnedShards
  private let numbers: PostgresNumbers
  /// Whether the batch removes content, of which snapshots and boundaries that it replaces have some.
  private var isErasure = false

  init(
    _ transaction: PostgresTransaction, _ numbers: PostgresNumbers, _ keys: TransactionKeys, _ shards: OwnedShards
  ) {
    self.keys = keys
    self.shards = shards
    self.transaction = transaction
    self.numbers = numbers
  }

  func write(_ batch: Batch) throws {
    isErasure = batch.isErasure
    for step in batch.steps {
      switch step {
      case .insert(let rows): try insert(rows)
      case .change(let change): try change(self)
      }
    }
    for device in keys.replaced { try reseal(device) }
  }

  func number(of id: DeviceID) throws -> Int64? {
    try shards.check([id])
    if let known = numbers.known(id) { return known }
    return try firstInteger(PostgresView.deviceNumber(id))
  }

  /// Adds the rows to the statements of the next round trip.
  private func insert(_ rows: Batch.Rows) throws {
    try shards.check(rows)
    try numbers.prepare(for: rows, keys, transaction)
    for call in try PostgresInsertion(rows, numbers, keys, shards).calls { transaction.add(call) }
  }

  func remove(_ id: DeviceID) throws -> Int64? {
    try shards.check([id])
    let removed = try firstInteger(
      PostgresCall(
        prepared: "remove", "UPDATE device SET removed = true WHERE name = $1 AND NOT removed RETURNING id",
        [.text(id.text)]))
    numbers.remove(id)
    guard let removed else { return nil }
    for table in ["wake_schedule", "seal"] {
      transaction.add(
        PostgresCall(prepared: "remove_\(table)", "DELETE FROM \(table) WHERE device = $1", [.integer(removed)]))
    }
    keys.remove(removed)
    return removed
  }

  func setBoundary(_ boundary: BoundaryRow, state: TableRow) throws {
    if isErasure { try keys.replace(state.device, transaction) }
    try keys.prepare([state.device], transaction)
    transaction.add(
      PostgresCall(
        prepared: "set_boundary",
        """
        INSERT INTO retention_boundary (device, sequence, decision, at, state) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (device) DO UPDATE SET sequence = excluded.sequence, decision = excluded.decision,
          at = excluded.at, state = excluded.state
        """,
        [
          .integer(state.device), .integer(boundary.sequence), .integer(boundary.decision), .integer(boundary.at),
          .bytes(try sealed(state, .boundaries)),
        ]))
  }

  func deleteSnapshots(of device: Int64, in sequences: ClosedRange<Int64>) throws {
    if isErasure { try keys.replace(device, transaction) }
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
    let needles = needles.map { Array($0.utf8) }
    var selection = RowSelection(.events, of: device)
    (selection.after, selection.before) = (sequence, end)
    var found: [TableRow] = []
    while true {
      let page = try open(transaction.run(Self.donatedEvents(selection)), .events)
      // A damaged row may contain anything.
      found += page.filter { row in
        needles.isEmpty || row.bytes.isEmpty || needles.contains { row.bytes.containsSequence($0) }
      }
      guard let last = page.last, !selection.isFull(found) else { return found }
      selection.after = last.number
    }
  }

  private static func donatedEvents(_ selection: RowSelection) -> PostgresCall {
    let size = PostgresSelection.size("event", .events)
    return PostgresCall(
      prepared: "donated_events",
      """
      SELECT device, sequence, at, event FROM (
        SELECT *, sum(\(size)) OVER (ORDER BY sequence) - \(size) AS size FROM (
          SELECT * FROM journal WHERE device = $1 AND sequence > $2 AND sequence < $3 AND kind = \(Event.donatedTag)
          ORDER BY sequence LIMIT $4) AS counted) AS page
      WHERE size < $5 ORDER BY sequence
      """,
      [
        .integer(selection.device), .integer(selection.after), .integer(selection.before),
        .integer(Int64(selection.countMax)), .integer(Int64(selection.sizeMax)),
      ])
  }

  /// Replaces the bytes of a row, under the device's next data key.
  func overwrite(_ row: TableRow, in table: RowTable) throws -> Bool {
    try keys.replace(row.device, transaction)
    let names = PostgresSelection.Table(table)
    var (stack, column, other): (String?, String, [PostgresValue]) = (nil, "", [])
    switch table {
    case .events: (column, other) = (", kind = $4", [.integer(row.kind)])
    case .decisions:
      let name = try self.stack(of: row)
      (stack, column) = (name, ", stack = $4")
      other = [.integer(try keys.sealing(row.device).tag(ofStack: name))]
    case .snapshots: break
    }
    let changed = try transaction.run(
      PostgresCall(
        prepared: "overwrite_\(names.name)",
        "UPDATE \(names.name) SET \(names.bytes) = $3\(column) WHERE device = $1 AND \(names.key) = $2",
        [
          .integer(row.device), .integer(row.number),
          .bytes(try sealed(row, SealedTable(table), stack: stack)),
        ] + other))
    return changed.changedCount == 1
  }

  /// Returns the stack of a stored decision.
  private func stack(of row: TableRow) throws -> String {
    var selection = RowSelection(.decisions, of: row.device)
    (selection.after, selection.before) = (row.number - 1, row.number + 1)
    return try rows(selection).first?.stack ?? Self.erasedStack
  }

  /// Returns a row sealed under the device's newest key.
  func sealed(_ row: TableRow, _ table: SealedTable, stack: String? = nil) throws -> [UInt8] {
    let key = SealedRow.Key(table: table, device: row.device, number: row.number, at: row.at)
    return try keys.sealing(row.device).seal(
      SealedRow(key, row.bytes, checksum: row.checksum, stack: stack ?? row.stack))
  }

  /// Deletes some of the expired rows. A removed device whose erasure is complete has none.
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
          LIMIT \(countMax))
        DELETE FROM \(names.name) AS row USING expired WHERE row.device = expired.device AND row.\(key) = expired.\(key)
        """)
    ).changedCount
  }

  /// The maximum number of rows that one step overwrites or deletes.
  static let stepCountMax = 8_192
  /// The stack of an erased decision.
  static let erasedStack = "-"
}

extension TableRow {
  /// The tag of an event.
  var kind: Int64 { bytes.first.map { Int64($0) } ?? 0 }
}

extension [UInt8] {
  /// Returns whether the bytes contain others one after the other.
  fileprivate func containsSequence(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    return withUnsafeBytes { bytes in
      needle.withUnsafeBytes { needle in
        var start = 0
        while start + needle.count <= bytes.count {
          guard let found = bytes[start...(bytes.count - needle.count)].firstIndex(of: first) else { return false }
          if bytes[found...].starts(with: needle) { return true }
          start = found + 1
        }
        return false
      }
    }
  }
}
