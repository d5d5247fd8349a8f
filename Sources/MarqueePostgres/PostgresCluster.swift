import Glibc
import MarqueeCluster
import MarqueeJournal
import MarqueeModel

/// A cluster whose nodes share a PostgreSQL database.
///
/// The nodes use the database's clock only. The article *Ownership* of MarqueeCluster argues why each step is safe.
public final class PostgresCluster: Cluster {
  /// The maximum number of lanes of a node.
  private static let laneCountMax = 1_024
  /// The least time to live of a lease.
  private static let timeToLiveMin = Duration.seconds(3)
  /// The time within which the commits of a node that leaves, or whose database becomes a cluster's, end.
  private static let startTimeMax = Duration.seconds(1)

  private let settings: PostgresSettings
  private let shardCount: Int
  private let timeToLive: Duration
  private let clock: @Sendable () -> Instant

  /// Creates a cluster without connecting.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connections.
  ///   - shardCount: The number of shards with which the cluster was created.
  ///   - timeToLive: The time after a renewal at which a lease ends.
  ///   - clock: The clock of the node.
  /// - Throws: ``JournalError`` `refused` if a number is out of range.
  package init(
    _ settings: PostgresSettings, shardCount: Int = ShardID.countDefault,
    timeToLive: Duration = NodeLease.timeToLiveDefault, clock: @escaping @Sendable () -> Instant = systemClock
  ) throws(JournalError) {
    try Self.check(shardCount: shardCount)
    guard timeToLive >= Self.timeToLiveMin, timeToLive <= .seconds(3_600) else {
      throw JournalError(.refused, "the time to live of a lease must be 3 seconds to 1 hour")
    }
    self.clock = clock
    self.settings = settings
    self.shardCount = shardCount
    self.timeToLive = timeToLive
  }

  /// Makes a database that of a cluster, which has no nodes yet. It can be empty, or that of a single server that has
  /// ended. A single server is refused from then on.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connections.
  ///   - shardCount: The number of shards, which cannot be changed.
  /// - Throws: ``JournalError`` `refused` if the number is out of range, `schemaTooNew` if the database is that of a
  ///   cluster already or not Marquee's, or `directoryLocked` if a server uses it.
  package static func create(
    _ settings: PostgresSettings, shardCount: Int = ShardID.countDefault
  ) async throws(JournalError) {
    try check(shardCount: shardCount)
    do {
      let lock = try PostgresServerLock(settings)
      let connection = try PostgresConnection(settings, name: "postgres cluster")
      do {
        try await lock.take(within: startTimeMax)
        try await connection.write { try ClusterSchema.create(shardCount: shardCount, $0) }
      } catch {
        await connection.close()
        await lock.end()
        throw error
      }
      await connection.close()
      await lock.end()
    } catch {
      throw JournalError(error, while: "creating the cluster")
    }
  }

  /// Makes an empty database that of a cluster. Another is left as it is.
  ///
  /// - Throws: As ``create(_:shardCount:)``.
  package static func createIfEmpty(
    _ settings: PostgresSettings, shardCount: Int = ShardID.countDefault
  ) async throws(JournalError) {
    try check(shardCount: shardCount)
    do {
      let connection = try PostgresConnection(settings, name: "postgres cluster")
      do {
        try await connection.write { transaction in
          // Servers that start at the same time create one schema.
          try PostgresSchema.lock(transaction)
          guard try PostgresSchema.storedFormat(transaction) == 0 else { return }
          try ClusterSchema.create(shardCount: shardCount, transaction)
        }
      } catch {
        await connection.close()
        throw error
      }
      await connection.close()
    } catch {
      throw JournalError(error, while: "creating the cluster")
    }
  }

  private static func check(shardCount: Int) throws(JournalError) {
    guard (1...ShardID.countMax).contains(shardCount) else {
      throw JournalError(.refused, "the number of shards must be 1 to \(ShardID.countMax)")
    }
  }

  public func join(_ name: String, laneCount: Int) async throws(JournalError) -> any Membership {
    try await membership(name, laneCount: laneCount)
  }

  /// Joins: see ``join(_:laneCount:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the node.
  ///   - laneCount: The number of lanes.
  ///   - address: The address at which other nodes reach the node, if any.
  ///   - advertisedAddress: The address that clients are redirected to, if any.
  package func membership(
    _ name: String, laneCount: Int, address: String? = nil, advertisedAddress: String? = nil
  ) async throws(JournalError) -> PostgresMembership {
    guard (1...255).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw JournalError(.refused, "the name of a node must have 1 to 255 bytes, and no NUL")
    }
    guard (1...Self.laneCountMax).contains(laneCount) else {
      throw JournalError(.refused, "the number of lanes must be 1 to \(Self.laneCountMax)")
    }
    do {
      let connection = try PostgresConnection(settings, name: "postgres join")
      let (clock, shardCount, timeToLive) = (clock, shardCount, timeToLive)
      let record = NodeRecord(name: name, address: address, advertisedAddress: advertisedAddress)
      let node = try await connection.perform { connection in
        try connection.read { try ClusterSchema.verify(shardCount: shardCount, $0) }
        try Self.checkClock(clock, connection)
        return try connection.write { try Self.insert(record, laneCount, timeToLive, $0) }
      }
      await connection.close()
      return try PostgresMembership(
        settings, node: node, laneCount: laneCount, shardCount: shardCount, timeToLive: timeToLive)
    } catch {
      throw JournalError(error, while: "joining the cluster")
    }
  }

  private static func checkClock(
    _ clock: @Sendable () -> Instant, _ connection: isolated PostgresConnection
  ) throws {
    let sent = clock()
    let rows = try connection.read([
      PostgresCall("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    ])[0]
    let database = Instant(milliseconds: try rows.integer(0, 0)) ?? .min
    let offset = ClockOffset(database: database, sent: sent, received: clock())
    guard offset.isAccepted else {
      throw JournalError(
        .refused,
        "the clock is \(offset.span.milliseconds) ms off the database's (at most \(ClockOffset.max.milliseconds) ms)")
    }
  }

  private static func insert(
    _ record: NodeRecord, _ laneCount: Int, _ timeToLive: Duration, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> Int64 {
    let node = try transaction.run(
      PostgresCall(
        """
        INSERT INTO node (name, address, advertised_address, lease_until, held_since)
        VALUES ($1, $3, $4, clock_timestamp() + $2 * interval '1 millisecond', clock_timestamp()) RETURNING id
        """,
        [
          .text(record.name), .integer(timeToLive.wholeMilliseconds), .text(record.address),
          .text(record.advertisedAddress),
        ])
    ).integer(0, 0)
    transaction.add(
      PostgresCall(
        "INSERT INTO lane (node, lane, batch) SELECT $1, number, 0 FROM generate_series(0, $2 - 1) AS number",
        [.integer(node), .integer(Int64(laneCount))]))
    return node
  }

  /// Returns the time of the system's clock.
  package static func systemClock() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000) ?? .min
  }
}

extension Duration {
  /// The number of milliseconds, rounded down.
  var wholeMilliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
