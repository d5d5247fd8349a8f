import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler
import Synchronization

/// The persistent store of all devices: their creations, events, snapshots and decisions.
///
/// A store is an SQLite database in WAL mode, in a data directory that only one store at a time can open. A write is
/// durable once ``append(created:events:decisions:snapshots:wakeSchedule:)`` has returned. Reads run concurrently with
/// writes, and see complete transactions.
public final class Store: Sendable {
  /// The maximum number of devices, events or decisions in one page.
  public static let pageCountMax = 1_000
  /// The maximum number of devices in one page of the wake schedule.
  public static let wakeSchedulePageCountMax = 10_000
  /// The maximum number of bytes of events in one page, unless a single event is larger.
  public static let eventPageSizeMax = 1_048_576
  /// The name of the database file in the data directory.
  static let fileName = "marquee.sqlite"
  /// The page size of a new database, in bytes; databases of earlier formats keep 4096. Most events change two pages,
  /// one of the journal and one of its index, and fill neither, so smaller pages mean fewer bytes to write.
  static let pageSize = 2_048
  /// The time for which a statement waits for another process that has the file locked, in seconds.
  static let busyTimeout = 1.0

  let pool: DatabasePool
  let committer: Committer
  private let checkpointer: WALCheckpointer
  private let lock: Mutex<DirectoryLock?>
  /// Warnings for the operator about the data directory when it was opened.
  public let warnings: [String]
  /// Attached to the pool's writer, which it must outlive.
  private let frameCounter = WALFrameCounter()

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
  /// - Throws: ``StoreError`` `corrupt` if the database file is missing, truncated, or has a damaged header or WAL, in
  ///   which case the directory is not modified; `directoryLocked`, `schemaTooNew`, `diskFull`, `ioFailed` or
  ///   `commitFailed`.
  public convenience init(directory path: String) throws(StoreError) {
    try self.init(directory: path, walFrameCountMax: Committer.walFrameCountMax)
  }

  init(directory path: String, walFrameCountMax: Int) throws(StoreError) {
    var warnings = try DataDirectory.prepare(path)
    let lock = try DirectoryLock(directory: path)
    let file = path + "/" + Self.fileName
    let isWALEmpty: Bool
    do {
      try Self.checkFile(of: file, isExpected: lock.hasMark())
      try lock.removeClosedMark()
      try Self.removeUnfinishedBackups(in: path)
      try DataDirectory.createFile(file)
      pool = try DatabasePool(path: file, configuration: Self.configuration)
      isWALEmpty = try Self.prepare(pool, frameCounter, &warnings)
      checkpointer = WALCheckpointer(try DatabaseQueue(path: file, configuration: Self.configuration))
    } catch {
      throw StoreError(error, while: "opening the store").withAdvice
    }
    try lock.setMark()
    committer = Committer(
      pool, frameCounter: frameCounter, checkpointer: checkpointer, walFrameCountMax: walFrameCountMax)
    self.lock = Mutex(lock)
    self.warnings = warnings
    if !isWALEmpty { committer.truncateWALLater() }
  }

