import MarqueeJournal
import Synchronization

/// A connection whose transactions are the batches of one writer, which others can exclude: the first statement of each
/// batch is a fence, and tells what became of it (see ``BatchSequence``).
///
/// All functions but ``shards`` run on the thread of ``connection``; it is `@unchecked Sendable` because only they use
/// its state.
final class FencedConnection: @unchecked Sendable {
  let connection: PostgresConnection
  private var batches: BatchSequence
  /// Whether the outcome of a batch is unknown.
  private var isInDoubt = false
  /// The error with which all writes fail.
  private var closure: JournalError?
  private let owned: Mutex<OwnedShards>
  /// The number of calls of ``acquire(_:)``, after each of which caches may be out of date: another server has written
  /// devices of the acquired shards.
  private(set) var acquisitionCount = 0

  init(_ connection: PostgresConnection, _ batches: BatchSequence, _ shards: OwnedShards) {
    self.connection = connection
    self.batches = batches
    owned = Mutex(shards)
  }

  /// The shards whose devices can be read and written.
  var shards: OwnedShards { owned.withLock(\.self) }

  /// Begins with another row, which was inserted with batch 0.
  func begin(_ batches: BatchSequence) { self.batches = batches }

  /// Calls `body` with the transaction of the next batch, which is committed if `body` returns.
  ///
  /// - Throws: The error of `body`, ``PostgresError``, or the ``JournalError`` with which all writes fail. After an
  ///   unknown outcome, ``resolve(_:)`` must be called.
  func write<Value: Sendable>(
    _ connection: isolated PostgresConnection, _ body: @Sendable (PostgresTransaction) throws -> Value
  ) throws -> Value {
    try attempt {
      try connection.write { transaction in
        transaction.add(self.batches.advance)
        return try body(transaction)
      }
    }
  }

  /// Writes the next batch in one round trip.
  ///
  /// - Returns: The rows of each statement.
  /// - Throws: As ``write(_:_:)``.
  func write(_ calls: [PostgresCall], _ connection: isolated PostgresConnection) throws -> [PostgresRows] {
    Array(try attempt { try connection.write([batches.advance] + calls) }.dropFirst())
  }

  private func attempt<Value>(_ body: () throws -> Value) throws -> Value {
    if let closure { throw closure }
    guard !isInDoubt else { throw JournalError(.unavailable, "the outcome of the last batch is unknown") }
    do {
      let value = try body()
      batches.confirm()
      return value
    } catch {
      isInDoubt = (error as? PostgresError)?.outcome == .unknown
      let failure = JournalError(error, ofOpenJournalWhile: "writing")
      if failure.code == .fenced { closure = failure }
      throw error
    }
  }

  /// Determines whether the batch whose outcome is unknown was committed, and makes the answer final.
  ///
  /// - Throws: ``JournalError`` `fenced`, with which all later writes fail, too; or ``PostgresError``, after which the
  ///   call can be repeated.
  func resolve(_ connection: isolated PostgresConnection) throws -> Bool {
    if let closure { throw closure }
    precondition(isInDoubt)
    do throws(PostgresError) {
      let isWritten = try batches.resolve(connection)
      isInDoubt = false
      return isWritten
    } catch {
      guard error.code == .fenced else { throw error }
      let failure = JournalError(.fenced, error.message, cause: error)
      closure = failure
      throw failure
    }
  }

  /// Replaces the owned shards.
  func acquire(_ shards: OwnedShards) {
    owned.withLock { $0 = shards }
    acquisitionCount += 1
  }

  /// Removes shards that have been handed over, or may have been, from the owned ones.
  func release(_ shards: [ShardID]) { owned.withLock { $0.remove(shards) } }

  /// Fails all later writes.
  func fail(_ error: JournalError) { closure = closure ?? error }

  /// Closes the connection. Later writes fail.
  func close(_ connection: isolated PostgresConnection) {
    fail(.closed)
    connection.close()
  }
}
