import Synchronization

/// The advisory lock of the one server that uses a database. It ends with its session, and is taken again.
///
/// The lock keeps a second server from starting. It is no fence: the lane's row is, which a server replaces when it
/// takes the lock (see ``PostgresWriter``).
final class PostgresServerLock: Sendable {
  /// The key of the lock.
  private static let lock: Int64 = 0x6d61_7271_7565_0002

  private let connection: PostgresConnection
  private let renewal = Mutex<Task<Void, Never>?>(nil)

  init(_ settings: PostgresSettings) throws(PostgresError) {
    connection = try PostgresConnection(settings, name: "postgres keeper")
  }

  /// Takes the lock.
  ///
  /// - Parameter time: The time to wait for the sessions of another server, which may be ending.
  /// - Throws: ``PostgresError`` `fenced` if another server has it.
  func take(within time: Duration) async throws {
    let deadline = ContinuousClock.now + time
    while try await !connection.lock(Self.lock) {
      guard ContinuousClock.now < deadline else {
        throw PostgresError(.fenced, "another server uses the database")
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Takes the lock again whenever its session was lost, until the end. Without a loss, a check takes no round trip.
  ///
  /// - Parameter period: The time between two checks.
  func renew(every period: Duration) {
    let connection = connection
    let task = Task {
      while !Task.isCancelled {
        // Cancellation ends the loop. A failed attempt is repeated: the database cannot be reached, or has another
        // server, by which the writer is fenced.
        try? await Task.sleep(for: period)
        guard !Task.isCancelled else { return }
        _ = try? await connection.lock(Self.lock)  // As above.
      }
    }
    renewal.withLock { $0 = task }
  }

  /// Gives the lock up, so that another server need not wait until this one's session has ended.
  func end() async {
    let task = renewal.withLock(\.self)
    task?.cancel()
    await task?.value
    await connection.close()
  }
}
