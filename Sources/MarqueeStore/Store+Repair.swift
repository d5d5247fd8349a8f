import GRDB
import MarqueeJournal

/// Repair of derived data, which is rebuilt if it is damaged or missing.
extension Store {
  /// Rebuilds missing indexes and triggers, and indexes that lack rows of their table. Must run on the writer, before
  /// the schema is migrated.
  ///
  /// - Returns: Warnings for the operator.
  /// - Throws: ``JournalError`` `schemaTooNew`, or `corrupt` if the schema does not match its format or a table is
  ///   damaged.
  static func repair(_ db: Database) throws -> [String] {
    guard try db.tableExists("grdb_migrations") else { return [] }
    var warnings = try repairIndexes([.ofMigrations], db)
    let applied = try Schema.applied(db)
    guard !applied.isEmpty else { return warnings }
    warnings += try completeSchema(after: applied, db)
    warnings += try repairIndexes(StoredIndex.all(after: applied), db)
    return warnings
  }

  private static func completeSchema(after applied: [String], _ db: Database) throws -> [String] {
    let differences = try SchemaObjects(of: db).differences(from: .expected(after: applied)).filter(\.isMissing)
    if let difference = differences.first(where: \.isTable) { throw JournalError(.corrupt, "\(difference)") }
    return try differences.map { difference in
      guard let sql = difference.expectedSQL, !sql.isEmpty else { throw JournalError(.corrupt, "\(difference)") }
      try db.execute(sql: sql)
      return "the \(difference.object) was missing and has been rebuilt"
    }
  }

  private static func repairIndexes(_ indexes: [StoredIndex], _ db: Database) throws -> [String] {
    var warnings: [String] = []
    for index in indexes where try !index.hasSampledRows(db) {
      warnings.append(try rebuildIndexes(of: index.table, db))
    }
    return warnings
  }

  /// A query that compares the names and numbers in both indexes of the table `device`. It reads no rows of the table,
  /// so that a start stays fast: both indexes contain all columns of the query.
  private static let comparison = """
    SELECT (SELECT coalesce(sum(1), 0) FROM device INDEXED BY device_comparison WHERE removed = 0)
        = (SELECT coalesce(sum(1), 0) FROM device INDEXED BY device_name WHERE removed = 0)
      AND NOT EXISTS (
        SELECT 1 FROM device AS entry INDEXED BY device_name
        WHERE removed = 0 AND NOT EXISTS (
          SELECT 1 FROM device AS other INDEXED BY device_comparison
          WHERE other.name = entry.name AND other.id = entry.id AND other.removed = 0))
    """

  /// Rebuilds the indexes of the table `device` if they contradict each other.
  ///
  /// With a damaged index, a device would not be found by its name or would not be woken. The second index exists for
  /// this comparison only. The wakes have checksums: see `Checksum.of(_:wake:)`.
  ///
  /// - Returns: Warnings for the operator.
  static func repairDeviceIndexes(_ db: Database) throws -> [String] {
    try areIndexesEqual(db) ? [] : [rebuildIndexes(of: "device", db)]
  }

  /// Rebuilds the index of the events with donations and their counts if they contradict each other.
  ///
  /// - Returns: Warnings for the operator.
  static func repairDonationIndex(_ db: Database) throws -> [String] {
    guard try !DonationIndex.isComplete(db) else { return [] }
    let warning = try rebuildIndexes(of: "journal", db)
    try DonationIndex.recount(db)
    return [warning]
  }

  private static func areIndexesEqual(_ db: Database) throws -> Bool {
    do {
      return try Bool.fetchOne(db, sql: comparison) ?? false
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return false
    }
  }

  /// Rebuilds all indexes of a table.
  ///
  /// - Returns: A warning for the operator.
  /// - Throws: ``JournalError`` `corrupt`, without any change, if the table is damaged.
  private static func rebuildIndexes(of table: String, _ db: Database) throws -> String {
    do {
      try db.inTransaction(.immediate) {
        try db.execute(sql: "REINDEX \(table)")
        guard try String.fetchOne(db, sql: "PRAGMA integrity_check(\(table))") == "ok" else {
          throw JournalError(.corrupt, "the table \(table) is corrupt")
        }
        return .commit
      }
    } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_CONSTRAINT].contains(error.resultCode) {
      let cause = SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue)
      throw JournalError(
        .corrupt, "the indexes of the table \(table) are corrupt and cannot be rebuilt", cause: cause)
    }
    return "the indexes of the table \(table) were corrupt and have been rebuilt"
  }

  /// Completes the erasures of removed devices that the previous process has not completed. Must run on the writer,
  /// before the WAL is truncated.
  ///
  /// - Returns: Warnings for the operator, if that is not possible now.
  static func completeErasures(_ db: Database) throws -> [String] {
    do {
      while let erasure = try Erasure.unfinished(SQLiteView(db: db)) {
        var isComplete = false
        while !isComplete {
          try db.inTransaction(.immediate) {
            let transaction = SQLiteTransaction(db)
            isComplete = try !erasure.step(transaction)
            if isComplete { try erasure.finish(transaction) }
            return .commit
          }
        }
      }
      return []
    } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_FULL, .SQLITE_CORRUPT].contains(error.resultCode) {
      let reason = JournalError(error, while: "erasing a removed device").message
      return ["\(reason); the files may contain bytes of the device"]
    }
  }
}
