import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess
import Testing

/// Invariants after random schedules of three nodes that die, stall, lose replies, move shards, are drained and leave.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(2)))
struct PostgresScheduleTests {
  private static let stepCount = 300

  /// The state of a schedule.
  private struct Schedule {
    let fixture: ClusterFixture
    var random: Sampler
    var nodes: [ScheduleNode] = []
    /// Nodes that have been replaced, and still try to write.
    var former: [ScheduleNode] = []
    var attempts = ScheduleNode.Attempts()
    var deathCount = 0
    /// The number of drains that the database has accepted.
    var drainCount = 0
    /// The number of placements that the database has accepted.
    var placementCount = 0

    mutating func join() async throws -> ScheduleNode {
      let relay = try Relay(to: PostgresProcess.shared().directory.path)
      let node = try await fixture.join("node", laneCount: 2, relay.info(fixture.info))
      return ScheduleNode(node, relay)
    }

    /// Replaces a node by one that joins.
    mutating func replace(_ index: Int) async throws {
      former.append(nodes[index])
      nodes[index] = try await join()
    }

    mutating func step() async throws {
      let index = random.number(in: 0...nodes.count - 1)
      let node = nodes[index]
      let lane = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<112, using: &random) {
      case 0..<36: try await write(node)
      case 36..<44:
        let isReply = Bool.random(using: &random)
        try await write(node) { isReply ? $0.dropReplies() : $0.dropRequests() }
      case 44..<52: if let node = former.randomElement(using: &random) { try await write(node) }
      case 52..<61: try await node.renew()
      case 61..<69: try await fixture.pass(seconds: Int.random(in: 1...3, using: &random))
      case 69..<78: if try await claim(node) != nil { deathCount += 1 }
      case 78..<86: try await node.acquire(lane)
      case 86..<90: try await balance(node)
      case 90..<95: try await node.handOver(lane)
      case 95: try await leave(index)
      case 96..<100: try await claimDuringWrite(index)
      case 100..<105: try await drain(node)
      default: try await place(node)
      }
      if node.isFenced, nodes[index] === node { try await replace(index) }
    }

    private mutating func write(
      _ node: ScheduleNode, failing fail: (Relay) -> Void = { _ in }
    ) async throws {
      guard let device = node.devices(of: ScheduleNode.deviceCount).randomElement(using: &random) else { return }
      try await node.write(device, &attempts, failing: fail)
    }

    private func balance(_ node: ScheduleNode) async throws {
      let map = try await ScheduleNode.repeating { try await node.membership.shards() }
      for (target, shards) in map.imbalance() {
        _ = try await ScheduleNode.repeating { try await node.membership.move(shards, to: target) }
      }
    }

    /// Begins or ends draining a random node, by another one.
    private mutating func drain(_ node: ScheduleNode) async throws {
      let target = nodes[random.number(in: 0...nodes.count - 1)].membership.node
      let isDraining = random.once(in: 3)
      if try await ScheduleNode.repeating({ try await node.membership.drain(target, isDraining) }) { drainCount += 1 }
    }

    /// Places a random shard, which may be any node's, or withdraws its placement.
    private mutating func place(_ node: ScheduleNode) async throws {
      let shard = ShardID(random.number(in: 0...ClusterFixture.shardCount - 1))
      let target = random.once(in: 4) ? nil : nodes[random.number(in: 0...nodes.count - 1)].membership.node
      let isPlaced = try await ScheduleNode.repeating { try await node.membership.place(shard, on: target) }
      if isPlaced, target != nil { placementCount += 1 }
    }

    /// Renews all leases, and moves shards until each is where it is to be.
    ///
    /// - Returns: The owners.
    mutating func settle() async throws -> ShardMap {
      for _ in 0..<3 {
        for index in nodes.indices {
          try await nodes[index].renew()
          if nodes[index].isFenced { try await replace(index) }
        }
        try await fixture.pass(seconds: 4)
      }
      for node in nodes { try await node.renew() }
      // The dead ones first, of which a claim declares one.
      while try await claim(nodes[0]) != nil {}
      try await balance(nodes[0])
      for node in nodes { for lane in 0...1 { try await node.acquire(lane) } }
      for node in nodes { for lane in 0...1 { try await node.handOver(lane) } }
      return try await ScheduleNode.repeating { try await nodes[0].membership.shards() }
    }

