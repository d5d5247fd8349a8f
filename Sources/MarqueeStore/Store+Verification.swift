import Foundation
import GRDB
import MarqueeFiles
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

extension Store {
  /// Verifies the integrity of a backup or of a data directory, which may be in use. Read-only.
  ///
  /// SQLite checks the structure of the database, the tables, indexes and triggers are compared with the schema of the
  /// database's format, every row's checksum is verified, and every device is replayed: the events after a snapshot, or
  /// after the creation, must lead to exactly the next snapshot and the stored decisions.
  ///
  /// A data directory in use is copied to an unnamed temporary file first: readers prevent the truncation of the WAL,
  /// so the server is affected only while the copy is made. The rows of a database of an earlier format are verified in
  /// such a copy, which is migrated.
  ///
  /// - Parameters:
  ///   - path: A backup or a data directory.
  ///   - progress: Called with the number of devices replayed and of all devices, before each device and at the end.
  /// - Returns: The defects found, and the numbers of records checked.
  /// - Throws: ``JournalError`` `corrupt`, `schemaTooNew` or `ioFailed` if `path` cannot be read as a store at all.
  public static func verify(
    _ path: String, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(JournalError) -> Verification {
    try verifyWithRowCounts(path, progress).verification
  }

  /// Verifies a store, and returns also the row counts of ``countedTables``, including those of removed devices and
  /// expired rows; none if the rows cannot be read.
  static func verifyWithRowCounts(
    _ path: String, _ progress: (_ done: Int, _ all: Int) -> Void
  ) throws(JournalError) -> (verification: Verification, rowCounts: [Int]) {
    do {
      let file = try self.file(at: path)
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(busyTimeout)
      // Before the database is opened, which would recover a WAL.
      let isInUse = try Self.isInUse(file)
      var queue = try DatabaseQueue(path: file, configuration: configuration)
      if isInUse { queue = try copy(of: queue) }
      var verification = Verification()
      guard try queue.read({ try verifyStructure($0, &verification) }) else { return (verification, []) }
      if verification.formats != Schema.migrator.migrations { queue = try migratedCopy(of: queue) }
      let counts = try queue.read { db in
        // An index or trigger that is missing has been reported.
        if verification.findings.isEmpty, try !DonationIndex.isComplete(db) {
          verification.addFinding("the index of the events with donations does not match their number")
        }
        try verification.verifyDevices(in: SQLiteView(db: db), progress)
        return try rowCounts(db)
      }
      return (verification, counts)
    } catch {
      throw JournalError(error, while: "verifying the store")
    }
  }

  private static func copy(of queue: DatabaseQueue) throws -> DatabaseQueue {
    let copy = try DatabaseQueue(path: "")
    try queue.backup(to: copy)
    return copy
  }

  private static func migratedCopy(of queue: DatabaseQueue) throws -> DatabaseQueue {
    let copy = try copy(of: queue)
    // A migration expects the triggers of its format. Missing ones have been reported.
    _ = try copy.writeWithoutTransaction(repair)
    try Schema.migrator.migrate(copy)
    return copy
  }

  /// Verifies the structure of the database, and returns whether its rows can be read.
  private static func verifyStructure(_ db: Database, _ verification: inout Verification) throws -> Bool {
    let applied = try Schema.applied(db)
    guard !applied.isEmpty else { throw JournalError(.corrupt, "the database is not a Marquee store") }
    verification.formats = applied
    for problem in try structuralProblems(db) { verification.addFinding("SQLite: \(problem)") }
    // In a database with a damaged structure, reading rows may not terminate.
    guard verification.findings.isEmpty else { return false }
    guard try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
      verification.addFinding("foreign key violation: a record refers to a missing one")
      return false
    }
    // SQLite does not report missing indexes and triggers.
    let differences = try SchemaObjects(of: db).differences(from: .expected(after: applied))
    for difference in differences { verification.addFinding("\(difference)") }
    return !differences.contains(where: \.isTable)
  }

  /// Returns the structural defects that SQLite finds, except unused pages: rebuilding an index leaves behind the pages
  /// of its damaged part.
  private static func structuralProblems(_ db: Database) throws -> [String] {
    let all = try integrityCheck("\(Verification.findingCountMax)", db)
    let problems = all.filter { !$0.hasSuffix("never used") }
    guard problems.isEmpty, !all.isEmpty else { return problems }
    // SQLite may have stopped at the maximum number of findings.
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return try tables.flatMap { try integrityCheck($0.quotedDatabaseIdentifier, db) }
  }

  /// Returns the lines of `PRAGMA integrity_check`; none for an intact database.
  private static func integrityCheck(_ argument: String, _ db: Database) throws -> [String] {
    var lines: [Substring] = []
    do {
      let texts = try String.fetchCursor(db, sql: "PRAGMA integrity_check(\(argument))")
      while let text = try texts.next() { lines += text.split(separator: "\n") }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      lines.append("the database disk image is malformed")
    }
    return lines.filter { $0 != "ok" && !$0.hasPrefix("***") }.map { String($0) }
  }

  static let countedTables = ["device", "journal", "snapshot", "decision"]

  static func rowCounts(_ db: Database) throws -> [Int] {
    try countedTables.map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 }
  }

  /// Returns whether the file is in a data directory that a store has open.
  ///
  /// - Throws: ``JournalError`` `corrupt` if the directory is not in use and the WAL is damaged; a WAL that is being
  ///   written may look damaged.
  static func isInUse(_ file: String) throws(JournalError) -> Bool {
    let path = URL(filePath: file)
    let directory = path.deletingLastPathComponent().path
    guard path.lastPathComponent == fileName, FileManager.default.fileExists(atPath: directory + "/lock") else {
      return false
    }
    let lock: DirectoryLock
    do {
      lock = try DirectoryLock(directory: directory)
    } catch {
      guard error.code == .directoryLocked else { throw error }
      return true
    }
    defer { withExtendedLifetime(lock) {} }
    guard try WALFile(of: file)?.isDamaged != true else { throw WALFile.damaged }
    return false
  }

  /// Returns the database file of a data directory, or `path` itself if it is a regular file.
  private static func file(at path: String) throws(JournalError) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(errno, while: "reading the status of the store's path") }
    let file = status.st_mode & S_IFMT == S_IFDIR ? path + "/" + fileName : path
    for name in [file, file + "-wal", file + "-shm", file + "-journal"] {
      do {
        try CheckedFile.check(name, name == path ? O_RDONLY : O_RDONLY | O_NOFOLLOW)
      } catch {
        if error.number == ENOENT, name != file { continue }
        let reason = "\(URL(filePath: name).lastPathComponent): \(error)"
        throw JournalError(.ioFailed, reason, cause: error)
      }
    }
    return file
  }
}
