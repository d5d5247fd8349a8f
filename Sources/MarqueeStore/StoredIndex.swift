import GRDB

/// An index that can be rebuilt from the rows of its table.
struct StoredIndex {
  /// The index of the applied migrations.
  static let ofMigrations = StoredIndex(
    name: "sqlite_autoindex_grdb_migrations_1", table: "grdb_migrations", columns: ["identifier"])

  /// The indexes that exist in every format.
  private static let common = [
    StoredIndex(name: "sqlite_autoindex_journal_1", table: "journal", columns: ["device", "sequence"]),
    StoredIndex(name: "sqlite_autoindex_snapshot_1", table: "snapshot", columns: ["device", "sequence"]),
    StoredIndex(name: "sqlite_autoindex_decision_1", table: "decision", columns: ["device", "number"]),
  ]
  private static let ofDevices = [
    StoredIndex(name: "device_name", table: "device", columns: ["name"], condition: "removed = 0"),
    StoredIndex(name: "device_comparison", table: "device", columns: ["name", "id"], condition: "removed = 0"),
  ]
  /// The indexes that exist only before the format in which devices can be removed.
  private static let earlier = [
    StoredIndex(name: "sqlite_autoindex_device_1", table: "device", columns: ["name"]),
    StoredIndex(name: "decision_by_stack", table: "decision", columns: ["device", "stack", "number"]),
  ]

  /// Returns the indexes of a database after the `applied` migrations, without those that the store checks otherwise.
  static func all(after applied: [String]) -> [StoredIndex] {
    (applied.contains(Schema.removal) ? ofDevices : earlier) + common
  }

  /// The number of sampled rows, besides the last one.
  private static let sampleCount: Int64 = 16

  let table: String
  private let name: String
  private let columns: [String]
  /// The condition of a partial index.
  private let condition: String

  private init(name: String, table: String, columns: [String], condition: String = "1") {
    self.name = name
    self.table = table
    self.columns = columns
    self.condition = condition
  }

  /// Returns whether the index has entries for the table's first and last rows and some in between, and no damaged page
  /// on the paths to them. The time is logarithmic in the table's size.
  func hasSampledRows(_ db: Database) throws -> Bool {
    let sql = """
      SELECT 1 FROM \(table) INDEXED BY \(name)
      WHERE +rowid = ? AND \(columns.map { "\($0) = ?" }.joined(separator: " AND ")) AND \(condition)
      """
    for row in try sampledRows(db) {
      let isFound = try Self.unlessCorrupt { try Row.fetchOne(db, sql: sql, arguments: row) != nil }
      guard isFound ?? false else { return false }
    }
    return true
  }

  /// Returns the keys of rows that are evenly spaced over the table. Damaged pages of the table are skipped here, and
  /// detected when they are read.
  private func sampledRows(_ db: Database) throws -> [StatementArguments] {
    let ends = try Self.unlessCorrupt {
      try Row.fetchOne(db, sql: "SELECT (SELECT min(rowid) FROM \(table)), (SELECT max(rowid) FROM \(table))")
    }
    guard let row = ends ?? nil, let first = Int64.fromDatabaseValue(row[0]), let last = Int64.fromDatabaseValue(row[1])
    else { return [] }
    let count = Self.sampleCount
    let starts = (0..<count).map { first / count * (count - $0) + last / count * $0 } + [last]
    let sql = """
      SELECT rowid, \(columns.joined(separator: ", ")) FROM \(table) NOT INDEXED
      WHERE rowid >= ? AND \(condition) ORDER BY rowid LIMIT 1
      """
    return try starts.compactMap { start in
      let row = try Self.unlessCorrupt { try Row.fetchOne(db, sql: sql, arguments: [start]) }
      return (row ?? nil).map { StatementArguments($0.databaseValues) }
    }
  }

  /// Returns the result of `body`, or `nil` if SQLite reports corruption.
  static func unlessCorrupt<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return nil
    }
  }
}
