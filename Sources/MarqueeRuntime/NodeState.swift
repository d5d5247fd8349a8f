public import MarqueeCluster
import MarqueeJournal
public import MarqueeModel
import Synchronization

/// The knowledge of a node about its cluster: until when it may answer from memory, and which servers have the other
/// devices.
///
/// The owner of the node's lease updates it, and the event loops of the runtime read it.
public final class NodeState: Sendable {
  private struct State {
    var end = ContinuousClock.now
    var others: Set<NodeRecord> = []
    var owners: [ShardID: NodeRecord] = [:]
    var served: Set<ShardID> = []
  }

  /// The number of shards into which all devices are divided.
  public let shardCount: Int
  private let state = Mutex(State())

  /// Creates the state of a node that may not answer yet, and knows no owners.
  public init(shardCount: Int) { self.shardCount = shardCount }

  /// The instant from which the node must not answer from memory. Time runs while the machine is suspended, too.
  public var leaseEnd: ContinuousClock.Instant {
    get { state.withLock(\.end) }
    set { state.withLock { $0.end = newValue } }
  }

  /// Whether the node must not answer from memory, because others may change its devices.
  public var isLeaseOver: Bool { leaseEnd <= .now }

  /// The servers of the shards of other nodes, as far as they are known.
  public var owners: [ShardID: NodeRecord] {
    get { state.withLock(\.owners) }
    set { state.withLock { $0.owners = newValue } }
  }

  /// Sets the server of some shards of other nodes.
  package func setOwner(_ owner: NodeRecord, of shards: [ShardID]) {
    state.withLock { state in
      for shard in shards { state.owners[shard] = owner }
    }
  }

  /// The other live servers of the cluster, also those without shards.
  public var others: Set<NodeRecord> {
    get { state.withLock(\.others) }
    set { state.withLock { $0.others = newValue } }
  }

  /// The shards whose devices the node serves.
  public var served: Set<ShardID> {
    get { state.withLock(\.served) }
    set { state.withLock { $0.served = newValue } }
  }

  /// Returns the error with which a call about a device fails on this node; `nil` if the node serves the device.
  public func error(of device: DeviceID) -> RuntimeError? {
    let shard = ShardID(of: device, count: shardCount)
    return state.withLock { $0.served.contains(shard) ? nil : .moved(to: $0.owners[shard]) }
  }

  /// Returns the server of a shard of another node, if it is known.
  func owner(of shard: ShardID) -> NodeRecord? { state.withLock { $0.owners[shard] } }
}
