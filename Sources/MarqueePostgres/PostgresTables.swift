import MarqueeJournal
import MarqueeModel
import Synchronization

/// The tables of a journal in a PostgreSQL database, of which one server has possession at a time.
///
/// PostgreSQL keeps bytes that are overwritten or deleted: in a table's files until they are vacuumed and reused, and
/// in the write-ahead log, standbys and backups. So it gets no content of a device that is not sealed: see
/// ``DataKey``. A deletion replaces the device's data key, of which only wrapped copies remain, until the
/// key-encryption key is destroyed (see ``KeyRotation``). Names of devices are not sealed.
public final class PostgresTables: JournalTables {
  /// The number of connections for views.
  private static let readerCount = 4

  private let writer: PostgresWriter
  private let readers: [PostgresConnection]
  private let possession: PostgresPossession
  private let pacer = ErasurePacer()
  private let cache = DataKeyCache()
  private let directory: KeyDirectory
  private struct State {
    /// The number of views that use each of the readers, or wait for it.
    var viewCounts = [Int](repeating: 0, count: readerCount)
    var isClosed = false
  }

  private let state = Mutex(State())

  private init(_ settings: PostgresSettings, _ directory: KeyDirectory) throws(PostgresError) {
    self.directory = directory
    writer = try PostgresWriter(settings, cache, directory)
    possession = try PostgresPossession(settings)
    var readers: [PostgresConnection] = []
    for _ in 0..<Self.readerCount { readers.append(try PostgresConnection(settings, name: "postgres reader")) }
    self.readers = readers
  }

  /// Connects, creates or migrates the tables, and takes possession of the database.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connections.
  ///   - keys: The directory of the key-encryption keys, in which the first key is made if the database has no devices.
  ///   - waiting: The time to wait for the sessions of an earlier server, which may just have ended.
  ///   - period: The time between two looks at whether possession was lost with its session, and can be taken again.
  /// - Throws: ``JournalError`` `unavailable`, `refused` if the settings, the server, the database or the keys are not
  ///   accepted, `schemaTooNew`, or `directoryLocked` if another server uses the database.
  package static func open(
    _ settings: PostgresSettings, keys: KeyDirectory, waiting: Duration = .zero,
    renewedEvery period: Duration = .seconds(1)
  ) async throws(JournalError) -> PostgresTables {
    do {
      let tables = try PostgresTables(settings, keys)
      try await tables.possession.take(within: waiting)
      try await tables.writer.begin()
      tables.possession.renew(every: period)
      return tables
    } catch {
      throw JournalError(error, while: "opening the database")
    }
  }

  /// Closes the connections. Later reads and writes fail.
  public func close() async {
    state.withLock { $0.isClosed = true }
    let writer = writer
    await writer.connection.perform { writer.close($0) }
    for reader in readers { await reader.close() }
    await possession.end()
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value {
    guard let reader = occupiedReader() else { throw .isClosed }
    defer { state.withLock { $0.viewCounts[reader] -= 1 } }
    let (cache, directory) = (cache, directory)
    do {
      return try await readers[reader].read { transaction in
        try body(PostgresView(transaction: transaction, keys: TransactionKeys(cache, directory)))
      }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading")
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
    guard batch.isErasure else { return try await perform(batch) }
    try await pacer.run { () async throws(JournalError) in try await perform(batch) }
  }

  private func perform(_ batch: Batch) async throws(JournalError) {
    let writer = writer
    try writer.checkReach()
    do {
      try await writer.connection.perform { try writer.write(batch, $0) }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "writing")
    }
  }
}
