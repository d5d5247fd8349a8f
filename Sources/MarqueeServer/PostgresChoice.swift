import Foundation
import MarqueeCluster
import MarqueeFiles
public import MarqueeJournal
import MarqueePostgres
import MarqueeStore

/// A PostgreSQL database in place of SQLite in the data directory, and the directory of its keys.
public struct PostgresChoice: Sendable {
  /// The keys of the settings of a database.
  public static let settingKeys: Set = ["store", "store-password-file", "keys"]
  /// The prefix of a connection info of keywords and values. A URI has it, too.
  private static let scheme = "postgres:"
  /// The time for which a server that starts waits for the sessions of one that was killed.
  private static let waitingTimeMax = Duration.seconds(5)

  /// The connection info.
  private let info: String
  private let passwordFile: String?
  /// The path of the directory of the key-encryption keys.
  public let keys: String

  /// Creates a choice from the texts of the settings. The files are read when the database is opened.
  ///
  /// - Parameters:
  ///   - store: `postgres:` and a connection info of libpq, or its URI.
  ///   - passwordFile: The path of a file whose first line is the password; only its owner may access it.
  ///   - keys: The path of the directory of the keys.
  /// - Throws: ``ConfigurationError``, which quotes nothing of `store`: it may contain a password.
  public init(_ store: String, passwordFile: String? = nil, keys: String?) throws(ConfigurationError) {
    guard store.hasPrefix(Self.scheme) || store.hasPrefix("postgresql://") else {
      throw ConfigurationError("store", "not a database such as postgres:host=/run/postgresql dbname=marquee")
    }
    guard let keys else { throw ConfigurationError("keys", "required setting is missing: store needs it") }
    let isURI = store.hasPrefix("\(Self.scheme)//") || store.hasPrefix("postgresql://")
    info = isURI ? store : String(store.dropFirst(Self.scheme.count))
    do {
      _ = try PostgresSettings(info)
    } catch {
      throw ConfigurationError("store", error.message)
    }
    self.passwordFile = passwordFile
    self.keys = keys
  }

  /// Returns the settings of connections.
  ///
  /// - Throws: `JournalError` `refused` if the password file cannot be used.
  private func settings() throws(JournalError) -> PostgresSettings {
    if let passwordFile, let mode = CheckedFile.openPermissions(of: passwordFile) {
      throw JournalError(
        .refused, "store-password-file: the file is readable by other users (mode \(String(mode, radix: 8)))")
    }
    do {
      return try PostgresSettings(info, passwordFile: passwordFile)
    } catch {
      throw JournalError(.refused, "store-password-file: \(error.message)")
    }
  }

  /// Opens the database for a server.
  ///
  /// - Throws: `JournalError`.
  public func open() async throws(JournalError) -> PostgresJournal {
    PostgresJournal(try await PostgresTables.open(settings(), keys: KeyDirectory(keys), waiting: Self.waitingTimeMax))
  }

  /// Joins a cluster, which the first node creates in an empty database, and opens the journals of the node.
  ///
  /// A node that was killed has a lease for a while. One of the same name or address waits until it has ended.
  ///
  /// - Parameter laneCount: The number of event loops.
  /// - Throws: `JournalError`, which is `refused` if a node of the same name or address renews its lease.
  func join(_ cluster: ClusterChoice, laneCount: Int) async throws(JournalError) -> NodeStore {
    let settings = try settings()
    let (shardCount, timeToLive) = (cluster.shardCount, cluster.timeToLive)
    try await PostgresCluster.createIfEmpty(settings, shardCount: shardCount)
    var renewedAt = ContinuousClock.now
    let membership = try await PostgresCluster(settings, shardCount: shardCount, timeToLive: timeToLive)
      .membership(
        cluster.name, laneCount: laneCount, address: cluster.address?.description,
        advertisedAddress: cluster.advertisedAddress?.description)
    do throws(JournalError) {
      let deadline = renewedAt + timeToLive + .seconds(1)
      while let double = try await membership.liveDouble() {
        guard .now < deadline else {
          throw JournalError(
            .refused,
            double == cluster.name
              ? "cluster.node: a node of this name is running; each needs a name of its own"
              : "cluster.address: the node \(double) is running at this address; each needs one of its own")
        }
        renewedAt = .now
        try await membership.renew()
        // The start of a server is not cancelled.
        try? await Task.sleep(for: .milliseconds(250))
      }
      return NodeStore(
        cluster: cluster, membership: membership, journals: try await membership.openJournals(keys: KeyDirectory(keys)),
        sessions: try await SessionTable(membership.sessions), renewedAt: renewedAt)
    } catch {
      // The lease ends by itself if the database cannot be reached.
      try? await membership.leave()
      throw error
    }
  }

  /// Verifies the database: see `PostgresTables.verify`.
  ///
  /// - Throws: `JournalError`.
  public func verify(
    progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
  ) async throws(JournalError) -> Verification {
    try await PostgresTables.verify(settings(), keys: KeyDirectory(keys), progress: progress)
  }

  /// Copies the devices of a data directory, whose server has ended, to the database, which no server uses.
  ///
  /// - Parameters:
  ///   - directory: The path of the data directory.
  ///   - progress: Called with the number of devices that are copied, and of all.
  /// - Returns: The number of devices, and of the events that the database lacked.
  /// - Throws: `JournalError`, which is `refused` if the database has other devices.
  public func importDevices(
    from directory: String, progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
  ) async throws -> CopiedCount {
    guard Store.exists(in: directory) else {
      throw JournalError(.refused, "\(directory) is not a data directory")
    }
    let store = try Store(directory: directory)
    defer { try? store.close() }  // Its devices were only read.
    let target = try await open()
    do {
      let copied = try await store.copyDevices(to: target, progress: progress)
      await target.tables.close()
      return copied
    } catch {
      await target.tables.close()
      throw error
    }
  }

  /// Makes the database that of a cluster: an empty one, or that of a single server, which has ended.
  ///
  /// - Parameter shardCount: The number of shards, which cannot be changed.
  /// - Throws: `JournalError`.
  public func createCluster(shardCount: Int?) async throws(JournalError) {
    try await PostgresCluster.create(settings(), shardCount: shardCount ?? ShardID.countDefault)
  }

  /// Rotates the keys: see `KeyRotation`.
  ///
  /// - Throws: `JournalError`.
  public func rotateKeys() async throws(JournalError) -> KeyRotation {
    try await KeyRotation.run(settings(), KeyDirectory(keys))
  }

  /// Lists the keys.
  ///
  /// - Throws: `JournalError`.
  public func listKeys() async throws(JournalError) -> KeyListing {
    try await KeyListing(settings(), KeyDirectory(keys))
  }
}
