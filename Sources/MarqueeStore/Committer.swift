import GRDB
import Synchronization

/// Group commit: whoever wants something written while a commit is under way shares the next transaction and its
/// one flush to the disk, in the order of arrival.
///
/// The work runs on the dispatch queue of the database's writer. That thread may block for as long as the disk
/// likes; no thread of Swift's pool ever does.
final class Committer: Sendable {
  typealias Outcome = Result<Void, StoreError>

  private struct Waiting: Sendable {
    let batch: Batch
    let finish: @Sendable (Outcome) -> Void
  }

  private struct State {
    var waiting: [Waiting] = []
    var isDraining = false
    /// Why nothing more is written.
    var end: StoreError?
    var commitCount = 0
    var backupCount = 0
  }

  /// How often a log that readers hold is tried to be emptied, for a second each, before the store gives up.
  static let erasureAttemptCount = 30
  /// Batches in one transaction, at most.
  static let groupBatchCountMax = 1_024
  /// Pages in the log after which it is moved into the file; it grows beyond that while readers hold it.
  static let logPageCountMax = 4_000
  /// Of how many parts of ``logPageCountMax`` a rest is no more than one, for which those who wait are kept waiting, so
  /// that the log begins anew; the rest of what came while the log was moved beside them.
  static let logRestPart = 8
  /// How many times ``logPageCountMax`` the log may have before they are kept waiting, however much is to be moved.
  static let logStretchMax = 4

  private let pool: DatabasePool
  private let log: LogGauge
  private let mover: LogMover
  private let logPageCountMax: Int
  private let state = Mutex(State())
  /// Whether the database takes work. It is closed only after this says so.
  private let isOpen = Mutex(true)
  /// Used on the writer's thread only.
  private let numbers = Mutex(DeviceNumbers())

  /// A committer to a pool to whose writer `log` is attached, and whose log nobody but it and `mover` moves.
  init(_ pool: DatabasePool, log: LogGauge, mover: LogMover, logPageCountMax: Int = logPageCountMax) {
    self.pool = pool
    self.log = log
    self.mover = mover
    self.logPageCountMax = logPageCountMax
  }

  /// Transactions committed so far.
  var commitCount: Int { state.withLock { $0.commitCount } }

  /// Calls `finish` once the batch is durable or has failed, in which case nothing of it has been written.
  ///
  /// Each caller waits for its outcome before it comes again, so there are as many batches here as callers.
  func commit(_ batch: Batch, finish: @escaping @Sendable (Outcome) -> Void) {
    let (end, isFirst) = state.withLock { state in
      guard state.end == nil else { return (state.end, false) }
      state.waiting.append(Waiting(batch: batch, finish: finish))
      defer { state.isDraining = true }
      return (nil, !state.isDraining)
    }
    if let end { return finish(.failure(end)) }
    guard isFirst else { return }
    // Not under the lock above, which the writer's thread wants at once.
    let isStarted = isOpen.withLock { isOpen in
      if isOpen { pool.asyncWriteWithoutTransaction { self.drain($0) } }
      return isOpen
    }
    if !isStarted { refuseWaiting() }
  }

  /// Refuses what was accepted just as the database was closed, before any of it was written.
  private func refuseWaiting() {
    let (waiting, end) = state.withLock { state in
      defer {
        state.waiting = []
        state.isDraining = false
      }
      return (state.waiting, state.end)
    }
    for waiting in waiting { waiting.finish(.failure(end ?? Self.closed)) }
  }

  private static var closed: StoreError { StoreError(.closed, "the store is closed") }

  /// Whoever reads for a backup is waited for, however long it takes, by a deletion that must empty the log.
  func beginBackup() { state.withLock { $0.backupCount += 1 } }

  /// The backup reads no more.
  func endBackup() { state.withLock { $0.backupCount -= 1 } }

  /// Refuses what comes from now on. What the writer's thread has been told of is still written.
  func close() {
    state.withLock { $0.end = $0.end ?? Self.closed }
    isOpen.withLock { $0 = false }
  }

  private func drain(_ db: Database) {
    while let group = nextGroup() { commit(group, db) }
  }

