import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import Testing

/// The map of shards, and the moves that balance it.
@Suite struct ShardMapTests {
  private static let nodes = (1...3).map { NodeID($0) }

  @Test("A map returns the owner of a device's shard, and the shards of a node")
  func owners() throws {
    let map = ShardMap(
      shards: (0..<4).map { ShardMap.Ownership(node: $0 == 3 ? nil : Self.nodes[$0 % 2], epoch: $0) },
      nodes: Self.nodes)
    #expect(map.shards(of: Self.nodes[0]) == [ShardID(0), ShardID(2)])
    #expect(map.shards(of: Self.nodes[2]).isEmpty)
    let phone = try DeviceID("phone")
    #expect(map.ownership(of: phone) == map[ShardID(of: phone, count: 4)])
  }

  @Test("A balanced map has no moves, and a node that joins gets only its own")
  func imbalance() {
    let before = Assignment(Self.nodes.dropLast())
    let owners = (0..<64).map { before.node(of: ShardID($0)) }
    func map(_ nodes: some Sequence<NodeID>, next: NodeID? = nil) -> ShardMap {
      ShardMap(shards: owners.map { ShardMap.Ownership(node: $0, epoch: 1, next: next) }, nodes: nodes)
    }
    #expect(map(Self.nodes.dropLast()).imbalance().isEmpty)
    let moves = map(Self.nodes).imbalance()
    let after = Assignment(Self.nodes)
    #expect(moves.keys.sorted() == [Self.nodes[2]])
    #expect(moves[Self.nodes[2]] == (0..<64).map { ShardID($0) }.filter { after.node(of: $0) == Self.nodes[2] })
    // Requested moves are not requested again, and wrong ones are reversed.
    let pending = map(Self.nodes, next: Self.nodes[2]).imbalance()
    #expect(pending.values.joined().allSatisfy { after.node(of: $0) != Self.nodes[2] })
    #expect(pending.values.joined().count + (moves[Self.nodes[2]]?.count ?? 0) == 64)
  }

  @Test("Shards of a node that is draining are moved, and placed ones to their nodes, but for one that is draining")
  func requests() {
    let balanced = Assignment(Self.nodes)
    let draining = Self.nodes[0]
    func map(_ placement: NodeID? = nil, draining: Set<NodeID> = [], next: NodeID? = nil) -> ShardMap {
      ShardMap(
        shards: (0..<64).map { number in
          let isPlaced = number == 7
          return ShardMap.Ownership(
            node: balanced.node(of: ShardID(number)), epoch: 1, next: isPlaced ? next : nil,
            placement: isPlaced ? placement : nil)
        }, nodes: Self.nodes, draining: draining)
    }
    #expect(map().movingShards().isEmpty && Self.nodes.allSatisfy { map().pendingShards(of: $0).isEmpty })
    let drained = map(draining: [draining])
    let owned = drained.shards(of: draining)
    #expect(drained.movingShards() == owned && drained.pendingShards(of: draining) == owned)
    #expect(drained.imbalance()[draining] == nil)
    #expect(drained.imbalance().values.joined().sorted { $0.number < $1.number } == owned)
    let pending = Self.nodes.dropFirst().flatMap { drained.pendingShards(of: $0) }
    #expect(Set(pending) == Set(owned) && pending.count == owned.count)
    // Placed on each node in turn.
    let shard = ShardID(7)
    for node in Self.nodes {
      let placed = map(node)
      let isThere = placed[shard].node == node
      #expect(placed.target(of: shard) == node)
      #expect(placed.imbalance() == (isThere ? [:] : [node: [shard]]))
      #expect(placed.pendingShards(of: node) == (isThere ? [] : [shard]))
      #expect(map(node, draining: [node]).target(of: shard) != node)
      guard !isThere else { continue }
      // Requested already.
      #expect(map(node, next: node).imbalance().isEmpty && map(node, next: node).movingShards() == [shard])
    }
  }

  @Test("Shards without an owner are not moved")
  func unowned() {
    let map = ShardMap(shards: [ShardMap.Ownership(node: nil, epoch: 0)], nodes: Self.nodes)
    #expect(map.imbalance().isEmpty)
  }
}