    private func claim(_ node: ScheduleNode) async throws -> NodeID? {
      try await ScheduleNode.repeating { try await node.membership.claim() }.deadNode
    }

    private mutating func leave(_ index: Int) async throws {
      try await ScheduleNode.repeating { try await nodes[index].membership.leave() }
      nodes[index] = try await join()
    }

    /// Lets the lease of a node expire, which writes while another claims its shards.
    private mutating func claimDuringWrite(_ index: Int) async throws {
      let claimant = nodes[(index + 1) % nodes.count].membership
      for _ in 0..<2 {
        for other in nodes where other !== nodes[index] { try await other.renew() }
        try await fixture.pass(seconds: 4)
      }
      for other in nodes where other !== nodes[index] { try await other.renew() }
      async let claim = ScheduleNode.repeating { try await claimant.claim() }
      try await write(nodes[index])
      if try await claim.deadNode != nil { deathCount += 1 }
    }
  }

  @Test(
    "After random schedules, acknowledged entries are there, refused ones are not, and owners do not interleave",
    arguments: 1...3 as ClosedRange<UInt64>)
  func invariants(seed: UInt64) async throws {
    let fixture = try await ClusterFixture()
    var schedule = Schedule(fixture: fixture, random: Sampler(seed: seed))
    for _ in 0..<3 { schedule.nodes.append(try await schedule.join()) }
    _ = try await schedule.nodes[0].membership.claim()
    for node in schedule.nodes { for lane in 0...1 { try await node.acquire(lane) } }
    for _ in 0..<Self.stepCount { try await schedule.step() }
    // The schedule has had effects.
    #expect(schedule.deathCount > 2 && schedule.attempts.acknowledged.count > 30)
    #expect(schedule.drainCount > 3 && schedule.placementCount > 3)
    let map = try await schedule.settle()
    #expect(map.nodes == schedule.nodes.map { $0.membership.node }.sorted())
    for shard in (0..<ClusterFixture.shardCount).map({ ShardID($0) }) {
      #expect(map[shard].node == map.target(of: shard) && map[shard].next == nil, "shard \(shard)")
    }
    try await verify(schedule)
    for node in schedule.nodes + schedule.former { await node.membership.close() }
  }

  private func verify(_ schedule: Schedule) async throws {
    let connection = try PostgresConnection(PostgresSettings(schedule.fixture.info))
    let rows = try await connection.read([PostgresCall("SELECT attempt FROM entry")])[0]
    let stored = Set(try (0..<rows.count).map { try rows.integer($0, 0) })
    #expect(schedule.attempts.acknowledged.isSubset(of: stored))
    #expect(schedule.attempts.refused.isDisjoint(with: stored))
    let violations = [
      "epochs that fall along a device's sequence": """
      SELECT count(*) FROM (
        SELECT epoch < lag(epoch) OVER (PARTITION BY device ORDER BY sequence) AS falls FROM entry) AS entry
      WHERE falls
      """,
      "tenures with two owners":
        "SELECT count(*) FROM (SELECT FROM entry GROUP BY shard, epoch HAVING count(DISTINCT node) > 1) AS tenure",
      "gaps":
        """
      SELECT count(*) FROM (
        SELECT FROM entry GROUP BY device HAVING min(sequence) <> 1 OR max(sequence) <> count(*)) AS device
      """,
      "epochs later than the shard's":
        "SELECT count(*) FROM entry JOIN shard ON shard.id = entry.shard WHERE entry.epoch > shard.epoch",
      "lanes or owners without a node":
        """
      SELECT (SELECT count(*) FROM lane WHERE node NOT IN (SELECT id FROM node))
        + (SELECT count(*) FROM shard WHERE node NOT IN (SELECT id FROM node))
      """,
      "moves to, or placements on, nodes that are gone": """
      SELECT count(*) FROM shard WHERE next NOT IN (SELECT id FROM node) OR placement NOT IN (SELECT id FROM node)
      """,
    ]
    for (violation, query) in violations {
      #expect(try await connection.read([PostgresCall(query)])[0].integer(0, 0) == 0, "\(violation)")
    }
    await connection.close()
  }
}
