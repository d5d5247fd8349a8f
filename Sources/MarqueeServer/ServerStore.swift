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
  /// PostgreSQL, shared with the other nodes of a cluster, as are the sessions.
  case node(NodeStore, ReservedDirectory)

  /// Opens the configured store.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - loopCount: The number of event loops, each of which has a journal in a cluster.
  /// - Throws: `JournalError`.
  static func open(_ configuration: MarqueeConfiguration, loopCount: Int) async throws -> ServerStore {
    guard let postgres = configuration.postgres else {
      return .directory(try Store(directory: configuration.dataDirectory))
    }
    // The database first: if it is refused, no directory is created.
    if let cluster = configuration.cluster {
      let node = try await postgres.join(cluster, laneCount: loopCount)
      do {
        return .node(node, try ReservedDirectory(configuration.dataDirectory))
      } catch {
        // The error of the directory is of more use.
        try? await node.leave()
        throw error
      }
    }
    let journal = try await postgres.open()
    do {
      return .postgres(journal, try ReservedDirectory(configuration.dataDirectory))
    } catch {
      await journal.tables.close()
      throw error
    }
  }

  /// The journals: one for all event loops, or one for each in a cluster.
  var journals: [any TableJournal] {
    switch self {
    case .directory(let store): [store]
    case .postgres(let journal, _): [journal]
    case .node(let node, _): node.journals
    }
  }

  /// The membership in a cluster, if the server is a node.
  var node: NodeStore? {
    guard case .node(let node, _) = self else { return nil }
    return node
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
    case .postgres(_, let directory), .node(_, let directory): directory.warnings
    }
  }

  /// Returns the latest instant of any record, or `nil` if there are none.
  func lastInstant() async throws -> Instant? { try await journals[0].latestInstants(count: 1).first?.instant }

  /// Closes the store once all accepted writes have completed.
  func close() async throws {
    switch self {
    case .directory(let store): try store.close()
    case .postgres(let journal, _): await journal.tables.close()
    case .node(let node, _): try await node.leave()
    }
  }
}
