import MarqueeJournal
import Synchronization

/// The connections for views of the tables, which the journals of a server share.
final class PostgresReaders: Sendable {
  /// The number of connections.
  private static let count = 4

  private struct State {
    /// The number of views that use each of the connections, or wait for it.
    var viewCounts = [Int](repeating: 0, count: count)
    /// The number of journals that have not been closed.
    var journalCount: Int
  }

  private let connections: [PostgresConnection]
  private let state: Mutex<State>

  /// Creates the connections without opening them.
  init(_ settings: PostgresSettings, journalCount: Int = 1) throws(PostgresError) {
    var connections: [PostgresConnection] = []
    for _ in 0..<Self.count { connections.append(try PostgresConnection(settings, name: "postgres reader")) }
    self.connections = connections
    state = Mutex(State(journalCount: journalCount))
  }

  /// Calls `body` with a read-only transaction that has one snapshot of the database.
  ///
  /// - Throws: The error of `body`, ``PostgresError``, or ``JournalError`` `closed`.
  func read<Value: Sendable>(_ body: @Sendable (PostgresTransaction) throws -> Value) async throws -> Value {
    guard let reader = occupied() else { throw JournalError.closed }
    defer { state.withLock { $0.viewCounts[reader] -= 1 } }
    return try await connections[reader].read(body)
  }

  /// Returns the connection with the fewest views, because a view of many devices takes long; `nil` after the end.
  private func occupied() -> Int? {
    state.withLock { state in
      guard state.journalCount > 0,
        let reader = state.viewCounts.indices.min(by: { state.viewCounts[$0] < state.viewCounts[$1] })
      else { return nil }
      state.viewCounts[reader] += 1
      return reader
    }
  }

  /// Records that a journal was closed, and closes the connections after the last one.
  func leave() async {
    let isLast = state.withLock { state in
      state.journalCount -= 1
      return state.journalCount == 0
    }
    if isLast { for connection in connections { await connection.close() } }
  }
}
