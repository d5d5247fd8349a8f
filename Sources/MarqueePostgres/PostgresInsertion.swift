import MarqueeJournal

/// The statements that insert the rows of a batch: one for each table, with an array for each column.
struct PostgresInsertion {
  private(set) var calls: [PostgresCall] = []

  /// Creates the statements.
  ///
  /// - Throws: ``JournalError`` `conflict` if a device is unknown.
  init(_ rows: Batch.Rows, _ numbers: PostgresNumbers) throws(JournalError) {
    if !rows.created.isEmpty {
      let columns = try Columns(rows.created, numbers)
      let names = PostgresValue.texts(rows.created.map(\.device.text))
      calls.append(
        PostgresCall(
          prepared: "insert_devices",
          """
          INSERT INTO device (id, at, creation, checksum, name)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::text[])
          """, [columns.devices, columns.instants, columns.bytes, columns.checksums, names]))
    }
    if !rows.events.isEmpty {
      let kinds = PostgresValue.integers(rows.events.map { $0.bytes.first.map { Int64($0) } })
      calls.append(
        PostgresCall(
          prepared: "insert_events",
          """
          INSERT INTO journal (device, sequence, at, event, checksum, kind)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[])
          """, try Columns(rows.events, numbers).all + [kinds]))
    }
    if !rows.decisions.isEmpty {
      let stacks = PostgresValue.texts(rows.decisions.map(\.stack.text))
      calls.append(
        PostgresCall(
          prepared: "insert_decisions", Self.decisions,
          try Columns(rows.decisions.map(\.row), numbers).all + [stacks]))
    }
    if !rows.snapshots.isEmpty { try append(snapshots: Columns(rows.snapshots, numbers)) }
    if !rows.wakes.isEmpty { try append(wakes: rows.wakes, numbers) }
  }

  private static let decisions = """
    INSERT INTO decision (device, number, at, body, checksum, stack)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::text[])
      AS added(device, number, at, body, checksum, stack)
    WHERE NOT EXISTS (SELECT FROM erasure WHERE erasure.device = added.device AND decision >= added.number)
    ON CONFLICT (device, number) DO NOTHING
    """

  private mutating func append(snapshots: Columns) {
    calls.append(
      PostgresCall(
        prepared: "insert_snapshots",
        """
        INSERT INTO snapshot (device, sequence, at, state, checksum)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
          AS added(device, sequence, at, state, checksum)
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
    let bytes: PostgresValue
    let checksums: PostgresValue

    /// All columns, in the order of the properties.
    var all: [PostgresValue] { [devices, rowNumbers, instants, bytes, checksums] }

    init(_ rows: [Batch.Row], _ numbers: PostgresNumbers) throws(JournalError) {
      var devices: [Int64] = []
      for row in rows { devices.append(try numbers.number(of: row.device)) }
      self.devices = .integers(devices)
      rowNumbers = .integers(rows.map(\.number))
      instants = .integers(rows.map(\.at))
      bytes = .byteArrays(rows.map(\.bytes))
      checksums = .integers(zip(rows, devices).map { $0.checksum($1) })
    }
  }
}
