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
    /// The node on which an operator has placed the shard, if any.
    public let placement: NodeID?

    public init(node: NodeID?, epoch: Int, next: NodeID? = nil, placement: NodeID? = nil) {
      self.epoch = epoch
      self.next = next
      self.node = node
      self.placement = placement
    }
  }

  /// The ownership of each shard, by its number.
  public let shards: [Ownership]
  /// The nodes whose leases have not expired, in the order of their numbers.
  public let nodes: [NodeID]
  /// The names and addresses of all nodes, also of those whose leases have expired.
  public let records: [NodeID: NodeRecord]
  /// The nodes that are to give their shards to others.
  public let draining: Set<NodeID>
  /// The assignment of the shards to the live nodes.
  private let assignment: Assignment

  public init(
    shards: [Ownership], nodes: some Sequence<NodeID>, records: [NodeID: NodeRecord] = [:],
    draining: Set<NodeID> = []
  ) {
    self.draining = draining
    self.nodes = Set(nodes).sorted()
    self.records = records
    self.shards = shards
    assignment = Assignment(self.nodes, draining: draining)
  }

  /// Returns the ownership of a shard, which must exist.
  public subscript(shard: ShardID) -> Ownership { shards[shard.number] }

  /// Returns the ownership of a device's shard.
  public func ownership(of device: DeviceID) -> Ownership { self[ShardID(of: device, count: shards.count)] }

  /// Returns the shards of a node, in the order of their numbers.
  public func shards(of node: NodeID) -> [ShardID] {
    shards.indices.filter { shards[$0].node == node }.map { ShardID($0) }
  }

  /// Returns the names and addresses of the owners of all shards of other nodes.
  public func owners(besides node: NodeID) -> [ShardID: NodeRecord] {
    var owners: [ShardID: NodeRecord] = [:]
    for (number, ownership) in shards.enumerated() where ownership.node != node {
      owners[ShardID(number)] = ownership.node.flatMap { records[$0] }
    }
    return owners
  }

  /// Whether each shard has an owner whose lease has not expired.
  ///
  /// Otherwise a claim is to be expected, after which shards need not be moved.
  public var isClaimed: Bool {
    let live = Set(nodes)
    return shards.allSatisfy { $0.node.map(live.contains) ?? false }
  }

  /// Returns the live node that is to own a shard: the one on which it has been placed, or that of rendezvous hashing.
  public func target(of shard: ShardID) -> NodeID? { assignment.node(of: shard, placedOn: self[shard].placement) }

  /// Returns the shards that live nodes are to hand over, in the order of their numbers.
  public func movingShards() -> [ShardID] {
    let live = Set(nodes)
    return shards.indices.map { ShardID($0) }.filter { shard in
      guard let node = self[shard].node, live.contains(node) else { return false }
      return self[shard].next != nil || target(of: shard) != node
    }
  }

  /// Returns the shards that a node is to hand over, or to get, in the order of their numbers.
  public func pendingShards(of node: NodeID) -> [ShardID] {
    shards.indices.map { ShardID($0) }.filter { shard in
      let (owner, target) = (self[shard].node, target(of: shard))
      return owner != target && (owner == node || target == node)
    }
  }

  /// Returns the shards to move so that each live node owns its own, by the node to move them to: see ``target(of:)``.
  ///
  /// Shards without an owner, and those that are being moved there already, are not included.
  public func imbalance() -> [NodeID: [ShardID]] {
    var moves: [NodeID: [ShardID]] = [:]
    for (number, ownership) in shards.enumerated() where ownership.node != nil {
      guard let target = target(of: ShardID(number)), (ownership.next ?? ownership.node) != target else { continue }
      moves[target, default: []].append(ShardID(number))
    }
    return moves
  }
}
