import GRDB
import MarqueeJournal

/// The tables of a store, in an SQLite database in WAL mode.
public struct SQLiteTables: JournalTables {
  let pool: DatabasePool
  let committer: Committer

  /// Calls `body` with a view of the tables, in a read transaction on one of the pool's reader threads.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value {
    let outcome = await withCheckedContinuation { continuation in
      pool.asyncRead { database in
        let outcome = Result { try body(SQLiteView(db: database.get())) }
          .mapError { JournalError($0, while: "reading") }
        continuation.resume(returning: outcome)
      }
    }
    return try outcome.get()
  }

  /// Writes a batch, in one transaction with others that are waiting: see ``Committer``.
  public func write(_ batch: Batch) async throws(JournalError) {
    let outcome = await withCheckedContinuation { continuation in
      committer.commit(batch) { continuation.resume(returning: $0) }
    }
    try outcome.get()
  }
}
