import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeStore

/// The journal of a server, in one of the engines.
enum ServerStore: Sendable {
  /// SQLite in the data directory.
  case directory(Store)
  /// PostgreSQL. The data directory has only the sessions.
  case postgres(PostgresJournal, ReservedDirectory)

  /// Opens the configured store.
  ///
  /// - Throws: `JournalError`.
  static func open(_ configuration: MarqueeConfiguration) async throws -> ServerStore {
    guard let postgres = configuration.postgres else {
      return .directory(try Store(directory: configuration.dataDirectory))
    }
    // The database first: if it is refused, no directory is created.
    let journal = try await postgres.open()
    do {
      return .postgres(journal, try ReservedDirectory(configuration.dataDirectory))
    } catch {
      await journal.tables.close()
      throw error
    }
  }

  /// The journal.
  var journal: any TableJournal {
    switch self {
    case .directory(let store): store
    case .postgres(let journal, _): journal
    }
  }

  /// The store in the data directory, if it is there.
  var ofDirectory: Store? {
    guard case .directory(let store) = self else { return nil }
    return store
  }

  /// Warnings for the operator.
  var warnings: [String] {
    switch self {
    case .directory(let store): store.warnings
    case .postgres(_, let directory): directory.warnings
    }
  }

  /// Returns the latest instant of any record, or `nil` if there are none.
  func lastInstant() async throws -> Instant? { try await journal.latestInstants(count: 1).first?.instant }

  /// Closes the store once all accepted writes have completed.
  func close() async throws {
    switch self {
    case .directory(let store): try store.close()
    case .postgres(let journal, _): await journal.tables.close()
    }
  }
}
