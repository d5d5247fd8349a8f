import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A view of the tables in the database's current transaction.
struct SQLiteView: SQLiteReading {
  let db: Database
}

/// The queries of the tables in the database's current transaction.
protocol SQLiteReading: JournalView {
  var db: Database { get }
}

extension SQLiteReading {
  func number(of id: DeviceID) throws -> Int64? { try DeviceNumbers.find(id, db) }

  func deviceRows(of ids: [DeviceID], upTo instant: Instant) throws -> [DeviceRows?] {
    try ids.map { id in
      let statement = try db.cachedStatement(
        sql: "SELECT id, 0, at, creation, checksum FROM device WHERE name = ? AND removed = 0")
      guard let creation = try Row.fetchOne(statement, arguments: [id.text]).map({ try TableRow($0) }) else {
        return nil
      }
      let boundary = try boundary(of: creation.device)
      var snapshots = RowSelection(.snapshots, of: creation.device)
      (snapshots.upTo, snapshots.isDescending, snapshots.countMax) = (instant, true, 1)
      let snapshot = try rows(snapshots).first
      var events = RowSelection(.events, of: creation.device)
      (events.after, events.upTo) = (snapshot?.number ?? boundary?.sequence ?? 0, instant)
      var decisions = RowSelection(.decisions, of: creation.device)
      (decisions.upTo, decisions.isDescending, decisions.countMax) = (instant, true, 1)
      return DeviceRows(
        creation: creation, boundary: boundary, snapshot: snapshot, events: try rows(events),
        lastDecision: try rows(decisions).first)
    }
  }

  func rows(_ selection: RowSelection) throws -> [TableRow] {
    let arguments: StatementArguments = [
      selection.device, selection.after, selection.before, selection.since.milliseconds, selection.upTo.milliseconds,
      selection.countMax,
    ]
    let statement = try db.cachedStatement(sql: SelectionSQL.text(of: selection))
    return try page(statement, arguments + (selection.stack.map { [$0.text] } ?? []), sizeMax: selection.sizeMax)
  }

  /// Returns the rows of a statement, up to the one with which their bytes reach `sizeMax`.
  func page(_ statement: Statement, _ arguments: StatementArguments, sizeMax: Int) throws -> [TableRow] {
    let found = try Row.fetchCursor(statement, arguments: arguments)
    var rows: [TableRow] = []
    var size = 0
    while size < sizeMax, let row = try found.next() {
      let row = try TableRow(row)
      size += row.bytes.count
      rows.append(row)
    }
    return rows
  }

