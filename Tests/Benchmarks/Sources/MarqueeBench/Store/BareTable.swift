import GRDBSQLite

/// A table of SQLite: the baseline for publications. The table is either an append-only table of rows, or the journal
/// of a store.
///
/// `@unchecked Sendable`: the connection and its statements are used only by calls of `write`, which come one after the
/// other, or exclusively before and after.
final class BareTable: BareWriter, @unchecked Sendable {
  private let connection: OpaquePointer
  private let begin: OpaquePointer
  private let insert: OpaquePointer
  private let commit: OpaquePointer
  /// The number of rows of each device.
  private var counts: [Int: Int] = [:]

  /// Creates a table in a new file.
  convenience init(file: String) throws {
    try self.init(
      file, "CREATE TABLE row (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
      "INSERT INTO row (bytes) VALUES (?1)")
  }

  /// Opens the journal of a closed store with devices, including its indexes, triggers and foreign keys, but without
  /// checksums.
  convenience init(journalOf file: String) throws {
    try self.init(
      file, "PRAGMA foreign_keys = ON",
      """
      INSERT INTO journal (device, sequence, at, event, checksum)
      VALUES (?2, ?3, (SELECT at FROM device WHERE id = ?2), ?1, ?2)
      """)
  }

  private init(_ file: String, _ preparation: String, _ insertion: String) throws {
    var connection: OpaquePointer?
    guard sqlite3_open(file, &connection) == SQLITE_OK, let connection else {
      throw BenchmarkError("SQLite failed to open a new file")
    }
    self.connection = connection
    // The settings of the store, except for the handling of freed pages, of which there are none.
    for sql in ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", preparation] {
      guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw Self.failure(connection) }
    }
    begin = try Self.statement("BEGIN IMMEDIATE", connection)
    insert = try Self.statement(insertion, connection)
    commit = try Self.statement("COMMIT", connection)
  }

  deinit {
    for statement in [begin, insert, commit] { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// Inserts rows; in a journal, each as the next event of its device.
  func write(_ rows: [BareRow]) throws {
    try run(begin)
    for row in rows {
      let sequence = counts[row.device, default: 0] + 1
      counts[row.device] = sequence
      try row.bytes.withUnsafeBytes { bytes in
        let code = sqlite3_bind_blob64(insert, 1, bytes.baseAddress, UInt64(bytes.count), nil)
        guard code == SQLITE_OK else { throw Self.failure(connection) }
        if sqlite3_bind_parameter_count(insert) > 1 {
          sqlite3_bind_int64(insert, 2, Int64(row.device))
          sqlite3_bind_int64(insert, 3, Int64(sequence))
        }
        try run(insert)
      }
    }
    try run(commit)
  }

  private func run(_ statement: OpaquePointer) throws {
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw Self.failure(connection) }
  }

  private static func statement(_ sql: String, _ connection: OpaquePointer) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(connection)
    }
    return statement
  }

  private static func failure(_ connection: OpaquePointer) -> BenchmarkError {
    BenchmarkError("SQLite error \(sqlite3_extended_errcode(connection))")
  }
}
