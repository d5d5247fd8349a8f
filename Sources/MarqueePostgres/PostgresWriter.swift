import Glibc
import MarqueeJournal
import MarqueeModel

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
  private static let resolutionTimeMax = Duration.seconds(10)
  /// The time between two attempts, in microseconds.
  private static let resolutionPause: UInt32 = 100_000
  /// The key of the advisory lock that the server in possession of the database holds.
  private static let possessionLock: Int64 = 0x6d61_7271_7565_0002

  let connection: PostgresConnection
  private let numbers = PostgresNumbers()
  private var node: Int64 = 0
  /// The number of the last batch.
  private var batch: Int64 = 0
  /// The error with which all writes fail.
  private var closure: JournalError?

  init(_ settings: PostgresSettings) throws(PostgresError) {
    connection = try PostgresConnection(settings, name: "postgres writer")
  }

  /// Takes possession of the database for as long as `keeper` is open, and fences an earlier writer.
  ///
  /// - Throws: ``PostgresError`` `fenced` if another server uses the database.
  func takePossession(_ keeper: PostgresConnection) async throws {
    let lock = PostgresCall("SELECT pg_try_advisory_lock($1)", [.integer(Self.possessionLock)])
    guard try await keeper.read([lock])[0].integer(0, 0) == 1 else {
      throw PostgresError(.fenced, "another server uses the database")
    }
    try await connection.perform { connection in
      self.node = try connection.write { transaction in
        try PostgresSchema.migrate(transaction)
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
      try connection.write { transaction in
        transaction.add(self.advance())
        try PostgresChange(transaction, self.numbers).write(batch)
      }
      self.batch += 1
    } catch {
      let failure = error as? PostgresError
      let journalError = JournalError(error, while: "writing", numbers)
      numbers.removeAll()
      if failure?.outcome == .unknown { return try resolve(journalError, connection) }
      if journalError.code == .fenced { closure = journalError }
      throw journalError
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
    let deadline = ContinuousClock.now + Self.resolutionTimeMax
    while true {
      do {
        let rows = try connection.write([
          PostgresCall(
            """
            UPDATE lane SET batch = batch + CASE WHEN batch <= $2 + 1 THEN 2 ELSE 0 END WHERE node = $1 RETURNING batch
            """,
            [.integer(node), .integer(batch)])
        ])[0]
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
