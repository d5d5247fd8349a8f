/// A transaction of a session, used on the thread of its ``PostgresConnection``.
package final class PostgresTransaction {
  private let session: PostgresSession
  /// The statement that begins the transaction, until it is sent.
  private var beginning: PostgresCall?
  /// The statements to send with the next round trip.
  private var queued: [PostgresCall] = []

  /// Creates a transaction, of which nothing is sent yet.
  ///
  /// - Parameters:
  ///   - session: A session without an open transaction.
  ///   - isReadOnly: Whether all queries see the same snapshot of the database, and nothing can be changed.
  init(_ session: PostgresSession, isReadOnly: Bool = false) {
    self.session = session
    beginning =
      isReadOnly
      ? PostgresCall(prepared: "begin_view", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      : PostgresCall(prepared: "begin", "BEGIN")
  }

  /// Adds a statement whose rows are not needed. It is sent with the next round trip, which throws its error.
  package func add(_ call: PostgresCall) { queued.append(call) }

  /// Runs statements in one round trip.
  ///
  /// - Returns: The rows of each statement.
  /// - Throws: ``PostgresError``, after which the transaction can only be rolled back.
  package func run(_ calls: [PostgresCall]) throws(PostgresError) -> [PostgresRows] {
    let all = (beginning.map { [$0] } ?? []) + queued + calls
    (beginning, queued) = (nil, [])
    let rows = try session.roundTrip(all, isCommit: false)
    return Array(rows.suffix(calls.count))
  }

  /// Runs a statement.
  package func run(_ call: PostgresCall) throws(PostgresError) -> PostgresRows { try run([call])[0] }

  /// Commits, in the round trip of the statements that have been added.
  ///
  /// - Returns: The rows of the added statements.
  func commit() throws(PostgresError) -> [PostgresRows] {
    let begin = beginning.map { [$0] } ?? []
    let all = begin + queued + [PostgresCall(prepared: "commit", "COMMIT")]
    (beginning, queued) = (nil, [])
    return Array(try session.roundTrip(all, isCommit: true).dropFirst(begin.count).dropLast())
  }

  /// Ends a transaction that has changed nothing, without waiting for the reply.
  func leave() throws(PostgresError) {
    guard beginning == nil, queued.isEmpty else { return }
    try session.sendAhead(PostgresCall(prepared: "commit", "COMMIT"))
  }

  /// Rolls back.
  ///
  /// - Returns: Whether the session can be used again.
  func rollBack() -> Bool {
    guard !session.isLost else { return false }
    // Nothing has been sent of a transaction that failed before its first statement.
    guard !session.isIdle else { return true }
    do {
      _ = try session.roundTrip([PostgresCall(prepared: "rollback", "ROLLBACK")], isCommit: false)
      return session.isIdle
    } catch {
      // The session is closed, which ends its transaction.
      return false
    }
  }
}
