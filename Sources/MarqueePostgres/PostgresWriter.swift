import Glibc
import MarqueeJournal
import MarqueeModel
import Synchronization

/// The only writer of a database: a connection with a lane.
///
/// The lane's row contains the number of the last batch that was committed. The first statement of each batch moves it
/// on by one, and fails if another server has replaced the row: it is a fence. After a commit without an answer, it is
/// the witness of what became of the batch.
///
/// All functions run on the thread of ``connection``; the writer is `@unchecked Sendable` because only they use its
/// state.
final class PostgresWriter: @unchecked Sendable {
  /// The time for which a writer tries to find out what became of a batch.
  private static let resolutionTimeMax = Duration.seconds(300)
  /// The time between two attempts, in microseconds.
  private static let resolutionPause: UInt32 = 100_000
  let connection: PostgresConnection
  private let numbers = PostgresNumbers()
  private let cache: DataKeyCache
  private let directory: KeyDirectory
  private var lane = LaneWitness(node: 0)
  /// Whether the outcome of a batch is unknown. Other writes fail at once meanwhile.
  private let inDoubt = Mutex(false)
  /// The error with which all writes fail.
  private var closure: JournalError?

  init(_ settings: PostgresSettings, _ cache: DataKeyCache, _ directory: KeyDirectory) throws(PostgresError) {
    self.cache = cache
    self.directory = directory
    connection = try PostgresConnection(settings, name: "postgres writer")
  }

  /// Creates or migrates the tables, makes the first key if there are no devices, and fences an earlier writer. The
  /// caller has possession of the database.
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
      self.lane = LaneWitness(node: node)
    }
  }

  /// Writes a batch.
  ///
  /// - Throws: ``JournalError``. After `fenced`, and after `commitFailed`, all later writes fail.
  func write(_ batch: Batch, _ connection: isolated PostgresConnection) throws {
    if let closure { throw closure }
    do {
      let changes = try connection.write { transaction in
        transaction.add(self.lane.advance)
        let keys = TransactionKeys(self.cache, self.directory)
        try PostgresChange(transaction, self.numbers, keys).write(batch)
        return keys.changes
      }
      lane.confirm()
      cache.replace(by: changes)
    } catch {
      let failure = error as? PostgresError
      let journalError = JournalError(error, ofOpenJournalWhile: "writing", numbers)
      numbers.removeAll()
      if failure?.outcome == .unknown {
        cache.removeAll()
        // A view that began before the commit may have read its data key meanwhile.
        defer { cache.removeAll() }
        return try resolve(journalError, connection)
      }
      if journalError.code == .fenced { closure = journalError }
      throw journalError
    }
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
  func close(_ connection: isolated PostgresConnection) {
    closure = closure ?? .isClosed
    connection.close()
  }

  /// Finds out whether a batch was written, and makes the answer final: see ``LaneWitness``.
  private func resolve(_ failure: JournalError, _ connection: isolated PostgresConnection) throws {
    inDoubt.withLock { $0 = true }
    defer { inDoubt.withLock { $0 = false } }
    let deadline = ContinuousClock.now + Self.resolutionTimeMax
    while true {
      do throws(PostgresError) {
        if try lane.resolve(connection) { return }
        break
      } catch {
        guard error.code != .fenced, ContinuousClock.now < deadline else {
          let final = JournalError(
            .commitFailed, "\(failure.message); what became of it could not be found out: \(error.message)",
            cause: failure)
          closure = final
          throw final
        }
        usleep(Self.resolutionPause)
      }
    }
    throw JournalError(.unavailable, "the connection was lost; the transaction was not committed", cause: failure)
  }
}
