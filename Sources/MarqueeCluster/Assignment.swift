import MarqueeJournal

/// The assignment of shards to nodes by rendezvous hashing (Thaler and Ravishankar).
///
/// Each shard belongs to the node with the highest score, a hash of both numbers. The result depends on the set of
/// nodes only, so that all nodes compute the same one. If a node joins, only shards that it gets move; if one leaves,
/// only its shards do. Operators can exclude nodes, which are *draining*, and place single shards.
public struct Assignment: Hashable, Sendable {
  /// The nodes that get shards, in the order of their numbers.
  public let nodes: [NodeID]

  /// Creates the assignment to a set of nodes.
  ///
  /// - Parameters:
  ///   - nodes: The nodes.
  ///   - draining: The nodes that get no shards, unless there are no others.
  public init(_ nodes: some Sequence<NodeID>, draining: Set<NodeID> = []) {
    let nodes = Set(nodes)
    let recipients = nodes.subtracting(draining)
    self.nodes = (recipients.isEmpty ? nodes : recipients).sorted()
  }

  /// Returns the node of a shard, or `nil` if there are no nodes.
  ///
  /// - Parameters:
  ///   - shard: The shard.
  ///   - placement: The node on which the shard has been placed, if any. It is ignored if that node gets no shards.
  public func node(of shard: ShardID, placedOn placement: NodeID? = nil) -> NodeID? {
    if let placement, nodes.contains(placement) { return placement }
    // Scores of different nodes are different, because the hash is a permutation for each shard.
    return nodes.max { Self.score($0, shard) < Self.score($1, shard) }
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
