import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A view of the tables in one snapshot of the database.
struct PostgresView: PostgresReading {
  let transaction: PostgresTransaction
  let keys: TransactionKeys
  let shards: OwnedShards

  /// Returns the query for the number of a device.
  static func deviceNumber(_ id: DeviceID) -> PostgresCall {
    PostgresCall(prepared: "device_number", "SELECT id FROM device WHERE name = $1 AND NOT removed", [.text(id.text)])
  }
}

/// The queries of the tables in a transaction, of which each takes one round trip.
protocol PostgresReading: JournalView {
  var transaction: PostgresTransaction { get }
  /// The data keys of the devices, as the transaction sees them.
  var keys: TransactionKeys { get }
  /// The shards whose devices can be read.
  var shards: OwnedShards { get }
}

extension PostgresReading {
  func number(of id: DeviceID) throws -> Int64? {
    try shards.check([id])
    return try firstInteger(PostgresView.deviceNumber(id))
  }

  func rows(_ selection: RowSelection) throws -> [TableRow] {
    var tag: Int64?
    if let stack = selection.stack {
      tag = try keys.seen(selection.device, transaction)?.tag(ofStack: stack.text)
    }
    return try open(transaction.run(PostgresSelection.call(selection, stackTag: tag)), SealedTable(selection.table))
  }

  /// Opens sealed rows, whose first columns are `device`, `number`, `at` and the sealed bytes.
  func open(_ rows: PostgresRows, _ table: SealedTable) throws -> [TableRow] {
    var all: [TableRow] = []
    all.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      let key = SealedRow.Key(
        table: table, device: try rows.integer(row, 0), number: try rows.integer(row, 1), at: try rows.integer(row, 2))
      all.append(try opened(rows.bytes(row, 3), key).map { TableRow($0) } ?? TableRow(damaged: key))
    }
    return all
  }

  /// Returns the row that was sealed, or `nil` if it is damaged.
  func opened(_ sealed: [UInt8], _ key: SealedRow.Key) throws -> SealedRow? {
    guard let generation = DataKey.generation(of: sealed) else { return nil }
    return try keys.opening(key.device, generation: generation, transaction)?.open(sealed, key)
  }

  func boundary(of device: Int64) throws -> BoundaryRow? {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "boundary", "SELECT sequence, decision, at FROM retention_boundary WHERE device = $1",
        [.integer(device)]))
    return try rows.count == 0 ? nil : BoundaryRow(rows, 0, from: 0)
  }

  func boundaryState(of device: Int64) throws -> TableRow? {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "boundary_state",
        "SELECT device, sequence, at, state FROM retention_boundary WHERE device = $1", [.integer(device)]))
    return try open(rows, .boundaries).first
  }

  func lastRedactedDeletion(of device: Int64, after sequence: Int64) throws -> Int64? {
    try firstInteger(
      PostgresCall(
        prepared: "redacted_deletion",
        """
        SELECT max(sequence) FROM journal JOIN snapshot USING (device, sequence)
        WHERE device = $1 AND sequence > $2 AND kind = $3
        """, [.integer(device), .integer(sequence), .integer(Int64(Event.redactedTag))]))
  }

  func lastDeletion(of device: Int64) throws -> Int64? {
    try firstInteger(
      PostgresCall(
        prepared: "last_deletion",
        """
        SELECT greatest(
          coalesce((SELECT max(sequence) FROM snapshot WHERE device = $1 AND stays), 0),
          coalesce((SELECT sequence FROM retention_boundary WHERE device = $1), 0))
        FROM device WHERE id = $1 AND NOT removed
        """, [.integer(device)]))
  }

  func erasure(of device: Int64) throws -> ErasureRow? {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "erasure", "SELECT sequence, decision FROM erasure WHERE device = $1", [.integer(device)]))
    guard rows.count > 0 else { return nil }
    return ErasureRow(sequence: try rows.integer(0, 0), decision: try rows.integer(0, 1))
  }

  func unfinishedErasure() throws -> Int64? {
    try firstInteger(PostgresCall(prepared: "unfinished", "SELECT device FROM erasure WHERE whole LIMIT 1"))
  }

  func wake(of device: Int64) throws -> WakeRow? {
    let rows = try transaction.run(
      PostgresCall(prepared: "wake", "SELECT wake, policy FROM wake_schedule WHERE device = $1", [.integer(device)]))
    guard rows.count > 0 else { return nil }
    return WakeRow(wake: try rows.isNull(0, 0) ? nil : rows.integer(0, 0), policy: try rows.integer(0, 1))
  }

  func names(after name: String, count: Int) throws -> [String] {
    let rows = try transaction.run(
      PostgresCall(
        prepared: "names", "SELECT name FROM device WHERE name > $1 AND NOT removed ORDER BY name LIMIT $2",
        [.text(name), .integer(Int64(count))]))
    return try (0..<rows.count).map { try rows.text($0, 0) }
  }

  /// Returns the first value of the first row; `nil` if there is no row, or it is `NULL`.
  func firstInteger(_ call: PostgresCall) throws(PostgresError) -> Int64? {
    let rows = try transaction.run(call)
    return rows.count == 0 || rows.isNull(0, 0) ? nil : try rows.integer(0, 0)
  }
}

extension BoundaryRow {
  /// Reads the columns `sequence`, `decision` and `at`, the first of which is `column`.
  init(_ rows: PostgresRows, _ row: Int, from column: Int) throws(PostgresError) {
    self.init(
      sequence: try rows.integer(row, column), decision: try rows.integer(row, column + 1),
      at: try rows.integer(row, column + 2))
  }
}
