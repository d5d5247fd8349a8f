import Foundation
import GRDB
import MarqueeJournal

/// The migration to a format in which devices can be removed without a trace: see ``SQLiteTransaction``.
///
/// The tables whose rows have moved, and may have left copies of their bytes, are replaced by copies whose rows never
/// move: those of the devices, without the wake schedule; and the snapshots and boundaries, all of which are padded.
/// Deleting the original rows overwrites their pages. The index of the decisions by stack, which contains the stacks'
/// names, is dropped.
///
/// Memory is bounded by the size of a row and SQLite's page cache. The file grows by the size of the copied tables, and
/// the WAL by twice that size.
enum RemovalMigration {
  /// Migrates the tables. The trigger `journal_continues`, which refers to two of them, must be created again.
  ///
  /// - Throws: ``JournalError`` `corrupt` if a table lacks rows of its index.
  static func run(_ db: Database) throws {
    db.add(function: padding)
    db.add(function: checksum)
    try db.execute(sql: newTables)
    for table in copiedTables { try copy(table, db) }
    try db.execute(sql: indexes)
  }

  private static let newTables = """
    DROP TRIGGER journal_continues;
    CREATE TABLE wake_schedule (
      device INTEGER PRIMARY KEY REFERENCES device(id),
      wake INTEGER CHECK (wake BETWEEN 0 AND 253402300799999),
      policy INTEGER NOT NULL
    ) STRICT;
    INSERT INTO wake_schedule SELECT id, wake, policy FROM device;
    CREATE TABLE erasure (
      device INTEGER PRIMARY KEY REFERENCES device(id),
      sequence INTEGER NOT NULL CHECK (sequence >= 0),
      decision INTEGER NOT NULL CHECK (decision >= 0),
      whole INTEGER NOT NULL CHECK (whole IN (0, 1))
    ) STRICT;
    CREATE INDEX erasure_unfinished ON erasure (device) WHERE whole = 1;
    """

  private static let indexes = """
    CREATE UNIQUE INDEX device_name ON device (name, removed) WHERE removed = 0;
    CREATE INDEX device_comparison ON device (name, id, removed) WHERE removed = 0;
    DROP INDEX decision_by_stack;
    """

  /// A table that is replaced by a copy.
  private struct CopiedTable {
    let name: String
    /// The expressions of the copy's columns, in order.
    let columns: String
    /// An index of all rows, if there is one besides the table.
    let index: String?
    let definition: String
  }

  /// Replaces a table by its copy.
  ///
  /// The table is emptied before it is dropped, because SQLite would keep its pages in memory.
  private static func copy(_ table: CopiedTable, _ db: Database) throws {
    let name = table.name
    try db.execute(sql: table.definition)
    try db.execute(
      sql: "INSERT INTO migrated_\(name) SELECT \(table.columns) FROM \(name) ORDER BY rowid")
    let copiedCount = db.changesCount
    if let index = table.index {
      // A damaged page of a table can lose rows without an error. For `count(*)`, SQLite might use another index.
      let indexedCount = try Int.fetchOne(db, sql: "SELECT coalesce(sum(1), 0) FROM \(name) INDEXED BY \(index)")
      guard copiedCount == indexedCount else {
        throw JournalError(.corrupt, "the table \(name) lacks rows of its index")
      }
    }
    try db.execute(sql: "DELETE FROM \(name); DROP TABLE \(name); ALTER TABLE migrated_\(name) RENAME TO \(name)")
  }

  private static let copiedTables = [
    CopiedTable(
      name: "device", columns: "id, name, at, creation, checksum, 0", index: "sqlite_autoindex_device_1",
      definition: """
        CREATE TABLE migrated_device (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
          at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
          creation BLOB NOT NULL CHECK (length(creation) > 0),
          checksum INTEGER NOT NULL,
          removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1))
        ) STRICT;
        """),
    CopiedTable(
      name: "snapshot",
      columns: """
        device, sequence, at, padded(state), padded_checksum(checksum, device, sequence, at, state), stays
        """,
      index: "sqlite_autoindex_snapshot_1",
      definition: """
        CREATE TABLE migrated_snapshot (
          device INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
          state BLOB NOT NULL CHECK (length(state) > 0),
          checksum INTEGER NOT NULL,
          stays INTEGER NOT NULL DEFAULT 0 CHECK (stays IN (0, 1)),
          PRIMARY KEY (device, sequence),
          FOREIGN KEY (device, sequence) REFERENCES journal(device, sequence)
        ) STRICT;
        """),
    CopiedTable(
      name: "retention_boundary",
      columns: """
        device, sequence, decision, at, padded(state), padded_checksum(checksum, device, sequence, at, state)
        """,
      index: nil,
      definition: """
        CREATE TABLE migrated_retention_boundary (
          device INTEGER PRIMARY KEY REFERENCES device(id),
          sequence INTEGER NOT NULL CHECK (sequence > 0),
          decision INTEGER NOT NULL CHECK (decision >= 0),
          at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
          state BLOB NOT NULL CHECK (length(state) > 0),
          checksum INTEGER NOT NULL
        ) STRICT;
        """),
  ]

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.first == 0 ? bytes : Snapshot.padded(bytes)
  }

  /// The SQL function of a state's bytes that returns them with padding.
  private static let padding = DatabaseFunction("padded", argumentCount: 1, pure: true) { values in
    Data.fromDatabaseValue(values[0]).map { Data(padded([UInt8]($0))) }
  }

  /// The SQL function of a state's checksum, device, sequence, instant and bytes that returns the checksum with
  /// padding. A row whose checksum does not match gets the complement of the right one, so that it stays corrupt.
  private static let checksum = DatabaseFunction(
    "padded_checksum", argumentCount: 5, pure: true
  ) { values -> (any DatabaseValueConvertible)? in
    let numbers = values.prefix(4).compactMap { Int64.fromDatabaseValue($0) }
    guard numbers.count == 4, let data = Data.fromDatabaseValue(values[4]) else {
      throw JournalError(.corrupt, "a stored value has the wrong type for its column")
    }
    func sum(_ bytes: [UInt8]) -> Int64 {
      Checksum.of(bytes, device: numbers[1], sequence: numbers[2], at: numbers[3])
    }
    let bytes = [UInt8](data)
    return sum(bytes) == numbers[0] ? sum(padded(bytes)) : ~sum(padded(bytes))
  }
}
