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

  @Test("Shards without an owner are not moved")
  func unowned() {
    let map = ShardMap(shards: [ShardMap.Ownership(node: nil, epoch: 0)], nodes: Self.nodes)
    #expect(map.imbalance().isEmpty)
  }
}
