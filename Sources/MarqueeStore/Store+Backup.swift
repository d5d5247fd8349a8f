import Foundation
import GRDB
import MarqueeFiles
import MarqueeJournal

/// Online backup and restore.
extension Store {
  /// The file name prefix of unfinished backups in the data directory, followed by a UUID. Files with such names are
  /// removed when a store opens the directory.
  public static let backupPrefix = "marquee-unfinished-backup-"
  /// The suffixes of the files that SQLite creates for a database file.
  private static let companionSuffixes = ["-wal", "-shm", "-journal"]
  /// The number of pages that are copied between two checks for cancellation.
  private static let backupStepPageCount: CInt = 1_024
  /// The maximum number of bytes that are read at a time when a backup is copied.
  private static let readSizeMax = 1_048_576

  /// Writes a consistent backup of the store to a new file at `path`.
  ///
  /// The backup contains everything that was durable at one moment during the call, as a single database file for
  /// ``restore(_:to:progress:)``. It is complete and flushed to disk on return; if the call fails, no file is left.
  ///
  /// Writes continue meanwhile, except that a deletion of donations, and all writes after it, wait until the backup has
  /// ended: until then, the WAL cannot be truncated and contains the deleted donations. The backup also contains
  /// donations that are deleted later; delete old backups to remove those.
  ///
  /// - Parameter path: The path of the backup, which must not exist.
  /// - Throws: ``JournalError`` `conflict` if the file exists, `diskFull`, `ioFailed`, `corrupt` or `closed`; for a
  ///   cancelled task, `ioFailed` with a `CancellationError` as its cause.
  public func backup(to path: String) async throws(JournalError) {
    let (pool, committer) = (pool, committer)
    let cancellation = Cancellation()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Copying blocks, so it runs on a thread of its own.
        Thread.detachNewThread {
          committer.beginBackup()
          let outcome = Result { try Self.copy(pool, to: path, cancellation) }
          committer.endBackup()
          continuation.resume(returning: outcome.mapError { JournalError($0, while: "creating the backup") })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    try outcome.get()
  }

  private static func copy(_ pool: DatabasePool, to path: String, _ cancellation: Cancellation) throws {
    try cancellation.check()
    do throws(FileError) {
      Foundation.close(try CheckedFile.open(path, O_RDWR | O_CREAT | O_EXCL))
    } catch {
      guard error.number != EEXIST else {
        throw JournalError(.conflict, "a file with the backup's name already exists")
      }
      throw JournalError(error, while: "creating the backup file")
    }
    do {
      let copy = try DatabaseQueue(path: path)
      try pool.backup(to: copy, pagesPerStep: backupStepPageCount) { _ in try cancellation.check() }
      try cancellation.check()
      // Makes the backup a single file without a WAL.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
      try sync(path)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Restores a backup into a data directory, durably.
  ///
  /// The backup is verified first, as by ``verify(_:progress:)``: a damaged backup is rejected, and so is anything but
  /// a single database file. The database file of a data directory is accepted if its store was closed; otherwise, or
  /// if it was copied from there, it may lack transactions of the WAL. The copy must have as many records as were
  /// verified. Afterwards the directory counts as one that has contained a store.
  ///
  /// - Parameters:
  ///   - backup: A file that ``backup(to:)`` has written.
  ///   - directory: The data directory, which must not contain a store. It is created if it does not exist.
  ///   - progress: Called with the number of devices that have been verified, and with all of them before the copy.
  /// - Returns: The result of the verification.
  /// - Throws: ``JournalError`` `conflict` if the directory has contained a store or `backup` is not a backup,
  ///   `directoryLocked`, `corrupt`, `schemaTooNew`, `diskFull` or `ioFailed`.
  @discardableResult
  public static func restore(
    _ backup: String, to directory: String, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(JournalError) -> Verification {
    try checkBackup(backup)
    let (verification, rowCounts) = try verifyWithRowCounts(backup, progress)
    if let finding = verification.findings.first {
      throw JournalError(.corrupt, "the backup is damaged: \(finding)")
    }
    do {
      try place(backup, in: directory, rowCounts)
    } catch {
      throw JournalError(error, while: "restoring the backup")
    }
    return verification
  }

  /// Copies a verified backup into a data directory that contains no store.
  private static func place(_ backup: String, in directory: String, _ rowCounts: [Int]) throws {
    _ = try DataDirectory.prepare(directory)
    let lock = try DirectoryLock(directory: directory)
    let file = directory + "/" + fileName
    guard !FileManager.default.fileExists(atPath: file), try !lock.hasMark() else {
      throw JournalError(
        .conflict,
        "the data directory contains, or has contained, a store; specify another directory, or move it away")
    }
    // SQLite would apply them to the restored file.
    for suffix in companionSuffixes where FileManager.default.fileExists(atPath: file + suffix) {
      throw JournalError(
        .conflict,
        "the data directory contains \(fileName)\(suffix) of another store; specify another directory, or move the "
          + "file away")
    }
    try removeUnfinishedBackups(in: directory)
    let copy = directory + "/" + backupPrefix + UUID().uuidString
    do {
      try copyBytes(of: backup, to: copy)
      try checkCopy(copy, rowCounts)
      try sync(copy)
      guard rename(copy, file) == 0 else { throw JournalError.system(errno, while: "renaming the restored file") }
    } catch {
      unlink(copy)
      throw error
    }
    try sync(directory)
    // From now on, a missing database file is data loss.
    try lock.setMark()
  }

  /// Checks that the path is that of a single, complete database file: not a directory, and without a WAL or rollback
  /// journal.
  private static func checkBackup(_ path: String) throws(JournalError) {
    do {
      try CheckedFile.check(path)
    } catch {
      throw JournalError(.conflict, "not a backup: \(error); specify a file written by `marquee backup`", cause: error)
    }
    guard let header = try start(of: path, count: headerSize), header.starts(with: magic) else {
      throw JournalError(.corrupt, "not a backup: the file has no SQLite header")
    }
    guard try !isInUse(path) else {
      throw JournalError(
        .conflict, "not a backup: the file of a data directory in use; create a backup with `marquee backup`")
    }
    for suffix in ["-wal", "-journal"] {
      guard let journal = try start(of: path + suffix, count: 1), !journal.isEmpty else { continue }
      throw JournalError(
        .conflict,
        "not a backup: its \(suffix) file contains transactions that a copy would lose; "
          + "start a server on that directory, and create a backup with `marquee backup`")
    }
    guard !usesWAL(header) || isOfClosedStore(path) else {
      throw JournalError(
        .conflict,
        "not a backup: the file is in WAL mode, and its WAL, which may contain transactions, is missing; start a "
          + "server on the original data directory, and create a backup with `marquee backup`")
    }
  }

  /// Returns whether the file is in a data directory whose store was closed, so that no WAL is missing.
  private static func isOfClosedStore(_ file: String) -> Bool {
    let path = URL(filePath: file)
    return path.lastPathComponent == fileName
      && DirectoryLock.isClosed(directory: path.deletingLastPathComponent().path)
  }

  private static func copyBytes(of source: String, to path: String) throws {
    let input = FileHandle(fileDescriptor: try CheckedFile.open(source), closeOnDealloc: true)
    let output = try CheckedFile.open(path, O_WRONLY | O_CREAT | O_EXCL)
    defer { Foundation.close(output) }
    while let bytes = try input.read(upToCount: readSizeMax), !bytes.isEmpty {
      do {
        try CheckedFile.write([UInt8](bytes), to: output)
      } catch {
        throw JournalError.system(error.number ?? EIO, while: "copying the backup")
      }
    }
  }

  /// Checks that the copy has as many records as were verified.
  static func checkCopy(_ path: String, _ expected: [Int]) throws {
    let copy = try DatabaseQueue(path: path)
    let counts = try copy.writeWithoutTransaction { db in
      // Makes the copy a single file without a WAL.
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      return try rowCounts(db)
    }
    try copy.close()
    guard counts == expected else {
      throw JournalError(
        .corrupt,
        "the copy is incomplete: it has \(described(counts)), but the backup has \(described(expected))")
    }
  }

  /// Returns the row counts of ``countedTables`` as text.
  private static func described(_ counts: [Int]) -> String {
    zip(counts, ["devices", "events", "snapshots", "decisions"]).map { "\($0) \($1)" }.joined(separator: ", ")
  }

  /// Removes the files of interrupted backups and restores, and no others.
  static func removeUnfinishedBackups(in directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where isUnfinishedBackup(name) {
      var status = stat()
      guard lstat(directory + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      guard unlink(directory + "/" + name) == 0 else {
        throw JournalError.system(errno, while: "removing an unfinished backup")
      }
    }
  }

  /// Returns whether the file name is that of an unfinished backup, or of a file that SQLite creates for one.
  private static func isUnfinishedBackup(_ name: String) -> Bool {
    guard name.hasPrefix(backupPrefix) else { return false }
    let identifier = name.dropFirst(backupPrefix.count)
    return ([""] + companionSuffixes).contains { suffix in
      identifier.hasSuffix(suffix) && UUID(uuidString: String(identifier.dropLast(suffix.count))) != nil
    }
  }

  private static func sync(_ path: String) throws(JournalError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, while: "opening the copy") }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(errno, while: "flushing the copy") }
  }
}
