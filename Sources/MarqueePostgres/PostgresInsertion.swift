import MarqueeJournal

/// The statements that insert the rows of a batch: one for each table, with an array for each column.
struct PostgresInsertion {
  private(set) var calls: [PostgresCall] = []

  /// Creates the statements.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - numbers: The numbers of their devices.
  ///   - keys: The data keys of their devices.
  /// - Throws: ``JournalError`` `conflict` if a device is unknown.
  init(_ rows: Batch.Rows, _ numbers: PostgresNumbers, _ keys: TransactionKeys) throws {
    if !rows.created.isEmpty {
      let columns = try Columns(rows.created, .devices, numbers, keys)
      let names = PostgresValue.texts(rows.created.map(\.device.text))
      calls.append(
        PostgresCall(
          prepared: "insert_devices",
          """
          INSERT INTO device (id, at, creation, name)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[])
          """, [columns.devices, columns.instants, columns.bytes, names]))
      calls.append(try keys.storing(rows.created.map { try numbers.number(of: $0.device) }))
    }
    if !rows.events.isEmpty {
      let kinds = PostgresValue.integers(rows.events.map { $0.bytes.first.map { Int64($0) } })
      calls.append(
        PostgresCall(
          prepared: "insert_events",
          """
          INSERT INTO journal (device, sequence, at, event, kind)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
          """, try Columns(rows.events, .events, numbers, keys).all + [kinds]))
    }
    if !rows.decisions.isEmpty { try append(decisions: rows.decisions, numbers, keys) }
    if !rows.snapshots.isEmpty { try append(snapshots: Columns(rows.snapshots, .snapshots, numbers, keys)) }
    if !rows.wakes.isEmpty { try append(wakes: rows.wakes, numbers) }
  }

  private mutating func append(
    decisions: [Batch.DecisionRow], _ numbers: PostgresNumbers, _ keys: TransactionKeys
  ) throws {
    let stacks = decisions.map(\.stack.text)
    let columns = try Columns(decisions.map(\.row), .decisions, numbers, keys, stacks: stacks)
    let tags = try decisions.map {
      try keys.sealing(numbers.number(of: $0.row.device)).tag(ofStack: $0.stack.text)
    }
    calls.append(
      PostgresCall(
        prepared: "insert_decisions",
        """
        INSERT INTO decision (device, number, at, body, stack)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
          AS added(device, number, at, body, stack)
        WHERE NOT EXISTS (SELECT FROM erasure WHERE erasure.device = added.device AND decision >= added.number)
        ON CONFLICT (device, number) DO NOTHING
        """, columns.all + [.integers(tags)]))
  }

  private mutating func append(snapshots: Columns) {
    calls.append(
      PostgresCall(
        prepared: "insert_snapshots",
        """
        INSERT INTO snapshot (device, sequence, at, state)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[])
          AS added(device, sequence, at, state)
        WHERE NOT EXISTS (
          SELECT FROM retention_boundary AS boundary
          WHERE boundary.device = added.device AND boundary.sequence >= added.sequence)
        ON CONFLICT (device, sequence) DO NOTHING
        """, snapshots.all))
    calls.append(
      PostgresCall(
        prepared: "delete_old_snapshots",
        """
        DELETE FROM snapshot USING (SELECT DISTINCT device FROM unnest($1::bigint[]) AS device) AS added
        WHERE snapshot.device = added.device AND NOT stays AND sequence % \(Batch.Rows.snapshotStride) <> 0
          AND sequence < (
            SELECT recent.sequence FROM snapshot AS recent WHERE recent.device = added.device
            ORDER BY recent.sequence DESC LIMIT 1 OFFSET \(Batch.Rows.recentSnapshotCount - 1))
        """, [snapshots.devices]))
  }

  private mutating func append(wakes: [Batch.WakeEntry], _ numbers: PostgresNumbers) throws(JournalError) {
    // The statement can change a row once.
    var last: [Int64: WakeRow] = [:]
    for entry in wakes { last[try numbers.number(of: entry.device)] = entry.row }
    let rows = last.sorted { $0.key < $1.key }
    calls.append(
      PostgresCall(
        prepared: "insert_wakes",
        """
        INSERT INTO wake_schedule (device, wake, policy)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
        ON CONFLICT (device) DO UPDATE SET wake = excluded.wake, policy = excluded.policy
        """,
        [.integers(rows.map(\.key)), .integers(rows.map(\.value.wake)), .integers(rows.map(\.value.policy))]))
  }

  /// The columns that all encoded rows have.
  private struct Columns {
    let devices: PostgresValue
    let rowNumbers: PostgresValue
    let instants: PostgresValue
    /// The sealed rows.
    let bytes: PostgresValue

    /// All columns, in the order of the properties.
    var all: [PostgresValue] { [devices, rowNumbers, instants, bytes] }

    init(
      _ rows: [Batch.Row], _ table: SealedTable, _ numbers: PostgresNumbers, _ keys: TransactionKeys,
      stacks: [String]? = nil
    ) throws {
      var devices: [Int64] = []
      var sealed: [[UInt8]] = []
      for (index, row) in rows.enumerated() {
        let device = try numbers.number(of: row.device)
        devices.append(device)
        let key = SealedRow.Key(table: table, device: device, number: row.number, at: row.at)
        let content = SealedRow(key, row.bytes, checksum: row.checksum(device), stack: stacks?[index])
        sealed.append(try keys.sealing(device).seal(content))
      }
      self.devices = .integers(devices)
      rowNumbers = .integers(rows.map(\.number))
      instants = .integers(rows.map(\.at))
      bytes = .byteArrays(sealed)
    }
  }
}
