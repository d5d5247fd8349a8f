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
  private var node: Int64 = 0
  /// The number of the last batch.
  private var batch: Int64 = 0
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
      self.node = try connection.write { transaction in
        try PostgresSchema.migrate(transaction)
        try KeyTable.begin(directory, transaction)
        // A batch of an earlier writer that is still under way ends first; one that comes later finds no row.
        transaction.add(PostgresCall("SET LOCAL lock_timeout = '10s'"))
        transaction.add(PostgresCall("DELETE FROM lane"))
        return try transaction.run(
          PostgresCall("INSERT INTO lane VALUES (nextval('node_number'), 0, 0) RETURNING node")
        ).integer(0, 0)
      }
    }
  }

  /// Writes a batch.
  ///
  /// - Throws: ``JournalError``. After `fenced`, and after `commitFailed`, all later writes fail.
  func write(_ batch: Batch, _ connection: isolated PostgresConnection) throws {
    if let closure { throw closure }
    do {
      let changes = try connection.write { transaction in
        transaction.add(self.advance())
        let keys = TransactionKeys(self.cache, self.directory)
        try PostgresChange(transaction, self.numbers, keys).write(batch)
        return keys.changes
      }
      self.batch += 1
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

  private func advance() -> PostgresCall {
    PostgresCall(
      prepared: "advance_lane", "SELECT advance_lane($1, 0, $2)", [.integer(node), .integer(batch + 1)])
  }

  /// Finds out whether a batch was written, and makes the answer final: the lane moves on, so that a copy of the batch
  /// that is still under way is refused.
  ///
  /// The lane moves on by two from where it is, so that a resolution that is repeated finds the same answer.
  private func resolve(_ failure: JournalError, _ connection: isolated PostgresConnection) throws {
    inDoubt.withLock { $0 = true }
    defer { inDoubt.withLock { $0 = false } }
    let deadline = ContinuousClock.now + Self.resolutionTimeMax
    while true {
      do {
        let rows = try connection.write([
          // The transaction whose outcome is unknown may still have the lane's lock.
          PostgresCall("SET LOCAL lock_timeout = '2s'"),
          PostgresCall(
            """
            UPDATE lane SET batch = batch + CASE WHEN batch <= $2 + 1 THEN 2 ELSE 0 END WHERE node = $1 RETURNING batch
            """,
            [.integer(node), .integer(batch)]),
        ])[1]
        guard rows.count == 1 else { throw PostgresError(.fenced, "another server has taken the database over") }
        let reached = try rows.integer(0, 0)
        guard [batch + 2, batch + 3].contains(reached) else {
          throw PostgresError(.fenced, "the database lacks batches that were confirmed")
        }
        let wasWritten = reached == batch + 3
        batch = reached
        if wasWritten { return }
        throw JournalError(.unavailable, "the connection was lost; the transaction was not committed", cause: failure)
      } catch let error as PostgresError {
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
  }
}
