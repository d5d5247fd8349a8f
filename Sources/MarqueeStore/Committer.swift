import Foundation
import GRDB
import GRDBSQLite
import MarqueeJournal
import Synchronization

/// Group commit: batches that arrive while a commit is in progress share the next transaction and its one `fsync`, in
/// the order of arrival.
///
/// All work runs on the serial dispatch queue of the database's writer. That thread may block on the disk; threads of
/// Swift's cooperative pool never do.
final class Committer: Sendable {
  typealias Outcome = Result<Void, JournalError>

  private struct PendingBatch: Sendable {
    let batch: Batch
    let completion: @Sendable (Outcome) -> Void
  }

  private struct State {
    var pending: [PendingBatch] = []
    var isDraining = false
    /// The error with which every further batch fails.
    var terminalError: JournalError?
    var commitCount = 0
    var backupCount = 0
    /// Whether the WAL may contain bytes that a durable erasure has overwritten in the database.
    var isTruncationPending = false
    /// Whether the writer's thread should attempt the pending truncation now.
    var isTruncationDue = false
  }

  /// The number of attempts, of one second each, to truncate a WAL that readers hold before an erasure fails as
  /// unfinished.
  static let truncationAttemptCount = 2
  /// The interval between attempts to truncate the WAL after an unfinished erasure.
  private static let truncationRetryInterval = DispatchTimeInterval.seconds(1)
  /// The milliseconds that such an attempt, or an erasure during one, waits for readers; all writes wait meanwhile.
  private static let truncationBusyTimeout: CInt = 50
  /// The maximum number of batches in one transaction.
  static let groupBatchCountMax = 1_024
  /// The number of frames in the WAL from which it is checkpointed; it grows beyond that while readers hold it.
  static let walFrameCountMax = 4_000
  /// If at most `walFrameCountMax / 8` frames are left to checkpoint, they are checkpointed on the writer, which blocks
  /// commits briefly, so that the WAL restarts.
  static let blockingCheckpointFraction = 8
  /// The multiple of ``walFrameCountMax`` from which the WAL is always checkpointed on the writer.
  static let walSizeHardLimitFactor = 4

  private let pool: DatabasePool
  private let frameCounter: WALFrameCounter
  private let checkpointer: WALCheckpointer
  private let walFrameCountMax: Int
  private let state = Mutex(State())
  /// Whether the pool accepts work. The pool is closed only after this is `false`.
  private let isOpen = Mutex(true)
  /// Used on the writer's thread only.
  private let numbers = Mutex(DeviceNumbers())

  /// Creates a committer that writes to `pool`.
  ///
  /// - Parameters:
  ///   - pool: The database, whose WAL only this committer and `checkpointer` may checkpoint.
  ///   - frameCounter: A counter attached to the pool's writer.
  ///   - checkpointer: A checkpointer with its own connection to the same database.
  ///   - walFrameCountMax: The number of frames from which the WAL is checkpointed.
  init(
    _ pool: DatabasePool, frameCounter: WALFrameCounter, checkpointer: WALCheckpointer,
    walFrameCountMax: Int = walFrameCountMax
  ) {
    self.pool = pool
    self.frameCounter = frameCounter
    self.checkpointer = checkpointer
    self.walFrameCountMax = walFrameCountMax
  }

  /// The number of transactions committed.
  var commitCount: Int { state.withLock { $0.commitCount } }

  /// Enqueues a batch, and calls `completion` once the batch is durable or has failed and nothing of it was written.
  ///
  /// The queue needs no limit of its own: each caller waits for the outcome of its batch before it commits another one.
  func commit(_ batch: Batch, completion: @escaping @Sendable (Outcome) -> Void) {
    let (error, isFirst) = state.withLock { state in
      guard state.terminalError == nil else { return (state.terminalError, false) }
      state.pending.append(PendingBatch(batch: batch, completion: completion))
      defer { state.isDraining = true }
      return (nil, !state.isDraining)
    }
    if let error { return completion(.failure(error)) }
    if isFirst { startDraining() }
  }

  /// Schedules ``drain(_:)`` on the writer. Must not be called with the state locked, which that thread locks at once.
  private func startDraining() {
    let isStarted = isOpen.withLock { isOpen in
      if isOpen { pool.asyncWriteWithoutTransaction { self.drain($0) } }
      return isOpen
    }
    if !isStarted { failPending() }
  }

