import MarqueeJournal
import MarqueeModel

extension PostgresReading {
  func deviceRows(of ids: [DeviceID], upTo instant: Instant) throws -> [DeviceRows?] {
    try shards.check(ids)
    let names = PostgresValue.texts(ids.map(\.text))
    let upTo = PostgresValue.integer(instant.milliseconds)
    let limits = [RowSelection.pageCountMax, RowSelection.pageSizeMax].map { PostgresValue.integer(Int64($0)) }
    let results = try transaction.run([
      PostgresCall(prepared: "device_creations", DeviceSQL.creations, [names]),
      PostgresCall(prepared: "device_snapshots", DeviceSQL.snapshots, [names, upTo]),
      PostgresCall(prepared: "device_events", DeviceSQL.events, [names, upTo] + limits),
      PostgresCall(prepared: "device_decisions", DeviceSQL.decisions, [names, upTo]),
    ])
    for row in 0..<results[0].count {
      try keys.insert(of: results[0].integer(row, 0), results[0], row, from: 8)
    }
    let snapshots = try byDevice(results[1], .snapshots)
    let events = try byDevice(results[2], .events)
    let decisions = try byDevice(results[3], .decisions)
    var found: [String: DeviceRows] = [:]
    for (row, creation) in try open(results[0], .devices).enumerated() {
      let boundary = try results[0].isNull(row, 5) ? nil : BoundaryRow(results[0], row, from: 5)
      found[try results[0].text(row, 4)] = DeviceRows(
        creation: creation, boundary: boundary, snapshot: snapshots[creation.device]?.first,
        events: events[creation.device] ?? [], lastDecision: decisions[creation.device]?.first)
    }
    return ids.map { found[$0.text] }
  }

  private func byDevice(_ rows: PostgresRows, _ table: SealedTable) throws -> [Int64: [TableRow]] {
    Dictionary(grouping: try open(rows, table), by: \.device)
  }
}

/// The queries for the rows from which devices are loaded, all of which have the names as their first parameter.
private enum DeviceSQL {
  private static let size = PostgresSelection.size("event", .events)
  private static let wanted = "(SELECT * FROM device WHERE name = ANY($1) AND NOT removed) AS device"

  static let creations = """
    SELECT id, 0::bigint, device.at, creation, name, sequence, decision, boundary.at, \(TransactionKeys.columns)
    FROM \(wanted) LEFT JOIN retention_boundary AS boundary ON boundary.device = id
      LEFT JOIN seal ON seal.device = id
    """

  static let snapshots = """
    SELECT newest.* FROM \(wanted) CROSS JOIN LATERAL (
      SELECT device, sequence, at, state FROM snapshot
      WHERE device = id AND at <= $2 ORDER BY sequence DESC LIMIT 1) AS newest
    """

  static let events = """
    SELECT page.device, page.sequence, page.at, page.event FROM \(wanted)
      LEFT JOIN retention_boundary AS boundary ON boundary.device = id
      LEFT JOIN LATERAL (
        SELECT sequence FROM snapshot WHERE device = id AND at <= $2 ORDER BY sequence DESC LIMIT 1) AS newest ON true
      CROSS JOIN LATERAL (
        SELECT *, sum(\(size)) OVER (ORDER BY sequence) - \(size) AS size FROM (
          SELECT * FROM journal
          WHERE device = id AND sequence > coalesce(newest.sequence, boundary.sequence, 0) AND at <= $2
          ORDER BY sequence LIMIT $3) AS counted) AS page
    WHERE page.size < $4 ORDER BY page.device, page.sequence
    """

  static let decisions = """
    SELECT newest.* FROM \(wanted) CROSS JOIN LATERAL (
      SELECT device, number, at, body FROM decision
      WHERE device = id AND at <= $2 ORDER BY number DESC LIMIT 1) AS newest
    """
}
