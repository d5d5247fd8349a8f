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
  ///   - shards: The shards of the devices, whose epochs the rows get.
  /// - Throws: ``JournalError`` `conflict` if a device is unknown, or `notOwned`.
  init(
    _ rows: Batch.Rows, _ numbers: PostgresNumbers, _ keys: TransactionKeys, _ shards: OwnedShards
  ) throws {
    if !rows.created.isEmpty {
      let columns = try Columns(rows.created, .devices, numbers, keys)
      let names = PostgresValue.texts(rows.created.map(\.device.text))
      calls.append(
        PostgresCall(
          prepared: "insert_devices",
          """
          INSERT INTO device (id, at, creation, name, shard)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[])
          """,
          [
            columns.devices, columns.instants, columns.bytes, names,
            .integers(rows.created.map { Int64(shards.shard(of: $0.device).number) }),
          ]))
      calls.append(try keys.storing(rows.created.map { try numbers.number(of: $0.device) }))
    }
    if !rows.events.isEmpty {
      let kinds = PostgresValue.integers(rows.events.map { $0.bytes.first.map { Int64($0) } })
      calls.append(
        PostgresCall(
          prepared: "insert_events",
          """
          INSERT INTO journal (device, sequence, at, event, epoch, kind)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[])
          """, try Columns(rows.events, .events, numbers, keys).all + [Self.epochs(rows.events, shards), kinds]))
    }
    if !rows.decisions.isEmpty { try append(decisions: rows.decisions, numbers, keys, shards) }
    if !rows.snapshots.isEmpty {
      try append(
        snapshots: Columns(rows.snapshots, .snapshots, numbers, keys), Self.epochs(rows.snapshots, shards))
    }
    if !rows.wakes.isEmpty { try append(wakes: rows.wakes, numbers) }
  }

  private mutating func append(
    decisions: [Batch.DecisionRow], _ numbers: PostgresNumbers, _ keys: TransactionKeys, _ shards: OwnedShards
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
        INSERT INTO decision (device, number, at, body, epoch, stack)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[])
          AS added(device, number, at, body, epoch, stack)
        WHERE NOT EXISTS (SELECT FROM erasure WHERE erasure.device = added.device AND decision >= added.number)
        ON CONFLICT (device, number) DO NOTHING
        """, try columns.all + [Self.epochs(decisions.map(\.row), shards), .integers(tags)]))
  }

  private mutating func append(snapshots: Columns, _ epochs: PostgresValue) {
    calls.append(
      PostgresCall(
        prepared: "insert_snapshots",
        """
        INSERT INTO snapshot (device, sequence, at, state, epoch)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
          AS added(device, sequence, at, state, epoch)
        WHERE NOT EXISTS (
          SELECT FROM retention_boundary AS boundary
          WHERE boundary.device = added.device AND boundary.sequence >= added.sequence)
        ON CONFLICT (device, sequence) DO NOTHING
        """, snapshots.all + [epochs]))
    calls.append(
      PostgresCall(
        prepared: "delete_old_snapshots",
        """
        DELETE FROM snapshot USING (SELECT DISTINCT device FROM unnest($1::bigint[]) AS device) AS added
        WHERE snapshot.device = added.device AND NOT stays AND sequence % \(Batch.Rows.retainedSnapshotStride) <> 0
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

  /// Returns the epochs of the shards of rows' devices.
  private static func epochs(_ rows: [Batch.Row], _ shards: OwnedShards) throws(JournalError) -> PostgresValue {
    var epochs: [Int64] = []
    epochs.reserveCapacity(rows.count)
    for row in rows { epochs.append(try shards.epoch(of: row.device)) }
    return .integers(epochs)
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