  private func nextGroup() -> [Waiting]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isDraining = false
        return nil
      }
      let upkeep = state.waiting.firstIndex { $0.batch.upkeep != nil } ?? .max
      let group = Array(state.waiting.prefix(upkeep == 0 ? 1 : min(upkeep, Self.groupBatchCountMax)))
      state.waiting.removeFirst(group.count)
      return group
    }
  }

  private func commit(_ group: [Waiting], _ db: Database) {
    do throws(StoreError) {
      try write(group, db)
    } catch {
      if error.code == .conflict, group.count > 1 {
        // One batch does not fit what is stored. Written singly, it alone fails.
        for waiting in group { commit([waiting], db) }
        return
      }
      if error.code == .commitFailed { state.withLock { $0.end = error } }
      for waiting in group { waiting.finish(.failure(error)) }
      return
    }
    state.withLock { $0.commitCount += 1 }
    for waiting in group { waiting.finish(.success(())) }
    moveLog(db)
  }

  private func write(_ group: [Waiting], _ db: Database) throws(StoreError) {
    if let end = state.withLock({ $0.end }), end.code == .commitFailed { throw end }
    let erases = group.contains { !$0.batch.erasures.isEmpty }
    if erases { try makeRoom(db) }
    do {
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      try numbers.withLock { numbers in
        for waiting in group { try waiting.batch.write(db, &numbers) }
      }
    } catch {
      let failure = StoreError(error, while: "writing")
      try rollBack(db)
      throw failure
    }
    do {
      try db.cachedStatement(sql: "COMMIT").execute()
    } catch {
      let failure = StoreError(error, while: "committing")
      try rollBack(db)
      // The frame that makes a transaction count is written last. When there was no room for it, nothing counts;
      // after any other failure it may be found by the next process that recovers the file.
      guard failure.code != .diskFull else { throw failure }
      throw StoreError(.commitFailed, failure.message, cause: failure.cause)
    }
    if erases { try emptyLog(db) }
  }

  /// Has a log that has grown moved into the file. What is not moved stays in the log, where it is as durable, unless
  /// what had been moved may have been lost.
  private func moveLog(_ db: Database) {
    let count = log.pageCount
    let restCount = mover.restCount(of: count)
    guard count >= logPageCountMax, restCount != 0 else { return }
    if count < Self.logStretchMax * logPageCountMax {
      guard let restCount else { return }
      if restCount > logPageCountMax / Self.logRestPart { return mover.move { self.noteUnmoved($0) } }
    }
    do {
      try moveAlone(db, .passive)
    } catch {
      noteUnmoved(error)
    }
  }

  private func noteUnmoved(_ error: any Error) {
    let failure = StoreError(error, while: "moving the log")
    if failure.code == .commitFailed { state.withLock { $0.end = failure } }
  }

  /// Moves the log on the writer's thread.
  private func moveAlone(_ db: Database, _ mode: Database.CheckpointMode) throws {
    mover.wait()
    let count = log.pageCount
    let moved = try db.checkpoint(mode)
    // An emptied log has no pages until the next commit, and then no more than that.
    mover.note(moved: mode == .truncate ? count : moved.checkpointedFrameCount)
  }

  /// Sees to it that the file has room for what is in the log, so that a deletion is refused on a full disk while it
  /// still can be: once committed, it must leave the log.
  private func makeRoom(_ db: Database) throws(StoreError) {
    do {
      try moveAlone(db, .passive)
    } catch {
      let failure = StoreError(error, while: "moving the log")
      if failure.code != .ioFailed { throw failure }
      // Whoever else is busy with the file is waited for after the commit.
    }
  }

  /// Moves the log into the file and empties it: until then it has what was overwritten.
  ///
  /// Readers that began before see older pages in it, so they are waited for; those that begin now read the file.
  private func emptyLog(_ db: Database) throws(StoreError) {
    var failure: (any Error)?
    var attemptCount = 0
    while attemptCount < Self.erasureAttemptCount {
      do {
        try moveAlone(db, .truncate)
        return
      } catch {
        failure = error
        guard (error as? DatabaseError)?.resultCode == .SQLITE_BUSY else { break }
        if state.withLock({ $0.backupCount == 0 }) { attemptCount += 1 }
      }
    }
    throw StoreError(.commitFailed, "what was deleted is still in the log", cause: failure)
  }

  private func rollBack(_ db: Database) throws(StoreError) {
    numbers.withLock { $0.removeAll() }
    // SQLite rolls back by itself after some failures.
    guard db.isInsideTransaction else { return }
    do {
      try db.execute(sql: "ROLLBACK")
    } catch {
      let failure = StoreError(error, while: "rolling back")
      throw StoreError(.commitFailed, failure.message, cause: failure.cause)
    }
  }
}
