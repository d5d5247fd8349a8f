import GRDB

/// The index of the events that contain donations, so that a deletion reads no other events.
///
/// A deletion must find every donation, but SQLite does not notice that an index lacks rows of its table until it
/// overwrites them. Therefore triggers count the events with donations of each device in the table `donation_count`. If
/// the index has another number of entries, it is rebuilt from the events: at the start, and before a deletion. The
/// checksum of the event shows whether an entry refers to another one.
///
/// The index has a condition instead of a column of the table, because existing rows must not move: see
/// ``ErasableTable``.
enum DonationIndex {
  /// The condition of the partial index, which SQLite uses only for queries that contain the same expression. The
  /// literal is `Event.donatedTag`.
  static let condition = "substr(event, 1, 1) = x'0F'"
  /// The `FROM` clause of queries that use the index. They fail if SQLite cannot use it.
  static let source = "journal INDEXED BY journal_donation"

  /// Returns the query for a page of the events with donations of a device that contain one of the needles, or of all
  /// of them if there are no needles. Its arguments are the device, the sequences after and before which the events
  /// are, the maximum number of rows, and the needles.
  static func query(needleCount: Int) -> String {
    let filter = (0..<needleCount).map { "instr(event, ?\($0 + 5)) > 0" }.joined(separator: " OR ")
    return """
      SELECT device, sequence, at, event, checksum FROM \(source)
      WHERE device = ?1 AND sequence > ?2 AND sequence < ?3 AND \(condition) AND (\(filter.isEmpty ? "1" : filter))
      ORDER BY sequence LIMIT ?4
      """
  }

  /// Returns whether the index has as many entries of a device as the device has events with donations.
  static func isComplete(for device: Int64, _ db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT (SELECT count(*) FROM \(source) WHERE device = ?1 AND \(condition))
          = coalesce((SELECT events FROM donation_count WHERE device = ?1), 0)
        """)
    return try StoredIndex.unlessCorrupt { try Bool.fetchOne(statement, arguments: [device]) } == true
  }

  /// Returns whether the index has as many entries of every device as the device has events with donations. No events
  /// are read.
  static func isComplete(_ db: Database) throws -> Bool {
    let sql = """
      SELECT (SELECT count(*) FROM \(source) WHERE \(condition))
          = (SELECT coalesce(sum(events), 0) FROM donation_count)
        AND NOT EXISTS (
          SELECT 1 FROM donation_count AS counted
          WHERE events <> (SELECT count(*) FROM \(source) WHERE device = counted.device AND \(condition)))
      """
    return try StoredIndex.unlessCorrupt { try Bool.fetchOne(db, sql: sql) } == true
  }

  /// Rebuilds the index and the counts from the events, all of which are read.
  static func rebuild(_ db: Database) throws {
    try db.execute(sql: "REINDEX journal_donation")
    try recount(db)
  }

  /// Replaces the counts by the numbers of entries in the index.
  static func recount(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM donation_count;
        INSERT INTO donation_count SELECT device, count(*) FROM \(source) WHERE \(condition) GROUP BY device;
        """)
  }
}
