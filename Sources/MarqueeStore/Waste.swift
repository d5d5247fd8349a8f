import Foundation
import GRDB
import MarqueeModel

/// Rows that no device's kept history has, at the beginning of one of the tables that are only appended to.
///
/// They are taken out from the beginning on, so that SQLite evens out pages among them alone: rows that are kept never
/// move, and leave no copies that a later deletion of donations would not find (rule D5). For that the last ones stay,
/// and all are overwritten by zeros before anything moves.
struct Waste {
  /// Events and decisions up to a device's base.
  static let all = [
    Waste(table: "journal", key: "sequence", bytes: "event", test: "row.sequence <= base.sequence"),
    Waste(table: "decision", key: "number", bytes: "body", test: "row.number <= base.decision"),
  ]

  /// Rows that are looked at for one step, at most.
  private static let rowCountMax = 8_192
  /// Bytes on pages of the table itself that stay: those of 8 pages or more. SQLite evens out three at a time.
  private static let keptSize = 32_768
  /// Bytes on pages of the table itself with which a step ends.
  private static let stepSize = 262_144
  /// Bytes with which a step ends that has more than stays.
  private static let totalSizeMax = 8_388_608
  /// Bytes of a row beside those of its event or decision, at most.
  private static let restSizeMax = 300

  private let table: String
  private let key: String
  private let bytes: String
  private let test: String

  private struct Found {
    let row: Int64
    let device: Int64
    let number: Int64
    let at: Int64
    let size: Int

    /// How many of its bytes are on a page of the table itself, at least: of what does not fit, SQLite moves all but
    /// so many to pages of their own. (https://www.sqlite.org/fileformat2.html, 1.6 B-tree Pages.)
    func localSize(_ pageSize: Int) -> Int {
      size + Waste.restSizeMax > pageSize - 35 ? (pageSize - 12) * 32 / 255 - 23 : size
    }
  }

  /// The names of devices that have rows before `instant` that are not waste, among those that one step looks at.
  func devices(before instant: Instant, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT DISTINCT device.name
        FROM (SELECT rowid, * FROM \(table) ORDER BY rowid LIMIT \(Self.rowCountMax)) AS row
        JOIN device ON device.id = row.device LEFT JOIN base ON base.device = row.device
        WHERE row.at < ? AND NOT coalesce(\(test), 0)
        """, arguments: [instant.milliseconds])
  }

  /// Takes out as many rows as one step may, and returns how many those are; for a transaction of its own.
  func remove(_ db: Database) throws -> Int {
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? Store.pageSize
    let found = try find(pageSize, db)
    var size = 0
    let keptCount = found.reversed().prefix { row in
      defer { size += row.localSize(pageSize) }
      return size < Self.keptSize
    }.count
    guard let last = found.dropLast(keptCount).last else { return 0 }
    for row in found { try overwrite(row, db) }
    try db.cachedStatement(sql: "DELETE FROM \(table) WHERE rowid <= ?").execute(arguments: [last.row])
    return found.count - keptCount
  }

  private func find(_ pageSize: Int, _ db: Database) throws -> [Found] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT row.rowid AS row, row.device, row.\(key) AS number, row.at, length(row.\(bytes)) AS size,
          iif(\(test), 1, 0) AS isWaste
        FROM \(table) AS row LEFT JOIN base ON base.device = row.device
        ORDER BY row.rowid LIMIT \(Self.rowCountMax)
        """)
    var found: [Found] = []
    var (localSize, totalSize) = (0, 0)
    while let row = try rows.next(), try row.value("isWaste") == Int64(1) {
      found.append(
        Found(
          row: try row.value("row"), device: try row.value("device"), number: try row.value("number"),
          at: try row.value("at"), size: try row.value("size")))
      localSize += found.last?.localSize(pageSize) ?? 0
      totalSize += found.last?.size ?? 0
      if localSize >= Self.stepSize || localSize >= 2 * Self.keptSize && totalSize >= Self.totalSizeMax { break }
    }
    return found
  }

  private func overwrite(_ row: Found, _ db: Database) throws {
    let zeros = Array(repeating: UInt8(0), count: row.size)
    let checksum = Checksum.of(zeros, device: row.device, sequence: row.number, at: row.at)
    try db.cachedStatement(
      sql: "UPDATE \(table) SET \(bytes) = zeroblob(?1), checksum = ?2 WHERE rowid = ?3 AND \(bytes) <> zeroblob(?1)"
    ).execute(arguments: [row.size, checksum, row.row])
  }
}