  /// Fails the batches that were enqueued just as the database was closed, before any of them was written.
  private func failPending() {
    let (pending, error) = state.withLock { state in
      defer {
        state.pending = []
        state.isDraining = false
      }
      return (state.pending, state.terminalError)
    }
    for entry in pending { entry.completion(.failure(error ?? Self.closed)) }
  }

  private static var closed: JournalError { JournalError(.closed, "the store is closed") }

  /// Marks a backup as running: an erasure waits for the backup's read transaction without a limit.
  func beginBackup() { state.withLock { $0.backupCount += 1 } }

  /// Marks a backup as ended.
  func endBackup() { state.withLock { $0.backupCount -= 1 } }

  /// Fails further batches. Batches that the writer's thread already has are still written.
  func close() {
    state.withLock { $0.terminalError = $0.terminalError ?? Self.closed }
    isOpen.withLock { $0 = false }
  }

  private func drain(_ db: Database) {
    while let group = nextGroup() {
      if group.isEmpty { resumeTruncation(db) } else { commit(group, db) }
    }
  }

  /// Dequeues the batches of the next transaction. An empty group means that the WAL is to be truncated, and `nil` that
  /// there is nothing to do.
  private func nextGroup() -> [PendingBatch]? {
    state.withLock { state in
      guard !state.isTruncationDue else {
        state.isTruncationDue = false
        return []
      }
      guard !state.pending.isEmpty else {
        state.isDraining = false
        return nil
      }
      let maintenance = state.pending.firstIndex(where: \.batch.isMaintenance) ?? .max
      let group = Array(state.pending.prefix(maintenance == 0 ? 1 : min(maintenance, Self.groupBatchCountMax)))
      state.pending.removeFirst(group.count)
      return group
    }
  }

  private func commit(_ group: [PendingBatch], _ db: Database) {
    let unfinished: JournalError?
    do throws(JournalError) {
      unfinished = try write(group, db)
    } catch {
      if [.conflict, .corrupt].contains(error.code), group.count > 1 {
        // One batch conflicts with the stored rows, or deletes a corrupt one. Written one by one, only that
        // batch fails.
        for entry in group { commit([entry], db) }
        return
      }
      if error.code == .commitFailed { state.withLock { $0.terminalError = error } }
      for entry in group { entry.completion(.failure(error)) }
      return
    }
    state.withLock { $0.commitCount += 1 }
    for entry in group {
      if let unfinished, entry.batch.isErasure {
        entry.completion(.failure(unfinished))
      } else {
        entry.completion(.success(()))
      }
    }
    checkpointIfNeeded(db)
  }

  /// Writes a transaction.
  ///
  /// - Returns: The reason why the erasures in it are unfinished, or `nil`.
  private func write(_ group: [PendingBatch], _ db: Database) throws(JournalError) -> JournalError? {
    if let error = state.withLock({ $0.terminalError }), error.code == .commitFailed { throw error }
    let hasErasures = group.contains(where: \.batch.isErasure)
    if hasErasures { try checkpointBeforeErasure(db) }
    // Without the numbers after a failure: the devices that the transaction created may get others.
    let transaction = SQLiteTransaction(db, numbers.withLock { $0.removeAll() })
    do {
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      for entry in group { try transaction.write(entry.batch) }
    } catch {
      let failure = JournalError(error, while: "writing")
      try rollBack(db)
      throw failure
    }
    do {
      try db.cachedStatement(sql: "COMMIT").execute()
    } catch {
      let failure = JournalError(error, while: "committing")
      try rollBack(db)
      // The commit frame is written last. If there was no space for it, the transaction is void; after any other
      // failure, the next process that recovers the WAL may find the frame.
      guard failure.code != .diskFull else { throw failure }
      throw JournalError(.commitFailed, failure.message, cause: failure.cause)
    }
    numbers.withLock { $0 = transaction.numbers }
    return hasErasures ? try truncateWAL(db) : nil
  }

  /// Checkpoints the WAL once it has reached its limit. Frames that cannot be checkpointed stay in the WAL, where they
  /// are as durable, unless a flush of the database file failed.
  private func checkpointIfNeeded(_ db: Database) {
    let frameCount = frameCounter.frameCount
    let pendingFrameCount = checkpointer.pendingFrameCount(of: frameCount)
    guard frameCount >= walFrameCountMax, pendingFrameCount != 0 else { return }
    if frameCount < Self.walSizeHardLimitFactor * walFrameCountMax {
      guard let pendingFrameCount else { return }
      if pendingFrameCount > walFrameCountMax / Self.blockingCheckpointFraction {
        return checkpointer.start { self.recordCheckpointFailure($0) }
      }
    }
    do {
      try checkpoint(db, .passive)
    } catch {
      recordCheckpointFailure(error)
    }
  }