  /// Closes the database once all accepted writes have completed, and unlocks the directory.
  ///
  /// - Throws: ``StoreError`` if the database cannot be closed.
  public func close() throws(StoreError) {
    committer.close()
    do {
      try pool.close()
      try checkpointer.close()
    } catch {
      throw StoreError(error, while: "closing the store")
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
  /// Writes records atomically and durably.
  ///
  /// If the call throws, nothing has been written, except after `deletionUnfinished` and `commitFailed`.
  ///
  /// A snapshot that is earlier than its event restates the device's time: the device's retained history begins with
  /// that snapshot.
  ///
  /// A deletion of donations must come with a snapshot right after it. The donations are redacted from every stored
  /// event, snapshot and decision in the same transaction, and the deletion itself is stored without their names. So
  /// must a removal of content: the device's retained history begins with that snapshot, and everything earlier is
  /// overwritten. When the call returns, no file in the data directory contains any byte of the deleted content. The
  /// call waits for a running backup, and up to 2 seconds for other readers. If one takes longer, such as a suspended
  /// process, `deletionUnfinished` is thrown: everything is durable, other writes continue, and the WAL, which may
  /// still contain bytes of the content, is truncated as soon as possible, by this store or by the next one that opens
  /// the directory.
  ///
  /// - Parameters:
  ///   - created: New devices in their state at creation, before any event.
  ///   - events: Events in order. Each device's sequences continue from its last one, starting with 1, and its instants
  ///     must not decrease.
  ///   - decisions: Decisions. Those whose number is already stored are ignored.
  ///   - snapshots: Snapshots of devices, each after an event that is stored or among `events`, as of that event or of
  ///     a later instant before the next one.
  ///   - wakeSchedule: The next wakes of devices after all of these records, for
  ///     ``wakeSchedule(policy:after:count:)``. The schedule is not updated for devices without an entry, even if their
  ///     next wake is earlier now.
  /// - Throws: ``StoreError`` `conflict`, `diskFull`, `busy`, `ioFailed`, `closed`, `deletionUnfinished`, or
  ///   `commitFailed`, after which the store accepts no more writes.
  public func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake] = []
  ) async throws(StoreError) {
    let historyStarts = Self.historyStarts(events, snapshots)
    let kept = snapshots.filter { $0.sequence > historyStarts[$0.device.id]?.sequence ?? 0 || $0.sequence == 0 }
    let batch = Batch(
      created: created.map { .init($0.id, number: 0, at: $0.now, Creation(of: $0).encoded) },
      events: events.map { .init($0.device, number: $0.sequence, at: $0.at, $0.event.redacted.encoded) },
      decisions: decisions.map {
        (.init($0.device, number: $0.decision.number, at: $0.decision.at, $0.decision.encoded), $0.decision.stack)
      },
      snapshots: kept.map {
        .init($0.device.id, number: $0.sequence, at: $0.device.now, Snapshot.bytes(of: $0.device, .referenced))
      },
      redactions: events.compactMap { event in
        DonationRedaction(event.event).map { donations in
          let after = snapshots.first { $0.sequence == event.sequence && $0.device.id == event.device }
          guard let after else { preconditionFailure("a deletion of donations without a snapshot") }
          return Redaction(donations, sequence: event.sequence, after: after.device)
        }
      }, historyStarts: historyStarts, wakeSchedule: wakeSchedule.map { Batch.WakeEntry($0) })
    try await commit(batch)
  }

  /// Returns each device's last event after which its retained history begins: one that removed content, or whose
  /// snapshot is earlier, which restates the device's time. The history is erased if one of a device's events removed
  /// content.
  private static func historyStarts(
    _ events: [JournalEntry], _ snapshots: [DeviceSnapshot]
  ) -> [DeviceID: HistoryStart] {
    var starts: [DeviceID: HistoryStart] = [:]
    for snapshot in snapshots {
      let id = snapshot.device.id
      let event = events.first { $0.sequence == snapshot.sequence && $0.device == id }
      guard let event, event.event.removesContent || event.at > snapshot.device.now else { continue }
      let isErasure = event.event.removesContent || starts[id]?.isErasure == true
      starts[id] = HistoryStart(sequence: snapshot.sequence, device: snapshot.device, isErasure: isErasure)
    }
    precondition(
      events.allSatisfy { !$0.event.removesContent || starts[$0.device]?.sequence ?? 0 >= $0.sequence },
      "a removal of content without a snapshot")
    return starts
  }

  func commit(_ batch: Batch) async throws(StoreError) {
    let outcome = await withCheckedContinuation { continuation in
      committer.commit(batch) { continuation.resume(returning: $0) }
    }
    try outcome.get()
  }

  /// Returns whether a failed call may succeed if it is repeated.
  public func isTransient(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return false }
    return [.diskFull, .ioFailed, .busy].contains(error.code)
  }

  /// Returns whether a failed ``append(created:events:decisions:snapshots:wakeSchedule:)`` has written nothing, so that
  /// others may succeed: the disk failed, or a record that a deletion reads is corrupt. Otherwise the store must be
  /// closed and opened again.
  public func isUnwritten(_ error: any Error) -> Bool {
    isTransient(error) || (error as? StoreError)?.code == .corrupt
  }

  /// Returns whether a failed ``append(created:events:decisions:snapshots:wakeSchedule:)`` is durable, and only its
  /// deletions are unfinished.
  public func isDurable(_ error: any Error) -> Bool { (error as? StoreError)?.code == .deletionUnfinished }
}
