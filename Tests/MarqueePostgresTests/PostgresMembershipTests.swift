import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import PostgresProcess
import Testing

/// The owners of shards when nodes join, die and leave.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresMembershipTests {
  private let fixture: ClusterFixture

  init() async throws { fixture = try await ClusterFixture() }

  private static let all = (0..<ClusterFixture.shardCount).map { ShardID($0) }

  /// Returns nodes that own the shards that rendezvous hashing assigns to them.
  private func nodes(_ count: Int, laneCount: Int = 1) async throws -> [PostgresMembership] {
    var nodes: [PostgresMembership] = []
    for number in 0..<count { nodes.append(try await fixture.join("node \(number)", laneCount: laneCount)) }
    try await fixture.balance(nodes)
    return nodes
  }

  /// Returns the shards of all lanes of nodes, and their epochs.
  private func owned(_ nodes: PostgresMembership...) async throws -> [OwnedShard] {
    var owned: [OwnedShard] = []
    for node in nodes {
      for lane in node.postgresLanes { owned += try await lane.acquire() }
    }
    return owned.sorted { $0.shard < $1.shard }
  }

  @Test("Of two or three nodes with lanes, exactly one lane owns each shard", arguments: [2, 3])
  func owners(count: Int) async throws {
    let nodes = try await nodes(count, laneCount: 2)
    let map = try await nodes[0].shards()
    let assignment = Assignment(nodes.map(\.node))
    #expect(Self.all.allSatisfy { map[$0].node == assignment.node(of: $0) && map[$0].next == nil })
    var shards: [ShardID] = []
    for node in nodes {
      for lane in node.postgresLanes {
        let owned = try await lane.acquire()
        #expect(owned.allSatisfy { $0.shard.eventLoop(of: 2) == lane.number && map[$0.shard].epoch == $0.epoch })
        shards += owned.map(\.shard)
      }
    }
    #expect(shards.sorted() == Self.all)
    #expect(map.imbalance().isEmpty)
  }

  @Test("The shards of a node whose lease has expired are claimed with higher epochs, and its late batch is refused")
  func expired() async throws {
    let nodes = try await nodes(2)
    let before = try await owned(nodes[0], nodes[1])
    let lost = try await owned(nodes[1])
    #expect(!lost.isEmpty)
    _ = try await nodes[1].postgresLanes[0].write([ClusterFixture.entry(1, 1)])
    #expect(try await nodes[0].claim() == Claim())
    try await fixture.expireOthers(than: nodes[0])
    #expect(try await nodes[0].claim() == Claim(deadNode: nodes[1].node, shardCount: lost.count))
    let after = try await owned(nodes[0])
    #expect(after.map(\.shard) == Self.all)
    for (old, new) in zip(before, after) {
      #expect(new.epoch == old.epoch + (lost.contains(old) ? 1 : 0))
    }
    try await fixture.waitUntilEnded(nodes[1])
    // It has not noticed anything, and writes.
    for _ in 1...2 {
      let late = await journalError { _ = try await nodes[1].postgresLanes[0].write([ClusterFixture.entry(1, 2)]) }
      #expect(late?.code == .fenced && late?.outcome == .notWritten)
    }
    #expect(try await fixture.entryCount() == 1)
    #expect(await journalError { _ = try await nodes[1].postgresLanes[0].acquire() }?.code == .fenced)
    #expect(await journalError { try await nodes[1].renew() }?.code == .fenced)
    #expect(try await nodes[0].shards().nodes == [nodes[0].node])
    let again = try await fixture.join("node 1")
    #expect(again.node > nodes[1].node)
    #expect(try await owned(again).isEmpty)
  }

  @Test("A claim waits for a batch that is being committed, whose rows the new owner sees")
  func inFlight() async throws {
    let nodes = try await nodes(2)
    try await fixture.expireOthers(than: nodes[0])
    let calls = [ClusterFixture.entry(1, 1), PostgresCall("SELECT pg_sleep(0.2)")]
    async let written = nodes[1].postgresLanes[0].write(calls)
    try await fixture.waitUntil(nodes[1], waitsFor: "PgSleep")
    #expect(try await nodes[0].claim().deadNode == nodes[1].node)
    #expect(try await fixture.entryCount() == 1)
    #expect(try await written.count == 2)
  }

  @Test("A batch that waits for its lane while the node is claimed is refused")
  func overtaken() async throws {
    let nodes = try await nodes(2)
    // As a claim does, which has the locks of the lanes until it is committed.
    let claim = try fixture.connection(as: nodes[1], "claim")
    async let deleted = claim.write([
      PostgresCall("DELETE FROM lane WHERE node = $1", [.integer(nodes[1].node.number)]),
      PostgresCall("SELECT pg_sleep(0.3)"),
    ])
    try await fixture.waitUntil(nodes[1], waitsFor: "PgSleep")
    let error = await journalError { _ = try await nodes[1].postgresLanes[0].write([ClusterFixture.entry(1, 1)]) }
    #expect(error?.code == .fenced && error?.outcome == .notWritten)
    #expect(try await deleted.count == 2)
    #expect(try await fixture.entryCount() == 0)
  }

  @Test("A transaction of a client that has stopped is terminated, and the claim proceeds")
  func stalled() async throws {
    let nodes = try await nodes(2)
    try await fixture.expireOthers(than: nodes[0])
    let calls = [ClusterFixture.entry(1, 1), PostgresCall("SELECT pg_sleep(600)")]
    let written = Task { try await nodes[1].postgresLanes[0].write(calls) }
    try await fixture.waitUntil(nodes[1], waitsFor: "PgSleep")
    #expect(try await nodes[0].claim().deadNode == nodes[1].node)
    let error = await journalError { _ = try await written.value }
    #expect(error?.code == .unavailable && error?.outcome == .notWritten)
    #expect(try await fixture.entryCount() == 0)
    #expect(await journalError { _ = try await nodes[1].postgresLanes[0].write([]) }?.code == .fenced)
  }

  @Test("A renewal of a client that has stopped is terminated, and a later claim proceeds")
  func stalledRenewal() async throws {
    let nodes = try await nodes(2)
    try await fixture.expireOthers(than: nodes[0])
    let keeper = try fixture.connection(as: nodes[1], "keeper")
    let renewed = Task {
      try await keeper.write([
        PostgresCall("UPDATE node SET lease_until = lease_until WHERE id = $1", [.integer(nodes[1].node.number)]),
        PostgresCall("SELECT pg_sleep(600)"),
      ])
    }
    try await fixture.waitUntil(nodes[1], waitsFor: "PgSleep")
    #expect(try await nodes[0].claim().deadNode == nil)
    await #expect(throws: PostgresError.self) { _ = try await renewed.value }
    // The client may know of the termination before the lock is free.
    try await fixture.waitUntilEnded(nodes[1])
    #expect(try await nodes[0].claim().deadNode == nodes[1].node)
  }

  @Test("The sessions of nodes with other numbers, and of other databases, are not terminated")
  func otherSessions() async throws {
    let nodes = try await nodes(2)
    let others = [
      try fixture.connection(as: nodes[0], "other"),
      try PostgresConnection(PostgresSettings("\(fixture.info) application_name=marqueed/\(nodes[1].node)0/0")),
      try PostgresConnection(
        PostgresSettings(
          "\(PostgresProcess.shared().database()) application_name=marqueed/\(nodes[1].node)/0")),
    ]
    let process = PostgresCall("SELECT pg_backend_pid()")
    var processes: [Int64] = []
    for other in others { processes.append(try await other.read([process])[0].integer(0, 0)) }
    try await fixture.expireOthers(than: nodes[0])
    #expect(try await nodes[0].claim().deadNode == nodes[1].node)
    for (other, id) in zip(others, processes) { #expect(try await other.read([process])[0].integer(0, 0) == id) }
  }

  @Test("After an outage for all, nobody is declared dead before the claimant has held its lease for a time to live")
  func massDeath() async throws {
    let nodes = try await nodes(3)
    try await fixture.expireOthers(than: nodes[0], nodes[1], nodes[2])
    try await fixture.pass(seconds: 60)
    #expect(try await nodes[0].claim() == Claim())
    // The first to come back must not declare the others dead, nor may one that joins.
    try await nodes[0].renew()
    #expect(try await nodes[0].claim() == Claim())
    #expect(try await fixture.join("new").claim() == Claim())
    try await nodes[1].renew()
    try await fixture.pass(seconds: 4)
    try await nodes[0].renew()
    try await nodes[1].renew()
    #expect(try await nodes[0].claim() == Claim())
    // After a time to live, only the node that has not come back is dead, besides the one that joined.
    try await fixture.pass(seconds: 3)
    try await nodes[0].renew()
    #expect(try await nodes[0].claim().deadNode == nodes[2].node)
    try await fixture.waitUntilEnded(nodes[2])
    #expect(await journalError { try await nodes[2].renew() }?.code == .fenced)
    try await nodes[1].renew()
  }

  @Test("Of claims at the same time, one declares the node dead")
  func rivals() async throws {
    let nodes = try await nodes(4)
    try await fixture.expireOthers(than: nodes[0], nodes[1], nodes[2])
    async let first = nodes[0].claim()
    async let second = nodes[1].claim()
    async let third = nodes[2].claim()
    let claims = [try await first, try await second, try await third]
    #expect(claims.compactMap(\.deadNode) == [nodes[3].node])
    #expect(try await owned(nodes[0], nodes[1], nodes[2]).map(\.shard) == Self.all)
  }

  @Test("A node that leaves gives its shards to the others at once, and the next node gets those of the last")
  func leave() async throws {
    let nodes = try await nodes(2)
    let before = try await owned(nodes[0], nodes[1])
    try await nodes[1].leave()
    let after = try await owned(nodes[0])
    #expect(after.map(\.shard) == Self.all)
    #expect(await journalError { try await nodes[1].renew() }?.code == .fenced)
    #expect(await journalError { _ = try await nodes[1].postgresLanes[0].write([]) }?.code == .closed)
    try await nodes[1].leave()
    try await nodes[0].leave()
    #expect(try await fixture.integer("SELECT count(*) FROM node") == 0)
    #expect(try await fixture.integer("SELECT count(*) FROM shard WHERE node IS NULL") == 16)
    let next = try await fixture.join()
    #expect(try await next.claim() == Claim(shardCount: 16))
    for (old, new) in zip(before, try await owned(next)) { #expect(new.epoch > old.epoch + 1) }
  }

  @Test("Placed shards go to their nodes, and those of a draining node to the others, in moves and in claims")
  func requests() async throws {
    let nodes = try await nodes(3)
    let shard = try #require(try await nodes[0].shards().shards(of: nodes[0].node).first)
    let count = try await nodes[0].shards().shards(of: nodes[2].node).count
    #expect(try await nodes[1].place(shard, on: nodes[2].node))
    let placed = try await nodes[1].shards()[shard]
    #expect(placed.node == nodes[0].node && placed.next == nodes[2].node && placed.placement == nodes[2].node)
    #expect(try await nodes[0].postgresLanes[0].handOver([shard]) == [shard])
    #expect(try await nodes[0].shards().imbalance().isEmpty)
    #expect(try await nodes[0].drain(nodes[2].node, true))
    #expect(try await nodes[0].shards().draining == [nodes[2].node])
    #expect(try await !nodes[0].place(ShardID(0), on: nodes[2].node))
    #expect(try await nodes[0].shards()[ShardID(0)].placement == nil)
    try await fixture.balance(nodes)
    #expect(try await nodes[0].shards().shards(of: nodes[2].node).isEmpty)
    // A claim regards both.
    let other = try #require(try await nodes[0].shards().shards(of: nodes[1].node).first)
    try await fixture.expireOthers(than: nodes[0], nodes[2])
    #expect(try await nodes[0].claim().deadNode == nodes[1].node)
    #expect(try await nodes[0].shards().shards(of: nodes[0].node) == Self.all)
    #expect(try await nodes[2].drain(nodes[2].node, false))
    try await fixture.balance([nodes[0], nodes[2]])
    let after = try await nodes[0].shards()
    #expect(after[shard].node == nodes[2].node && after.shards(of: nodes[2].node).count > count)
    #expect(try await nodes[0].place(other, on: nodes[2].node))
    #expect(try await nodes[0].place(shard, on: nil))
    #expect(try await nodes[0].shards()[shard].placement == nil)
    // The end of a node ends its placements, and if all are draining, the rest have all shards.
    #expect(try await nodes[0].drain(nodes[0].node, true))
    try await fixture.expireOthers(than: nodes[0])
    #expect(try await !nodes[0].drain(nodes[2].node, true))
    #expect(try await !nodes[0].place(shard, on: nodes[2].node))
    #expect(try await nodes[0].claim().deadNode == nodes[2].node)
    let last = try await nodes[0].shards()
    #expect(last.shards(of: nodes[0].node) == Self.all && Self.all.allSatisfy { last[$0].placement == nil })
    #expect(last.imbalance().isEmpty)
  }

  @Test("A change of the owners is announced")
  func announcements() async throws {
    let nodes = try await nodes(2)
    #expect(try await nodes[0].haveShardsChanged())
    #expect(try await !nodes[0].haveShardsChanged())
    #expect(try await nodes[1].move(Self.all, to: nodes[1].node) == 16)
    // Nothing reports when the announcement arrives; the suite has a time limit.
    while try await !nodes[0].haveShardsChanged() {}
    #expect(try await !nodes[0].haveShardsChanged())
  }
}
