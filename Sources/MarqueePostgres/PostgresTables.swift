import MarqueeJournal
import MarqueeModel
import Synchronization

/// The tables of a journal in a PostgreSQL database: of all devices, for the one server that uses the database,
/// or of the devices in a lane's shards, for a node of a cluster.
///
/// PostgreSQL keeps bytes that are overwritten or deleted: in a table's files until they are vacuumed and reused, and
/// in the write-ahead log, standbys and backups. So it gets no content of a device that is not sealed: see
/// ``DataKey``. A deletion replaces the device's data key, of which only wrapped copies remain, until the
/// key-encryption key is destroyed (see ``KeyRotation``). Names of devices are not sealed.
public final class PostgresTables: JournalTables {
  private let writer: PostgresWriter
  private let readers: PostgresReaders
  /// The lock of a single server.
  private let serverLock: PostgresServerLock?
  private let pacer = ErasurePacer()
  private let cache: DataKeyCache
  private let directory: KeyDirectory
  private let isClosed = Mutex(false)

  private init(_ settings: PostgresSettings, _ directory: KeyDirectory) throws(PostgresError) {
    self.directory = directory
    cache = DataKeyCache()
    let connection = try PostgresConnection(settings, name: "postgres writer")
    writer = PostgresWriter(FencedConnection(connection, BatchSequence(node: 0), .all), cache, directory)
    serverLock = try PostgresServerLock(settings)
    readers = try PostgresReaders(settings)
  }

  /// Creates the tables of a lane, whose batches are those of the lane.
  ///
  /// - Parameters:
  ///   - lane: The lane.
  ///   - readers: The connections for views.
  ///   - cache: The data keys, which all lanes of the node share.
  ///   - directory: The directory of the key-encryption keys.
  init(_ lane: PostgresLane, _ readers: PostgresReaders, _ cache: DataKeyCache, _ directory: KeyDirectory) {
    self.cache = cache
    self.directory = directory
    self.readers = readers
    serverLock = nil
    writer = PostgresWriter(lane.fence, cache, directory)
  }

  /// Connects, creates or migrates the tables, and takes the lock of the database.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connections.
  ///   - keys: The directory of the key-encryption keys, in which the first key is made if the database has no devices.
  ///   - waiting: The time to wait for the sessions of an earlier server, which may just have ended.
  ///   - period: The time between two checks whether the lock was lost with its session, and can be taken again.
  /// - Throws: ``JournalError`` `unavailable`, `refused` if the settings, the server, the database or the keys are not
  ///   accepted, `schemaTooNew`, or `directoryLocked` if another server uses the database.
  package static func open(
    _ settings: PostgresSettings, keys: KeyDirectory, waiting: Duration = .zero,
    renewedEvery period: Duration = .seconds(1)
  ) async throws(JournalError) -> PostgresTables {
    do {
      let tables = try PostgresTables(settings, keys)
      try await tables.serverLock?.take(within: waiting)
      try await tables.writer.begin()
      tables.serverLock?.renew(every: period)
      return tables
    } catch {
      throw JournalError(error, while: "opening the database")
    }
  }

  /// Closes the connections. Later reads and writes fail.
  public func close() async {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    let writer = writer
    await writer.connection.perform { writer.close($0) }
    await readers.leave()
    await serverLock?.end()
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value {
    guard isClosed.withLock({ !$0 }) else { throw .closed }
    let (cache, directory, shards) = (cache, directory, writer.shards)
    do {
      return try await readers.read { transaction in
        try body(
          PostgresView(transaction: transaction, keys: TransactionKeys(cache, directory), shards: shards))
      }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading")
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