  private func recordCheckpointFailure(_ error: any Error) {
    let failure = JournalError(error, while: "WAL checkpoint")
    if failure.code == .commitFailed { state.withLock { $0.terminalError = failure } }
  }

  /// Checkpoints the WAL on the writer's thread.
  private func checkpoint(_ db: Database, _ mode: Database.CheckpointMode) throws {
    checkpointer.wait()
    let frameCount = frameCounter.frameCount
    let result = try db.checkpoint(mode)
    // A truncated WAL is empty until the next commit, and has at most that commit's frames then.
    checkpointer.recordCheckpoint(frameCount: mode == .truncate ? frameCount : result.checkpointedFrameCount)
  }

  /// Checkpoints the WAL before an erasure, so that it fails on a full disk while it can still be rolled
  /// back: once it is committed, the WAL must be truncated.
  private func checkpointBeforeErasure(_ db: Database) throws(JournalError) {
    do {
      try checkpoint(db, .passive)
    } catch {
      let failure = JournalError(error, while: "WAL checkpoint")
      // Another process that has the file locked is waited for after the commit.
      if ![.ioFailed, .busy].contains(failure.code) { throw failure }
    }
  }

  /// Checkpoints and truncates the WAL after an erasure, because its frames contain the bytes that were overwritten.
  ///
  /// Readers whose transaction began earlier still read frames of the WAL, so they are waited for; later ones read the
  /// database file. A reader may belong to another process, which may be suspended: the WAL is then truncated later,
  /// and writes continue.
  ///
  /// - Returns: The reason why the truncation was postponed, or `nil`.
  private func truncateWAL(_ db: Database) throws(JournalError) -> JournalError? {
    let isPatient = state.withLock { !$0.isTruncationPending }
    var attemptCount = 0
    while attemptCount < Self.truncationAttemptCount {
      do {
        try attemptTruncation(db, isPatient: isPatient)
        return nil
      } catch {
        guard (error as? DatabaseError)?.resultCode == .SQLITE_BUSY else {
          throw JournalError(.commitFailed, "WAL truncation failed: the WAL may contain deleted content", cause: error)
        }
        guard isPatient else { break }
        if state.withLock({ $0.backupCount == 0 }) { attemptCount += 1 }
      }
    }
    truncateWALLater()
    return JournalError(
      .deletionUnfinished,
      "deletion not yet complete: another process is reading the data directory; "
        + "the deletion is durable, and the server completes it when that process has ended its transaction")
  }

  private func attemptTruncation(_ db: Database, isPatient: Bool) throws {
    if !isPatient { sqlite3_busy_timeout(db.sqliteConnection, Self.truncationBusyTimeout) }
    defer { if !isPatient { sqlite3_busy_timeout(db.sqliteConnection, CInt(Store.busyTimeout * 1_000)) } }
    try checkpoint(db, .truncate)
    state.withLock { $0.isTruncationPending = false }
  }

  /// Retries the truncation of the WAL between writes until it succeeds.
  func truncateWALLater() {
    let isFirst = state.withLock { state in
      defer { state.isTruncationPending = true }
      return !state.isTruncationPending
    }
    if isFirst { scheduleTruncation() }
  }

  private func scheduleTruncation() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.truncationRetryInterval) { [weak self] in
      self?.requestTruncation()
    }
  }

  private func requestTruncation() {
    let isFirst = state.withLock { state in
      guard state.isTruncationPending, state.terminalError == nil else { return false }
      state.isTruncationDue = true
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { startDraining() }
  }

  private func resumeTruncation(_ db: Database) {
    guard state.withLock(\.isTruncationPending) else { return }
    do {
      try attemptTruncation(db, isPatient: false)
    } catch {
      recordCheckpointFailure(error)
      scheduleTruncation()
    }
  }

  private func rollBack(_ db: Database) throws(JournalError) {
    // SQLite has already rolled back after some failures.
    guard db.isInsideTransaction else { return }
    do {
      try db.execute(sql: "ROLLBACK")
    } catch {
      let failure = JournalError(error, while: "rolling back")
      throw JournalError(.commitFailed, failure.message, cause: failure.cause)
    }
  }
}
