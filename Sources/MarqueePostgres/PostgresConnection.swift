/// A connection to PostgreSQL that sends a transaction in one round trip, where its statements are independent.
///
/// The connection has a thread, on which its actor runs and blocks. It is opened by the first transaction and, after a
/// loss, by the next one. Transactions run one after the other, in the order of their calls. They are never cancelled:
/// a commit that is cancelled while it waits for a standby looks like one that is durable.
package actor PostgresConnection {
  private let executor: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let settings: PostgresSettings
  private var session: PostgresSession?
  /// The advisory lock that the session has, if any.
  private var heldLock: Int64?
  /// Whether the session receives notifications.
  private var isListening = false

  /// Creates a connection without opening it.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - name: The name of the connection's thread.
  /// - Throws: ``PostgresError`` `unavailable` if the system has no thread or file descriptor left.
  package init(_ settings: PostgresSettings, name: String = "postgres") throws(PostgresError) {
    self.settings = settings
    executor = try ThreadExecutor(name)
  }

  deinit { executor.end() }

  /// Opens the connection unless it is open, and checks the server.
  ///
  /// - Throws: ``PostgresError`` `unavailable`, `accessDenied` or `unsafeServer`.
  package func open() throws(PostgresError) { _ = try openSession() }

  /// Calls `body` on the thread of the connection.
  package func perform<Value: Sendable>(
    _ body: @Sendable (isolated PostgresConnection) throws -> Value
  ) rethrows -> Value { try body(self) }

  /// Takes an advisory lock for the time of the session, unless it has it. Takes no round trip if it has.
  ///
  /// - Returns: `false` if another session has the lock.
  package func lock(_ key: Int64) throws(PostgresError) -> Bool {
    _ = try openSession()
    if heldLock == key { return true }
    let call = PostgresCall("SELECT pg_try_advisory_lock($1)", [.integer(key)])
    guard try write([call])[0].integer(0, 0) != 0 else { return false }
    heldLock = key
    return true
  }

  /// Returns whether a channel may have been notified since the last call. Takes no round trip, but for the first call
  /// in a session, which returns `true`. A connection can listen to one channel.
  func hasNotification(on channel: String) throws(PostgresError) -> Bool {
    let session = try openSession()
    if isListening { return session.takeNotifications() > 0 }
    _ = try write([PostgresCall("LISTEN \(channel)")])
    isListening = true
    return true
  }

  /// Closes the connection after the transactions that have been requested.
  ///
  /// The lock is given up before: the server notices the end of the session later, and others would have to wait.
  package func close() {
    if let heldLock, let session, session.isIntact() {
      // If it fails, the session has ended, or ends now.
      _ = try? write([PostgresCall("SELECT pg_advisory_unlock($1)", [.integer(heldLock)])])
    }
    heldLock = nil
    session = nil
  }

  /// Runs statements in a transaction of one round trip.
  ///
  /// - Parameter calls: The statements, which cannot use each other's results.
  /// - Returns: The rows of each statement, once the transaction is durable.
  /// - Throws: ``PostgresError``, whose outcome tells whether nothing was written, or that this is unknown.
  package func write(_ calls: [PostgresCall]) throws(PostgresError) -> [PostgresRows] {
    let transaction = PostgresTransaction(try openSession())
    for call in calls { transaction.add(call) }
    do {
      return try transaction.commit()
    } catch {
      end(transaction, error)
      throw error
    }
  }

  /// Calls `body` with a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// - Parameter body: Runs on the connection's thread, and may block it.
  /// - Returns: The result of `body`, once the transaction is durable.
  /// - Throws: The error of `body`, or ``PostgresError``, whose outcome tells whether nothing was written.
  package func write<Value: Sendable>(_ body: @Sendable (PostgresTransaction) throws -> Value) throws -> Value {
    let transaction = PostgresTransaction(try openSession())
    do {
      let value = try body(transaction)
      _ = try transaction.commit()
      return value
    } catch {
      end(transaction, error)
      throw error
    }
  }

  /// Runs queries on one snapshot of the database, in one round trip.
  ///
  /// - Parameter calls: The queries.
  /// - Returns: The rows of each query.
  /// - Throws: ``PostgresError``.
  package func read(_ calls: [PostgresCall]) throws(PostgresError) -> [PostgresRows] {
    let view = PostgresTransaction(try openSession(), isReadOnly: true)
    do {
      let rows = try view.run(calls)
      try view.leave()
      return rows
    } catch {
      end(view, error)
      throw error
    }
  }

  /// Calls `body` with a read-only transaction that has one snapshot of the database.
  ///
  /// - Parameter body: Runs on the connection's thread, and may block it.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``PostgresError``.
  package func read<Value: Sendable>(_ body: @Sendable (PostgresTransaction) throws -> Value) throws -> Value {
    let view = PostgresTransaction(try openSession(), isReadOnly: true)
    do {
      let value = try body(view)
      try view.leave()
      return value
    } catch {
      end(view, error)
      throw error
    }
  }

  /// Returns the open session, or connects. A connection that was lost meanwhile is replaced before anything is sent.
  private func openSession() throws(PostgresError) -> PostgresSession {
    if let session, session.isIntact() { return session }
    session = nil
    heldLock = nil
    isListening = false
    let opened = try PostgresSession(settings)
    let view = PostgresTransaction(opened, isReadOnly: true)
    let rows = try view.run(ServerCheck.calls)
    try ServerCheck.verify(rows[0], requiresStandby: settings.requiresStandby)
    // Settings made in a transaction that is rolled back would be lost.
    _ = try view.commit()
    session = opened
    return opened
  }

  /// Rolls a failed transaction back. Closes the session if it cannot be used again.
  private func end(_ transaction: PostgresTransaction, _ error: any Error) {
    let isCertain = (error as? PostgresError)?.outcome != .unknown
    if !isCertain || !transaction.rollBack() { session = nil }
  }
}
