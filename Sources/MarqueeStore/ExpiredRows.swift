import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel

/// The rows past retention at the beginning of an append-only table.
///
/// They are deleted from the beginning of the table, so that SQLite rebalances only pages of expired rows: retained
/// rows never move, and leave no copies that a later redaction would miss (rule D5). For the same reason the last
/// expired rows stay, and all expired rows are overwritten with zeros before any is deleted.
struct ExpiredRows {
  /// The events and the decisions up to the devices' retention boundaries, and those of removed devices after their
  /// erasure.
  static let all = [ExpiredRows(of: .events), ExpiredRows(of: .decisions)]

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

  private let table: ErasableTable
  /// The condition of rows up to the boundary; `NULL` without a boundary.
  private let test: String

  /// Creates the expired rows of the table of events or decisions.
  init(of rowTable: RowTable) {
    table = ErasableTable(rowTable)
    test = "row.\(table.key) <= boundary.\(table.progress)"
  }

  /// Returns the minimum number of a row's bytes on a B-tree page. SQLite moves the others of a row that does not fit
  /// to overflow pages. (https://www.sqlite.org/fileformat2.html, 1.6 B-tree Pages.)
  private static func localSize(_ row: ErasableTable.StoredRow, _ pageSize: Int) -> Int {
    row.size + otherSizeMax > pageSize - 35 ? (pageSize - 12) * 32 / 255 - 23 : row.size
  }

  /// Returns the names of devices with rows before `instant` that are not yet expired, among the rows of one step.
  func devices(before instant: Instant, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT DISTINCT device.name
        FROM (SELECT rowid, * FROM \(table.name) ORDER BY rowid LIMIT \(Self.rowCountMax)) AS row
        JOIN device ON device.id = row.device LEFT JOIN retention_boundary AS boundary ON boundary.device = row.device
        WHERE row.at < ? AND device.removed = 0 AND NOT coalesce(\(test), 0)
        """, arguments: [instant.milliseconds])
  }

  /// Deletes the rows of one step, in a transaction of its own, and returns their number.
  func remove(_ db: Database) throws -> Int {
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? Store.pageSize
    let expired = try expiredRows(pageSize, db)
    var size = 0
    let keptCount = expired.reversed().prefix { row in
      defer { size += Self.localSize(row, pageSize) }
      return size < Self.keptSize
    }.count
    guard let last = expired.dropLast(keptCount).last else { return 0 }
    for row in expired { try table.overwrite(row, db) }
    try db.cachedStatement(sql: "DELETE FROM \(table.name) WHERE rowid <= ?").execute(arguments: [last.row])
    return expired.count - keptCount
  }

  private func expiredRows(_ pageSize: Int, _ db: Database) throws -> [ErasableTable.StoredRow] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT row.rowid AS row, row.device, row.\(table.key) AS number, row.at, length(row.\(table.bytes)) AS size,
          iif(\(test) OR device.removed = 1 AND erasure.device IS NULL, 1, 0) AS isExpired
        FROM \(table.name) AS row LEFT JOIN device ON device.id = row.device
          LEFT JOIN erasure ON erasure.device = row.device
          LEFT JOIN retention_boundary AS boundary ON boundary.device = row.device
        ORDER BY row.rowid LIMIT \(Self.rowCountMax)
        """)
    var expired: [ErasableTable.StoredRow] = []
    var (localSize, totalSize) = (0, 0)
    while let row = try rows.next(), try row.value("isExpired") == Int64(1) {
      expired.append(
        ErasableTable.StoredRow(
          row: try row.value("row"), device: try row.value("device"), number: try row.value("number"),
          at: try row.value("at"), size: try row.value("size")))
      localSize += expired.last.map { Self.localSize($0, pageSize) } ?? 0
      totalSize += expired.last?.size ?? 0
      if localSize >= Self.stepSize || localSize >= 2 * Self.keptSize && totalSize >= Self.totalSizeMax { break }
    }
    return expired
  }
}
