import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler
import Synchronization

/// What survives a restart: each device's creation, its events in order, snapshots, and its decisions.
///
/// One SQLite file in a data directory that one store at a time has open. What
/// ``append(created:events:decisions:snapshots:agenda:)`` has returned for is on the disk. Reads go on while writes are
/// under way, and see whole transactions.
public final class Store: Sendable {
  /// Devices or decisions in one page, at most.
  public static let pageCountMax = 1_000
  /// Devices in one page of the agenda, at most.
  public static let agendaPageCountMax = 10_000
  /// Bytes of events in one page, at most, unless a single event has more.
  public static let eventPageSizeMax = 1_048_576
  /// The file in the data directory that has everything.
  static let fileName = "marquee.sqlite"
  /// Bytes of a page in a file that is made; those of earlier formats stay at 4096. Most events change two pages, one
  /// of the journal and one of its index, and fill neither: smaller ones are less to write.
  static let pageSize = 2_048

  let pool: DatabasePool
  let committer: Committer
  private let mover: LogMover
  private let lock: Mutex<DirectoryLock?>
  /// Held as long as the pool, whose writer it is attached to.
  private let log = LogGauge()

  /// Opens the data directory at `path`, which is made if need be; blocks until the file is ready.
  ///
  /// A directory whose file is damaged, so far as a look at its ends tells, or gone, is refused and left as it is; what
  /// is damaged deeper inside is found when it is read. Throws `directoryLocked`, `schemaTooNew`, `corrupt`,
  /// `diskFull`, `ioFailed` or `commitFailed`.
  public convenience init(directory path: String) throws(StoreError) {
    try self.init(directory: path, logPageCountMax: Committer.logPageCountMax)
  }

  init(directory path: String, logPageCountMax: Int) throws(StoreError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError(.ioFailed, "making the data directory failed", cause: error)
    }
    let lock = try DirectoryLock(directory: path)
    let file = path + "/" + Self.fileName
    do {
      try Self.checkEnds(of: file, isExpected: lock.hasMark())
      try Self.removeUnfinishedBackups(in: path)
      pool = try DatabasePool(path: file, configuration: Self.configuration)
      try Self.prepare(pool, log)
      mover = LogMover(try DatabaseQueue(path: file, configuration: Self.configuration))
    } catch {
      throw StoreError(error, while: "opening the store").withAdvice
    }
    try lock.setMark()
    committer = Committer(pool, log: log, mover: mover, logPageCountMax: logPageCountMax)
    self.lock = Mutex(lock)
  }

  /// Closes the file after what has been handed over is written, and frees the directory.
  public func close() throws(StoreError) {
    committer.close()
    do {
      try pool.close()
      try mover.close()
    } catch {
      throw StoreError(error, while: "closing the store")
    }
    lock.withLock { $0 = nil }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    // Whoever else has the file open, a person with a shell perhaps, is waited for a little.
    configuration.busyMode = .timeout(1)
    configuration.prepareDatabase { db in
      // Pages that are freed are overwritten, so that nothing deleted is found in them; nor in files of its own.
      try db.execute(
        sql: "PRAGMA page_size = \(pageSize); PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  private static func prepare(_ pool: DatabasePool, _ log: LogGauge) throws {
    try pool.writeWithoutTransaction { db in
      log.attach(to: db)
      // GRDB chooses NORMAL when it switches to WAL, which may lose the last commits when the power fails.
      try db.execute(sql: "PRAGMA synchronous = FULL")
    }
    let migrator = Schema.migrator
    guard try !pool.read(migrator.hasBeenSuperseded) else {
      throw StoreError(.schemaTooNew, "the store was written by a newer version")
    }
    try migrator.migrate(pool)
    try pool.writeWithoutTransaction { db in
      do {
        // The process may have ended between a deletion and this, which then was not acknowledged.
        try db.checkpoint(.truncate)
      } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_FULL].contains(error.resultCode) {
        // Somebody else reads the file, or the disk is full. The next deletion waits for that.
      }
      try LogBuffer.attach(to: db)
    }
  }
}

extension Store {
  /// Writes what happened: all of it or, when it throws, nothing. It is durable when this returns.
  ///
  /// - Parameters:
  ///   - created: New devices, as they were at their creation, before any event.
  ///   - events: Events in order; each device's sequences count on from its last one, the first being 1, and
  ///     instants never go back. `conflict` is thrown otherwise.
  ///   - decisions: Decisions; those already there by number stay as they are.
  ///   - snapshots: States of devices after the event of that sequence, which is stored or among `events`, and before
  ///     the next: as of that event or of a later instant.
  ///   - agenda: When devices next need to run as they are with all this, for ``agenda(policy:after:count:)``. Whoever
  ///     gives none of a device whose next wake comes earlier now must not rely on that.
  ///
  /// A deletion of donations must come with the snapshot of right after it. In the same transaction the donations are
  /// taken out of every event, snapshot and decision that is kept, and it is kept itself without naming them; before
  /// this returns, no file of the directory has any byte of them (rule D5). Reads that are under way are waited for, up
  /// to ``Committer/erasureAttemptCount`` seconds; if one takes longer, or the process ends meanwhile, the deletion is
  /// durable but not acknowledged, the store takes no more (`commitFailed`), and the next one to open the directory
  /// finishes it.
  ///
  /// Throws `conflict`, `diskFull`, `ioFailed`, `closed`, or `commitFailed`, after which the store takes no more.
  public func append(
    created: [Device], events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)],
    decisions: [(device: DeviceID, decision: Decision)], snapshots: [(sequence: UInt64, device: Device)],
    agenda: [Appointment] = []
  ) async throws(StoreError) {
    let batch = Batch(
      created: created.map { .init($0.id, number: 0, at: $0.now, Creation(of: $0).encoded) },
      events: events.map { .init($0.device, number: $0.sequence, at: $0.at, $0.event.redacted.encoded) },
      decisions: decisions.map {
        (.init($0.device, number: $0.decision.number, at: $0.decision.at, $0.decision.encoded), $0.decision.stack)
      },
      snapshots: snapshots.map {
        .init($0.device.id, number: $0.sequence, at: $0.device.now, Snapshot.bytes(of: $0.device))
      },
      erasures: events.compactMap { event in
        DonationErasure(event.event).map { erasure in
          let after = snapshots.first { $0.sequence == event.sequence && $0.device.id == event.device }
          guard let after else { preconditionFailure("a deletion without its snapshot") }
          return Erasure(erasure, sequence: event.sequence, after: after.device)
        }
      }, agenda: agenda.map { Batch.Entry($0) })
    try await commit(batch)
  }

  func commit(_ batch: Batch) async throws(StoreError) {
    let outcome = await withCheckedContinuation { continuation in
      committer.commit(batch) { continuation.resume(returning: $0) }
    }
    try outcome.get()
  }

  /// Whether nothing of a failed ``append(created:events:decisions:snapshots:agenda:)`` has been written, and a later
  /// one may succeed. Otherwise whoever depends on the store must end and open it anew.
  public func isTransient(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return false }
    return error.code == .diskFull || error.code == .ioFailed
  }
}
