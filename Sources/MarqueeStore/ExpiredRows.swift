import Foundation
import GRDB
import MarqueeModel

/// The rows past retention at the beginning of an append-only table.
///
/// They are deleted from the beginning of the table, so that SQLite rebalances only pages of expired rows: retained
/// rows never move, and leave no copies that a later redaction would miss (rule D5). For the same reason the last
/// expired rows stay, and all expired rows are overwritten with zeros before any is deleted.
struct ExpiredRows {
  /// The events and the decisions up to the devices' retention boundaries.
  static let all = [
    ExpiredRows(table: "journal", key: "sequence", bytes: "event", test: "row.sequence <= boundary.sequence"),
    ExpiredRows(table: "decision", key: "number", bytes: "body", test: "row.number <= boundary.decision"),
  ]

  /// The maximum number of rows that one step examines.
  private static let rowCountMax = 8_192
  /// The bytes of expired rows on B-tree pages that are retained: those of at least 8 pages. SQLite rebalances at most
  /// three pages at a time.
  private static let keptSize = 32_768
  /// The bytes on B-tree pages after which a step ends.
  private static let stepSize = 262_144
  /// The total bytes after which a step ends if it has found more than ``keptSize``.
  private static let totalSizeMax = 8_388_608
  /// The maximum number of bytes of a row in addition to its event or decision.
  private static let otherSizeMax = 300

  private let table: String
  private let key: String
  private let bytes: String
  private let test: String

  private struct ExpiredRow {
    let row: Int64
    let device: Int64
    let number: Int64
    let at: Int64
    let size: Int

    /// Returns the minimum number of the row's bytes on a B-tree page. SQLite moves the others of a row that does not
    /// fit to overflow pages. (https://www.sqlite.org/fileformat2.html, 1.6 B-tree Pages.)
    func localSize(_ pageSize: Int) -> Int {
      size + ExpiredRows.otherSizeMax > pageSize - 35 ? (pageSize - 12) * 32 / 255 - 23 : size
    }
  }

  /// Returns the names of devices with rows before `instant` that are not yet expired, among the rows of one step.
  func devices(before instant: Instant, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT DISTINCT device.name
        FROM (SELECT rowid, * FROM \(table) ORDER BY rowid LIMIT \(Self.rowCountMax)) AS row
        JOIN device ON device.id = row.device LEFT JOIN retention_boundary AS boundary ON boundary.device = row.device
        WHERE row.at < ? AND NOT coalesce(\(test), 0)
        """, arguments: [instant.milliseconds])
  }

  /// Deletes the rows of one step, in a transaction of its own, and returns their number.
  func remove(_ db: Database) throws -> Int {
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? Store.pageSize
    let expired = try expiredRows(pageSize, db)
    var size = 0
    let keptCount = expired.reversed().prefix { row in
      defer { size += row.localSize(pageSize) }
      return size < Self.keptSize
    }.count
    guard let last = expired.dropLast(keptCount).last else { return 0 }
    for row in expired { try overwrite(row, db) }
    try db.cachedStatement(sql: "DELETE FROM \(table) WHERE rowid <= ?").execute(arguments: [last.row])
    return expired.count - keptCount
  }

  private func expiredRows(_ pageSize: Int, _ db: Database) throws -> [ExpiredRow] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT row.rowid AS row, row.device, row.\(key) AS number, row.at, length(row.\(bytes)) AS size,
          iif(\(test), 1, 0) AS isExpired
        FROM \(table) AS row LEFT JOIN retention_boundary AS boundary ON boundary.device = row.device
        ORDER BY row.rowid LIMIT \(Self.rowCountMax)
        """)
    var expired: [ExpiredRow] = []
    var (localSize, totalSize) = (0, 0)
    while let row = try rows.next(), try row.value("isExpired") == Int64(1) {
      expired.append(
        ExpiredRow(
          row: try row.value("row"), device: try row.value("device"), number: try row.value("number"),
          at: try row.value("at"), size: try row.value("size")))
      localSize += expired.last?.localSize(pageSize) ?? 0
      totalSize += expired.last?.size ?? 0
      if localSize >= Self.stepSize || localSize >= 2 * Self.keptSize && totalSize >= Self.totalSizeMax { break }
    }
    return expired
  }

  private func overwrite(_ row: ExpiredRow, _ db: Database) throws {
    let zeros = Array(repeating: UInt8(0), count: row.size)
    let checksum = Checksum.of(zeros, device: row.device, sequence: row.number, at: row.at)
    try db.cachedStatement(
      sql: "UPDATE \(table) SET \(bytes) = zeroblob(?1), checksum = ?2 WHERE rowid = ?3 AND \(bytes) <> zeroblob(?1)"
    ).execute(arguments: [row.size, checksum, row.row])
  }
}
