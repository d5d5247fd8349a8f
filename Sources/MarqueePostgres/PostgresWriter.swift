import Glibc
import MarqueeJournal
import MarqueeModel
import Synchronization

/// The only writer of a database, or of the shards of a lane.
///
/// It executes the batches of a journal on a ``FencedConnection``, and finds out what became of those whose commit was
/// not answered.
///
/// All functions run on the thread of ``connection``; the writer is `@unchecked Sendable` because only they use its
/// state.
final class PostgresWriter: @unchecked Sendable {
  /// The time for which a writer tries to find out what became of a batch.
  private static let resolutionTimeMax = Duration.seconds(300)
  /// The time between two attempts, in microseconds.
  private static let resolutionPause: UInt32 = 100_000
  private let fence: FencedConnection
  private let numbers = PostgresNumbers()
  private let cache: DataKeyCache
  private let directory: KeyDirectory
  /// The ``FencedConnection/acquisitionCount`` since which the caches are valid.
  private var acquisitionCount = 0
  /// Whether the outcome of a batch is unknown. Other writes fail at once meanwhile.
  private let inDoubt = Mutex(false)

  init(_ fence: FencedConnection, _ cache: DataKeyCache, _ directory: KeyDirectory) {
    self.cache = cache
    self.directory = directory
    self.fence = fence
  }

  var connection: PostgresConnection { fence.connection }
  /// The shards whose devices can be read and written.
  var shards: OwnedShards { fence.shards }

  /// Creates or migrates the tables of a single server, makes the first key if there are no devices, and fences an
  /// earlier writer. The caller has the lock of the database.
  ///
  /// - Throws: ``PostgresError`` `wrongFormat`, or `JournalError` `refused` if the directory has no key of the
  ///   database.
  func begin() async throws {
    let directory = directory
    try await connection.perform { connection in
      let node = try connection.write { transaction in
        try PostgresSchema.migrate(transaction)
        try KeyTable.begin(directory, transaction)
        // A batch of an earlier writer that is still under way ends first; one that comes later finds no row.
        transaction.add(PostgresCall("SET LOCAL lock_timeout = '10s'"))
        transaction.add(PostgresCall("DELETE FROM lane"))
        return try transaction.run(
          PostgresCall("INSERT INTO lane VALUES (nextval('node_number'), 0, 0) RETURNING node")
        ).integer(0, 0)
      }
      self.fence.begin(BatchSequence(node: node))
    }
  }

  /// Writes a batch.
  ///
  /// - Throws: ``JournalError``. After `fenced`, and after `commitFailed`, all later writes fail.
  func write(_ batch: Batch, _ connection: isolated PostgresConnection) throws {
    removeStaleEntries()
    let shards = fence.shards
    do {
      let changes = try fence.write(connection) { transaction in
        let keys = TransactionKeys(self.cache, self.directory)
        try PostgresChange(transaction, self.numbers, keys, shards).write(batch)
        return keys.changes
      }
      cache.replace(by: changes)
    } catch {
      let failure = error as? PostgresError
      let journalError = JournalError(error, ofOpenJournalWhile: "writing", numbers)
      numbers.removeAll()
      guard failure?.outcome == .unknown else { throw journalError }
      cache.removeAll()
      // A view that began before the commit may have read its data key meanwhile.
      defer { cache.removeAll() }
      try resolve(journalError, connection)
    }
  }

  /// Clears the caches after shards were acquired, whose devices another node has removed, or sealed under other keys.
  private func removeStaleEntries() {
    guard acquisitionCount != fence.acquisitionCount else { return }
    acquisitionCount = fence.acquisitionCount
    numbers.removeAll()
    cache.removeAll()
  }

  /// Fails if the database is known to be out of reach.
  ///
  /// - Throws: `JournalError` `unavailable`.
  func checkReach() throws(JournalError) {
    guard inDoubt.withLock({ !$0 }) else {
      throw JournalError(.unavailable, "the database cannot be reached, and has not answered a commit")
    }
  }

  /// Fails all later writes.
  func close(_ connection: isolated PostgresConnection) { fence.close(connection) }

  /// Finds out whether a batch was written, and makes the answer final: see ``BatchSequence``.
  private func resolve(_ failure: JournalError, _ connection: isolated PostgresConnection) throws {
    inDoubt.withLock { $0 = true }
    defer { inDoubt.withLock { $0 = false } }
    let deadline = ContinuousClock.now + Self.resolutionTimeMax
    while true {
      do {
        if try fence.resolve(connection) { return }
        break
      } catch {
        guard error is PostgresError, ContinuousClock.now < deadline else {
          let final = JournalError(
            .commitFailed, "\(failure.message); what became of it could not be found out: \(error)", cause: failure)
          fence.fail(final)
          throw final
        }
        usleep(Self.resolutionPause)
      }
    }
    throw JournalError(.unavailable, "the connection was lost; the transaction was not committed", cause: failure)
  }
}
