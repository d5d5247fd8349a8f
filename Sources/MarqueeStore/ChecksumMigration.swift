import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel

/// The migration of the checksums to `Checksum`.
///
/// Each row's checksum is verified as earlier formats defined it, and replaced. A row whose checksum does not match
/// gets the complement of the right one, so that it stays corrupt.
///
/// The tables whose rows may contain donations on B-tree pages are copied. An update could move such rows, because a
/// checksum that happens to be small takes fewer bytes than its successor: see ``ErasableTable``. Deleting the original
/// rows overwrites their pages.
///
/// Memory is bounded by the size of a row, SQLite's page cache and the pages of one step. The file grows by the size of
/// the copied tables, and the WAL by twice that size.
enum ChecksumMigration {
  /// The number of rows that one statement updates. SQLite keeps the previous content of the pages that a statement
  /// changes, in memory because of `temp_store`.
  private static let stepRowCount = 1_024

  /// Migrates all checksums.
  ///
  /// - Throws: ``JournalError`` `corrupt` if a row cannot be migrated, or if a table lacks rows of its index.
  static func run(_ db: Database) throws {
    do {
      try migrate(db)
    } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) {
      // The latter is the failure of one of the SQL functions.
      let cause = SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue)
      throw JournalError(.corrupt, "a record is corrupt and cannot be migrated", cause: cause)
    }
  }

  private static func migrate(_ db: Database) throws {
    db.add(function: checksum)
    db.add(function: policyChecksum)
    // A device whose policy has changed since its creation is due at once: finding the policy would require a replay.
    try update(
      "device",
      """
      wake = iif(migrated_policy_checksum(policy, wake, creation) IS NULL, 0, wake),
      policy = coalesce(migrated_policy_checksum(policy, wake, creation), 0),
      checksum = migrated_checksum(checksum, id, 0, at, creation)
      """, db)
    for table in ["snapshot", "base"] {
      try update(table, "checksum = migrated_checksum(checksum, device, sequence, at, state)", db)
    }
    for table in copiedTables { try copy(table, db) }
  }

  private static func update(_ table: String, _ assignments: String, _ db: Database) throws {
    var last = Int64.min
    while let end = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(rowid) FROM (SELECT rowid FROM \(table) WHERE rowid > ? ORDER BY rowid LIMIT \(stepRowCount))
        """, arguments: [last])
    {
      try db.execute(
        sql: "UPDATE \(table) SET \(assignments) WHERE rowid > ? AND rowid <= ?", arguments: [last, end])
      last = end
    }
  }

  /// A table that is replaced by a copy with the new checksums.
  private struct CopiedTable {
    let name: String
    /// The columns but for the checksum, in order.
    let columns: String
    /// The column of a row's number.
    let number: String
    /// The column of a row's bytes.
    let bytes: String
    /// The definition of the copy and its indexes. They are created before the rows are inserted, because SQLite would
    /// sort the entries in memory.
    let definition: String
  }

  /// Replaces a table by its copy.
  ///
  /// The table is emptied before it is dropped, because SQLite would keep its pages in memory.
  private static func copy(_ table: CopiedTable, _ db: Database) throws {
    let (name, columns) = (table.name, table.columns)
    try db.execute(sql: table.definition)
    try db.execute(
      sql: """
        INSERT INTO migrated_\(name)
          SELECT \(columns), migrated_checksum(checksum, device, \(table.number), at, \(table.bytes))
          FROM \(name) ORDER BY rowid
        """)
    let copiedCount = db.changesCount
    // A damaged page of a table can lose rows without an error. For `count(*)`, SQLite might use another index.
    let indexedCount = try Int.fetchOne(
      db, sql: "SELECT coalesce(sum(1), 0) FROM \(name) INDEXED BY sqlite_autoindex_\(name)_1")
    guard copiedCount == indexedCount else { throw JournalError(.corrupt, "the table \(name) lacks rows of its index") }
    try db.execute(sql: "DELETE FROM \(name); DROP TABLE \(name); ALTER TABLE migrated_\(name) RENAME TO \(name)")
  }

  private static let copiedTables = [
    CopiedTable(
      name: "journal", columns: "device, sequence, at, event", number: "sequence", bytes: "event",
      definition: """
        CREATE TABLE migrated_journal (
          device INTEGER NOT NULL REFERENCES device(id),
          sequence INTEGER NOT NULL CHECK (sequence > 0),
          at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
          event BLOB NOT NULL CHECK (length(event) > 0),
          checksum INTEGER NOT NULL,
          PRIMARY KEY (device, sequence)
        ) STRICT;
        CREATE INDEX journal_donation ON migrated_journal (device, sequence) WHERE substr(event, 1, 1) = x'0F';
        """),
    CopiedTable(
      name: "decision", columns: "device, number, at, stack, body", number: "number", bytes: "body",
      definition: """
        CREATE TABLE migrated_decision (
          device INTEGER NOT NULL REFERENCES device(id),
          number INTEGER NOT NULL CHECK (number > 0),
          at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
          stack TEXT NOT NULL CHECK (length(CAST(stack AS BLOB)) BETWEEN 1 AND 255),
          body BLOB NOT NULL CHECK (length(body) > 0),
          checksum INTEGER NOT NULL,
          PRIMARY KEY (device, number)
        ) STRICT;
        DROP INDEX decision_by_stack;
        CREATE INDEX decision_by_stack ON migrated_decision (device, stack, number);
        """),
  ]

  /// The SQL function of a row's old checksum, device, number, instant and bytes that returns the new checksum.
  private static let checksum = DatabaseFunction(
    "migrated_checksum", argumentCount: 5, pure: true
  ) { values -> (any DatabaseValueConvertible)? in
    let numbers = values.prefix(4).compactMap { Int64.fromDatabaseValue($0) }
    guard numbers.count == 4, let data = Data.fromDatabaseValue(values[4]) else {
      throw JournalError(.corrupt, "a stored value has the wrong type for its column")
    }
    let (key, bytes) = (Array(numbers.dropFirst()), [UInt8](data))
    let sum = Checksum.of(bytes, device: key[0], sequence: key[1], at: key[2])
    return [checksumOfFormat5(bytes, key), fnv1a(bytes, key)].contains(numbers[0]) ? sum : ~sum
  }

  /// The SQL function of the columns `policy`, `wake` and `creation` of a device that returns the new value of
  /// `policy`, or `NULL` if the old value is not that of the policy at the creation.
  private static let policyChecksum = DatabaseFunction(
    "migrated_policy_checksum", argumentCount: 3, pure: true
  ) { values -> (any DatabaseValueConvertible)? in
    let wake = Int64.fromDatabaseValue(values[1])
    // A creation that cannot be decoded makes its device corrupt when it is loaded.
    guard let creation = Data.fromDatabaseValue(values[2]),
      let policy = try? Creation(decoding: [UInt8](creation)).policy,
      Int64.fromDatabaseValue(values[0]) == fnv1a(policy.identifyingBytes, [0, 0, 0]) ^ (wake ?? -1)
    else { return nil }
    return Checksum.of(policy, wake: wake)
  }

  /// Returns the checksum of formats 5 and 6.
  private static func checksumOfFormat5(_ bytes: [UInt8], _ key: [Int64]) -> Int64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ word: UInt64) {
      sum = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
      sum ^= sum >> 32
    }
    for number in key + [Int64(bytes.count)] { add(UInt64(bitPattern: number)) }
    bytes.withUnsafeBytes { bytes in
      let end = bytes.count & ~7
      for offset in stride(from: 0, to: end, by: 8) {
        add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      }
      add(bytes[end...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    return Int64(bitPattern: sum)
  }

  /// Returns the checksum of the formats before 5, and of policies: the 64-bit FNV-1a hash (Fowler, Noll, Vo).
  private static func fnv1a(_ bytes: [UInt8], _ key: [Int64]) -> Int64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for number in key {
      for shift in stride(from: Int64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    for byte in bytes { add(byte) }
    return Int64(bitPattern: sum)
  }
}
