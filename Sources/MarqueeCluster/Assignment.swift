import MarqueeJournal

/// The assignment of shards to nodes by rendezvous hashing (Thaler and Ravishankar).
///
/// Each shard belongs to the node with the highest score, a hash of both numbers. The result depends on the set of
/// nodes only, so that all nodes compute the same one. If a node joins, only shards that it gets move; if one leaves,
/// only its shards do.
public struct Assignment: Hashable, Sendable {
  /// The nodes, in the order of their numbers.
  public let nodes: [NodeID]

  /// Creates the assignment to a set of nodes.
  public init(_ nodes: some Sequence<NodeID>) { self.nodes = Set(nodes).sorted() }

  /// Returns the node of a shard, or `nil` if there are no nodes.
  public func node(of shard: ShardID) -> NodeID? {
    // Scores of different nodes are different, because the hash is a permutation for each shard.
    nodes.max { Self.score($0, shard) < Self.score($1, shard) }
  }

  private static func score(_ node: NodeID, _ shard: ShardID) -> UInt64 {
    mixed(mixed(UInt64(shard.number)) ^ UInt64(bitPattern: node.number))
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood), a permutation.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
