import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRuntime
import MarqueeTestSupport
import PostgresProcess

/// The database of a cluster, and its nodes' keys and clock.
struct ClusterDatabase {
  static let shardCount = 16
  /// The number of lanes, and of event loops, of each node.
  static let laneCount = 2

  let settings: PostgresSettings
  let keys: TemporaryDirectory
  let clock: ManualClock

  /// Creates a cluster without nodes.
  init(at now: Instant) async throws {
    clock = ManualClock(at: now)
    keys = try TemporaryDirectory()
    settings = try PostgresSettings(PostgresProcess.shared().database())
    try await PostgresCluster.create(settings, shardCount: Self.shardCount)
  }

  /// Returns a node that owns all shards, and one that owns none.
  func nodes() async throws -> [ClusterNode] {
    let first = try await join("a")
    _ = try await first.membership.claim()
    return [first, try await join("b")]
  }

  private func join(_ name: String) async throws -> ClusterNode {
    let cluster = try PostgresCluster(settings, shardCount: Self.shardCount)
    let membership = try await cluster.membership(name, laneCount: Self.laneCount)
    return ClusterNode(
      membership: membership, journals: try await membership.openJournals(keys: KeyDirectory(keys.path)))
  }

  /// The configuration of a node's runtime, which serves no shards yet.
  static var configuration: Runtime.Configuration {
    var configuration = Runtime.Configuration(shardCount: laneCount)
    configuration.shards = ShardSet([], of: shardCount)
    return configuration
  }

  /// Returns the shard of a device.
  static func shard(of device: DeviceID) -> ShardID { ShardID(of: device, count: shardCount) }

  /// Returns what a verification finds.
  func findings() async throws -> [String] {
    try await PostgresTables.verify(settings, keys: KeyDirectory(keys.path)).findings.map(\.description)
  }
}

/// The membership of a node, and the journals of its lanes.
struct ClusterNode {
  let membership: PostgresMembership
  let journals: [PostgresJournal]

  /// The name with which clients are told that the node has a device.
  var name: String { "node \(membership.node)" }

  /// The node as the owner of shards.
  var owner: NodeRecord { NodeRecord(name: name) }

  /// Acquires the shards that the node has been given.
  func acquire() async throws -> [ShardID] {
    var shards: [ShardID] = []
    for lane in membership.lanes { shards += try await lane.acquire().map(\.shard) }
    return shards
  }

  /// Hands shards over, which are not served any more.
  func handOver(_ shards: [ShardID], to target: ClusterNode) async throws {
    _ = try await membership.move(shards, to: target.membership.node)
    for lane in membership.lanes {
      _ = try await lane.handOver(shards.filter { $0.eventLoop(of: membership.lanes.count) == lane.number })
    }
  }

  /// Closes the journals, and leaves.
  func leave() async throws {
    for journal in journals { await journal.tables.close() }
    try await membership.leave()
  }
}
