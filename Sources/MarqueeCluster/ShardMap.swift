import MarqueeJournal
import MarqueeModel

/// The owners of all shards, and the live nodes, at one instant.
///
/// A map says where to find a device. It does not entitle a node to write: it may be out of date when it arrives. A
/// lane learns from ``Lane/acquire()`` which shards it owns.
public struct ShardMap: Hashable, Sendable {
  /// The ownership of a shard.
  public struct Ownership: Hashable, Sendable {
    /// The owner; `nil` if there is none.
    public let node: NodeID?
    /// The number of the owner's tenure, which rises with each change of the owner.
    public let epoch: Int
    /// The node to which the owner is to hand the shard over, if any.
    public let next: NodeID?

    public init(node: NodeID?, epoch: Int, next: NodeID? = nil) {
      self.epoch = epoch
      self.next = next
      self.node = node
    }
  }

  /// The ownership of each shard, by its number.
  public let shards: [Ownership]
  /// The nodes whose leases have not expired, in the order of their numbers.
  public let nodes: [NodeID]
  /// The names and addresses of all nodes, also of those whose leases have expired.
  public let records: [NodeID: NodeRecord]

  public init(shards: [Ownership], nodes: some Sequence<NodeID>, records: [NodeID: NodeRecord] = [:]) {
    self.nodes = Set(nodes).sorted()
    self.records = records
    self.shards = shards
  }

  /// Returns the ownership of a shard, which must exist.
  public subscript(shard: ShardID) -> Ownership { shards[shard.number] }

  /// Returns the ownership of a device's shard.
  public func ownership(of device: DeviceID) -> Ownership { self[ShardID(of: device, count: shards.count)] }

  /// Returns the shards of a node, in the order of their numbers.
  public func shards(of node: NodeID) -> [ShardID] {
    shards.indices.filter { shards[$0].node == node }.map { ShardID($0) }
  }

  /// Whether each shard has an owner whose lease has not expired.
  ///
  /// Otherwise a claim is to be expected, after which shards need not be moved.
  public var isClaimed: Bool {
    let live = Set(nodes)
    return shards.allSatisfy { $0.node.map(live.contains) ?? false }
  }

  /// Returns the shards to move so that the live nodes own those that rendezvous hashing assigns to them, by the node
  /// to move them to.
  ///
  /// Shards without an owner, and those that are being moved there already, are not included.
  public func imbalance() -> [NodeID: [ShardID]] {
    let assignment = Assignment(nodes)
    var moves: [NodeID: [ShardID]] = [:]
    for (number, ownership) in shards.enumerated() where ownership.node != nil {
      guard let target = assignment.node(of: ShardID(number)), (ownership.next ?? ownership.node) != target else {
        continue
      }
      moves[target, default: []].append(ShardID(number))
    }
    return moves
  }
}
