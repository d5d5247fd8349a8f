import MarqueeJournal
import MarqueeModel
import Synchronization

/// The tables of a journal in a PostgreSQL database, of which one server has possession at a time.
///
/// PostgreSQL keeps content that is overwritten or deleted: in a table's files until they are vacuumed and reused, and
/// in the write-ahead log, standbys and backups. A deletion is complete for the journal's users, and not in the files.
public final class PostgresTables: JournalTables {
  /// The number of connections for views.
  private static let readerCount = 4

  private let writer: PostgresWriter
  private let readers: [PostgresConnection]
  /// The connection that holds possession of the database.
  private let keeper: PostgresConnection
  private struct State {
    /// The number of views that use each of the readers, or wait for it.
    var viewCounts = [Int](repeating: 0, count: readerCount)
    var isClosed = false
  }

  private let state = Mutex(State())

  private init(_ settings: PostgresSettings) throws(PostgresError) {
    writer = try PostgresWriter(settings)
    keeper = try PostgresConnection(settings, name: "postgres keeper")
    var readers: [PostgresConnection] = []
    for _ in 0..<Self.readerCount { readers.append(try PostgresConnection(settings, name: "postgres reader")) }
    self.readers = readers
  }

  /// Connects, creates or migrates the tables, and takes possession of the database.
  ///
  /// - Throws: ``JournalError`` `unavailable`, `refused` if the settings, the server or the database are not accepted,
  ///   `schemaTooNew`, or `directoryLocked` if another server uses the database.
  package static func open(_ settings: PostgresSettings) async throws(JournalError) -> PostgresTables {
    do {
      let tables = try PostgresTables(settings)
      try await tables.writer.takePossession(tables.keeper)
      return tables
    } catch {
      throw JournalError(error, while: "opening the database")
    }
  }

  /// Closes the connections. Later reads and writes fail.
  package func close() async {
    state.withLock { $0.isClosed = true }
    let writer = writer
    await writer.connection.perform { writer.close($0) }
    for reader in readers { await reader.close() }
    await keeper.close()
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value {
    guard let reader = occupiedReader() else { throw .isClosed }
    defer { state.withLock { $0.viewCounts[reader] -= 1 } }
    do {
      return try await readers[reader].read { transaction in
        try body(PostgresView(transaction: transaction))
      }
    } catch {
      throw JournalError(error, while: "reading")
    }
  }

  /// Returns the reader with the fewest views, because a view of many devices takes long; `nil` after the end.
  private func occupiedReader() -> Int? {
    state.withLock { state in
      guard !state.isClosed,
        let reader = state.viewCounts.indices.min(by: { state.viewCounts[$0] < state.viewCounts[$1] })
      else { return nil }
      state.viewCounts[reader] += 1
      return reader
    }
  }

  public func write(_ batch: Batch) async throws(JournalError) {
    let writer = writer
    do {
      try await writer.connection.perform { try writer.write(batch, $0) }
    } catch {
      throw JournalError(error, while: "writing")
    }
  }
}
