import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import Synchronization

/// The persistent store of all devices, in a data directory: their creations, events, snapshots and decisions.
///
/// A store is a journal in an SQLite database in WAL mode, in a data directory that only one store at a time can open.
/// What rows mean is the same for every engine: see `TableJournal`. A write is durable once `append` has returned.
/// Reads run concurrently with writes, and see complete transactions.
///
/// A deletion, which leaves no byte of the deleted content in the data directory, waits for a running backup, and up to
/// 2 seconds for other readers. If one takes longer, such as a suspended process, `deletionUnfinished` is thrown:
/// everything is durable, other writes continue, and the WAL, which may still contain bytes of the content, is
/// truncated as soon as possible, by this store or by the next one that opens the directory. That one also completes
/// the erasure of removed devices. The row number of a removed device and the instants of its rows remain.
public final class Store: TableJournal {
  /// The name of the database file in the data directory.
  static let fileName = "marquee.sqlite"

  /// Returns whether a directory has a store.
  public static func exists(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/\(fileName)")
  }
  /// The page size of a new database, in bytes; databases of earlier formats keep 4096. Most events change two pages,
  /// one of the journal and one of its index, and fill neither, so smaller pages mean fewer bytes to write.
  static let pageSize = 2_048
  /// The time for which a statement waits for another process that has the file locked, in seconds.
  static let busyTimeout = 1.0

  public let tables: SQLiteTables
  private let checkpointer: WALCheckpointer
  private let lock: Mutex<DirectoryLock?>
  /// Warnings for the operator about the data directory when it was opened.
  public let warnings: [String]
  /// Attached to the pool's writer, which it must outlive.
  private let frameCounter = WALFrameCounter()

  var pool: DatabasePool { tables.pool }
  var committer: Committer { tables.committer }

  /// Opens the data directory at `path`, and creates it if it does not exist. Blocks until the database is ready.
  ///
  /// The files are readable only by their owner, whatever the umask. A directory that other users may write, or that is
  /// owned by another user than this one and root, is rejected; one that other users may read causes one of the
  /// ``warnings``.
  ///
  /// Damaged indexes, and missing indexes and triggers, are rebuilt, which causes ``warnings``. Other corruption that
  /// is not detected here is detected when the affected rows are read.
  ///
  /// - Parameter path: The path of the data directory.
  /// - Throws: ``JournalError`` `corrupt` if the database file is missing, truncated, or has a damaged header or WAL,
  ///   in which case the directory is not modified; `directoryLocked`, `schemaTooNew`, `diskFull`, `ioFailed` or
  ///   `commitFailed`.
  public convenience init(directory path: String) throws(JournalError) {
    try self.init(directory: path, walFrameCountMax: Committer.walFrameCountMax)
  }

  init(directory path: String, walFrameCountMax: Int) throws(JournalError) {
    var warnings = try DataDirectory.prepare(path)
    let lock = try DirectoryLock(directory: path)
    let file = path + "/" + Self.fileName
    let (pool, isWALEmpty): (DatabasePool, Bool)
    do {
      try Self.checkFile(of: file, isExpected: lock.hasMark())
      try lock.removeClosedMark()
      try Self.removeUnfinishedBackups(in: path)
      try DataDirectory.createFile(file)
      pool = try DatabasePool(path: file, configuration: Self.configuration)
      isWALEmpty = try Self.prepare(pool, frameCounter, &warnings)
      checkpointer = WALCheckpointer(try DatabaseQueue(path: file, configuration: Self.configuration))
    } catch {
      throw JournalError(error, while: "opening the store").withAdvice
    }
    try lock.setMark()
    let committer = Committer(
      pool, frameCounter: frameCounter, checkpointer: checkpointer, walFrameCountMax: walFrameCountMax)
    tables = SQLiteTables(pool: pool, committer: committer)
    self.lock = Mutex(lock)
    self.warnings = warnings
    if !isWALEmpty { committer.truncateWALLater() }
  }

  /// Closes the database once all accepted writes have completed, and unlocks the directory.
  ///
  /// - Throws: ``JournalError`` if the database cannot be closed.
  public func close() throws(JournalError) {
    committer.close()
    do {
      try pool.close()
      try checkpointer.close()
    } catch {
      throw JournalError(error, while: "closing the store")
    }
    // The WAL remains if another process has the database open.
    let isWALRemoved = !FileManager.default.fileExists(atPath: pool.path + "-wal")
    lock.withLock { lock in
      if isWALRemoved { lock?.setClosedMark() }
      lock = nil
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    // Waits briefly for other processes that have the file open, such as an SQLite shell.
    configuration.busyMode = .timeout(busyTimeout)
    configuration.prepareDatabase { db in
      // Overwrites freed pages, so that they contain no deleted data, and avoids temporary files that might.
      try db.execute(
        sql: "PRAGMA page_size = \(pageSize); PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Repairs and migrates the schema, and returns whether the WAL could be truncated.
  private static func prepare(
    _ pool: DatabasePool, _ frameCounter: WALFrameCounter, _ warnings: inout [String]
  ) throws -> Bool {
    warnings += try pool.writeWithoutTransaction { db in
      frameCounter.attach(to: db)
      // GRDB sets NORMAL when it switches to WAL, which may lose the last commits in a power failure.
      try db.execute(sql: "PRAGMA synchronous = FULL")
      return try repair(db)
    }
    try Schema.migrator.migrate(pool)
    warnings += try pool.writeWithoutTransaction { try repairDeviceIndexes($0) + repairDonationIndex($0) }
    warnings += try pool.writeWithoutTransaction { try completeErasures($0) }
    return try pool.writeWithoutTransaction { db in
      var isWALEmpty = true
      do {
        // The previous process may have ended between an erasure and the truncation of the WAL.
        try db.checkpoint(.truncate)
      } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_FULL].contains(error.resultCode) {
        // Another process is reading the database, or the disk is full.
        isWALEmpty = false
      }
      try WALWriteCoalescer.attach(to: db)
      return isWALEmpty
    }
  }
}

extension Store {
  /// Returns the latest instant of any record, or `nil` if there are none. Blocks.
  public func lastInstant() throws(JournalError) -> Instant? {
    do {
      return try pool.read { try SQLiteView(db: $0).latestInstants(of: nil, count: 1).first }
        .flatMap { Instant(milliseconds: $0.at) }
    } catch {
      throw JournalError(error, while: "reading")
    }
  }
}
