import MarqueeCluster
import MarqueeJournal
import MarqueeModel

/// The shards whose devices an event loop serves.
struct ServedShards {
  /// The number of shards into which all devices are divided.
  let shardCount: Int
  /// The served shards; `nil` if all devices of the event loop are served, always.
  private(set) var shards: Set<ShardID>?
  /// The next owners of shards that were served.
  private var owners: [ShardID: NodeRecord] = [:]
  /// The owners of the other shards, and the lease, of a node of a cluster.
  private let node: NodeState?

  /// Creates the shards of an event loop, of `count` event loops.
  init(_ served: ShardSet?, node: NodeState? = nil, index: Int, of count: Int) {
    self.node = node
    shardCount = served?.shardCount ?? ShardID.countDefault
    shards = served?.shards.filter { $0.eventLoop(of: count) == index }
  }

  /// The served shards as a selection of devices; `nil` for all devices.
  var selection: ShardSet? { shards.map { ShardSet($0, of: shardCount) } }

  /// Returns whether the devices of a shard are served.
  func contains(_ shard: ShardID) -> Bool { shards?.contains(shard) ?? true }

  /// Whether no devices may be used, because the lease has ended.
  var isLeaseOver: Bool { node?.isLeaseOver ?? false }

  /// Returns the error with which a request of a device fails, or `nil` if the device is served.
  func error(of device: DeviceID) -> RuntimeError? {
    guard let shards else { return nil }
    let shard = ShardID(of: device, count: shardCount)
    return shards.contains(shard) ? nil : .moved(to: node?.owner(of: shard) ?? owners[shard])
  }

  /// Adds shards.
  mutating func insert(_ added: Set<ShardID>) {
    shards?.formUnion(added)
    for shard in added { owners[shard] = nil }
  }

  /// Removes shards, whose next owner may be known.
  mutating func remove(_ removed: Set<ShardID>, owner: NodeRecord?) {
    shards?.subtract(removed)
    for shard in removed { owners[shard] = owner }
  }
}