  func boundary(of device: Int64) throws -> BoundaryRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT sequence, decision, at FROM retention_boundary WHERE device = ?")
    return try Row.fetchOne(statement, arguments: [device]).map {
      BoundaryRow(sequence: try $0.value(at: 0), decision: try $0.value(at: 1), at: try $0.value(at: 2))
    }
  }

  func boundaryState(of device: Int64) throws -> TableRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT device, sequence, at, state, checksum FROM retention_boundary WHERE device = ?")
    return try Row.fetchOne(statement, arguments: [device]).map { try TableRow($0) }
  }

  func lastRedactedDeletion(of device: Int64, after sequence: Int64) throws -> Int64? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT max(sequence) FROM journal JOIN snapshot USING (device, sequence)
        WHERE device = ? AND sequence > ? AND substr(event, 1, 1) = ?
        """)
    return try Int64.fetchOne(statement, arguments: [device, sequence, Data([Event.redactedTag])])
  }

  func lastDeletion(of device: Int64) throws -> Int64? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT max(
          coalesce((SELECT max(sequence) FROM snapshot WHERE device = ?1 AND stays = 1), 0),
          coalesce((SELECT sequence FROM retention_boundary WHERE device = ?1), 0))
        FROM device WHERE id = ?1 AND removed = 0
        """)
    return try Int64.fetchOne(statement, arguments: [device])
  }

  func erasure(of device: Int64) throws -> ErasureRow? {
    let statement = try db.cachedStatement(sql: "SELECT sequence, decision FROM erasure WHERE device = ?")
    return try Row.fetchOne(statement, arguments: [device]).map {
      ErasureRow(sequence: try $0.value(at: 0), decision: try $0.value(at: 1))
    }
  }

  func unfinishedErasure() throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT device FROM erasure WHERE whole = 1 LIMIT 1")
  }

  func wake(of device: Int64) throws -> WakeRow? {
    let statement = try db.cachedStatement(sql: "SELECT wake, policy FROM wake_schedule WHERE device = ?")
    return try Row.fetchOne(statement, arguments: [device]).map {
      WakeRow(wake: Int64.fromDatabaseValue($0[0]), policy: try $0.value(at: 1))
    }
  }

  func wakes(
    policy: Int64, of shards: ShardSet?, after name: String, count: Int
  ) throws -> [(name: String, wake: Int64)] {
    guard let shards else { return try wakes(policy: policy, after: name, count: count) }
    // The tables have no shards. Only databases of clusters do, which are not SQLite's.
    var found: [(name: String, wake: Int64)] = []
    var last = name
    while found.count < count {
      let page = try wakes(policy: policy, after: last, count: count)
      guard let next = page.last else { break }
      found += page.filter { shards.contains(name: $0.name) }
      last = next.name
    }
    return Array(found.prefix(count))
  }

  private func wakes(policy: Int64, after name: String, count: Int) throws -> [(name: String, wake: Int64)] {
    let arguments: StatementArguments = [policy, name, count]
    let rows =
      try StoredIndex.unlessCorrupt { try Row.fetchAll(db, sql: SQLiteView.wakeQuery, arguments: arguments) }
      // With a damaged page of the wake schedule, all devices are due at once.
      ?? Row.fetchAll(
        db, sql: "SELECT name, 0 AS wake FROM device WHERE name > ?2 AND removed = 0 AND ?1 ORDER BY name LIMIT ?3",
        arguments: arguments)
    return try rows.map { (try $0.value(at: 0), try $0.value(at: 1)) }
  }

  func names(after name: String, count: Int) throws -> [String] {
    let sql = "SELECT name FROM device WHERE name > ? AND removed = 0 ORDER BY name LIMIT ?"
    return try Row.fetchAll(db, sql: sql, arguments: [name, count]).map { try $0.value(at: 0) }
  }

  func deviceCount(of shards: ShardSet?) throws -> Int {
    guard let shards else { return try Int.fetchOne(db, sql: "SELECT count(*) FROM device WHERE removed = 0") ?? 0 }
    return try names(after: "", count: .max).count { shards.contains(name: $0) }
  }

  func latestInstants(of shards: ShardSet?, count: Int) throws -> [(name: String, at: Int64)] {
    let rows = try Row.fetchAll(
      db, sql: SQLiteView.latestInstantQuery, arguments: [shards == nil ? count : .max]
    ).map { row -> (name: String, at: Int64) in (try row.value(at: 0), try row.value(at: 1)) }
    guard let shards else { return rows }
    return Array(rows.lazy.filter { shards.contains(name: $0.name) }.prefix(count))
  }

  func names(withRowsBefore instant: Instant, of shards: ShardSet?) throws -> [String] {
    let names = try ExpiredRows.all.flatMap { try $0.devices(before: instant, db) }
    guard let shards else { return names }
    return names.filter { shards.contains(name: $0) }
  }
}

extension SQLiteView {
  fileprivate static let wakeQuery = """
    SELECT name, iif(policy = (?1 | coalesce(wake, -1)) & ~(?1 & coalesce(wake, -1)), wake, 0) AS wake
    FROM device LEFT JOIN wake_schedule ON wake_schedule.device = device.id
    WHERE name > ?2 AND removed = 0 AND (wake IS NOT NULL OR policy IS NOT ~?1) ORDER BY name LIMIT ?3
    """

  /// A query for the names of devices, each with the instant of its latest record, the latest first. Expired records,
  /// and those before a restated time, are ignored.
  fileprivate static let latestInstantQuery = """
    SELECT name, max(
      coalesce(boundary.at, device.at),
      coalesce((SELECT at FROM journal WHERE device = id AND sequence > coalesce(boundary.sequence, 0)
        ORDER BY sequence DESC LIMIT 1), 0),
      coalesce((SELECT at FROM snapshot WHERE device = id ORDER BY sequence DESC LIMIT 1), 0),
      coalesce((SELECT at FROM decision WHERE device = id AND number > coalesce(boundary.decision, 0)
        ORDER BY number DESC LIMIT 1), 0)) AS last
    FROM device LEFT JOIN retention_boundary AS boundary ON boundary.device = id
    WHERE removed = 0 ORDER BY last DESC, name LIMIT ?
    """
}
