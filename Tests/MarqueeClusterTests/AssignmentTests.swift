import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import Testing

/// Rendezvous hashing of shards to nodes, and the shards of devices.
@Suite struct AssignmentTests {
  private static let shards = (0..<ShardID.countDefault).map { ShardID($0) }

  private static func nodes(_ count: Int, from first: Int64 = 1) -> [NodeID] {
    (first..<first + Int64(count)).map { NodeID($0) }
  }

  @Test("Numbers of shards are within four standard deviations of a random assignment", arguments: [3, 5, 16])
  func balance(count: Int) {
    for first in [1, 100, 5_000] as [Int64] {
      let assignment = Assignment(Self.nodes(count, from: first))
      var counts: [NodeID: Int] = [:]
      for shard in Self.shards {
        if let node = assignment.node(of: shard) { counts[node, default: 0] += 1 }
      }
      let mean = Double(Self.shards.count) / Double(count)
      let deviation = (mean * (1 - 1 / Double(count))).squareRoot()
      #expect(counts.count == count && counts.values.reduce(0, +) == Self.shards.count)
      for (node, count) in counts {
        #expect(abs(Double(count) - mean) < 4 * deviation, "node \(node) has \(count) shards, and the mean is \(mean)")
      }
    }
  }

  @Test("A node that joins or leaves moves no shard between two others", arguments: [3, 5, 16])
  func movement(count: Int) {
    let nodes = Self.nodes(count)
    let smaller = Assignment(nodes.dropLast())
    let larger = Assignment(nodes)
    for shard in Self.shards {
      let (before, after) = (smaller.node(of: shard), larger.node(of: shard))
      #expect(before == after || after == nodes.last)
    }
    #expect(Self.shards.contains { larger.node(of: $0) == nodes.last })
  }

  @Test("The order of the nodes, and repeated ones, make no difference")
  func order() {
    let nodes = Self.nodes(5)
    let assignment = Assignment(nodes)
    for other in [Assignment(nodes.reversed()), Assignment(nodes + nodes), Assignment(nodes[2...] + nodes[..<2])] {
      #expect(other == assignment)
      #expect(Self.shards.allSatisfy { other.node(of: $0) == assignment.node(of: $0) })
    }
  }

  @Test("Nodes that are draining get no shards, but for placed ones if all are, and move none between two others")
  func draining() {
    let nodes = Self.nodes(5)
    let (all, rest) = (Assignment(nodes), Assignment(nodes, draining: [nodes[1], NodeID(99)]))
    for shard in Self.shards {
      let (before, after) = (all.node(of: shard), rest.node(of: shard))
      #expect(after != nodes[1] && (before == after || before == nodes[1]))
      #expect(rest.node(of: shard, placedOn: nodes[1]) == after)
      #expect(rest.node(of: shard, placedOn: nodes[4]) == nodes[4])
      #expect(rest.node(of: shard, placedOn: NodeID(99)) == after)
    }
    let none = Assignment(nodes, draining: Set(nodes))
    #expect(none == all && none.node(of: ShardID(0), placedOn: nodes[2]) == nodes[2])
  }

  @Test("Without nodes, a shard has no node")
  func empty() {
    #expect(Assignment([]).node(of: ShardID(0)) == nil)
  }

  @Test("The assignment and the shards of names are those of every release")
  func constants() throws {
    let assignment = Assignment(Self.nodes(3))
    #expect((0..<12).map { assignment.node(of: ShardID($0))?.number } == [2, 1, 1, 1, 1, 1, 3, 3, 2, 3, 1, 3])
    // The published test vectors of FNV-1a: "a" and "foobar".
    for (name, hash) in [("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] as [(String, UInt64)] {
      #expect(try ShardID(of: DeviceID(name), count: 65_521) == ShardID(Int(hash % 65_521)))
    }
    #expect(try ShardID(of: DeviceID("foobar"), count: 1) == ShardID(0))
  }

  @Test("Devices are spread over the shards, and shards over the lanes")
  func devices() throws {
    var counts = [Int](repeating: 0, count: 64)
    for number in 0..<6_400 { counts[try ShardID(of: DeviceID("phone-\(number)"), count: 64).number] += 1 }
    #expect(counts.allSatisfy { (50...150).contains($0) })
    #expect((0..<8).map { ShardID($0).eventLoop(of: 3) } == [0, 1, 2, 0, 1, 2, 0, 1])
  }
}
