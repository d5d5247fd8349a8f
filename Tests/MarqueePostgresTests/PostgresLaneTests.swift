import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import PostgresProcess
import Testing

/// Batches of lanes whose outcome is unknown, and the order of batches and changes of the owner.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresLaneTests {
  private let fixture: ClusterFixture
  private let relay: Relay

  init() async throws {
    fixture = try await ClusterFixture()
    relay = try Relay(to: PostgresProcess.shared().directory.path)
  }

  private static let all = (0..<ClusterFixture.shardCount).map { ShardID($0) }

  /// Returns the error of a batch of one entry.
  private func failure(_ sequence: Int64, _ lane: PostgresLane) async -> JournalError? {
    await journalError { _ = try await lane.write([ClusterFixture.entry(1, sequence)]) }
  }

  /// Returns the lane of a node behind the relay, with a batch whose outcome is unknown.
  private func laneInDoubt(isWritten: Bool) async throws -> (node: PostgresMembership, lane: PostgresLane) {
    let node = try await fixture.join("behind the relay", relay.info(fixture.info))
    let lane = node.postgresLanes[0]
    #expect(await failure(1, lane) == nil)
    if isWritten { relay.dropReplies() } else { relay.dropRequests() }
    let error = await failure(2, lane)
    #expect(error?.code == .commitFailed && error?.outcome == .unknown)
    // Until the outcome is known, nothing else is written.
    #expect(await failure(3, lane)?.code == .unavailable)
    return (node, lane)
  }

  /// Sends a copy of the batch with a number, as if it had been on its way until now.
  private func copy(ofBatch number: Int64, _ node: PostgresMembership) async -> PostgresError? {
    do throws(PostgresError) {
      let connection = try PostgresConnection(PostgresSettings(fixture.info))
      _ = try await connection.write([
        PostgresCall("SELECT advance_lane($1, 0, $2)", [.integer(node.node.number), .integer(number)]),
        ClusterFixture.entry(1, 99),
      ])
      return nil
    } catch {
      return error
    }
  }

  @Test("A batch in doubt is resolved as written or not, finally, and the lane continues", arguments: [true, false])
  func resolution(isWritten: Bool) async throws {
    let (node, lane) = try await laneInDoubt(isWritten: isWritten)
    #expect(try await lane.resolve() == isWritten)
    #expect(try await fixture.entryCount() == (isWritten ? 2 : 1))
    // A copy that arrives now is refused, whatever the answer was.
    #expect(await copy(ofBatch: 2, node)?.state == "MQ001")
    #expect(await failure(isWritten ? 3 : 2, lane) == nil)
    #expect(try await fixture.integer("SELECT max(sequence) FROM entry") == (isWritten ? 3 : 2))
  }

  @Test("A resolution whose reply was lost has the same answer when it is repeated", arguments: [true, false])
  func repetition(isWritten: Bool) async throws {
    let (_, lane) = try await laneInDoubt(isWritten: isWritten)
    // As the first attempt does.
    try await fixture.execute("UPDATE marquee.lane SET batch = batch + 2")
    #expect(try await lane.resolve() == isWritten)
    #expect(await failure(4, lane) == nil)
  }

  @Test("A resolution waits for a transaction that still works on the batch")
  func waiting() async throws {
    let (node, lane) = try await laneInDoubt(isWritten: false)
    let connection = try fixture.connection(as: node, "0")
    async let late = connection.write([
      PostgresCall("SELECT advance_lane($1, 0, 2)", [.integer(node.node.number)]), ClusterFixture.entry(1, 2),
      PostgresCall("SELECT pg_sleep(0.2)"),
    ])
    try await fixture.waitUntil(node, waitsFor: "PgSleep")
    #expect(try await lane.resolve())
    _ = try await late
    #expect(try await fixture.entryCount() == 2)
  }

  @Test("A batch in doubt of a node that has been declared dead cannot be resolved by it", arguments: [true, false])
  func dead(isWritten: Bool) async throws {
    let (node, lane) = try await laneInDoubt(isWritten: isWritten)
    let other = try await fixture.join()
    try await fixture.expireOthers(than: other)
    #expect(try await other.claim().deadNode != nil)
    try await fixture.waitUntilEnded(node)
    #expect(await journalError { _ = try await lane.resolve() }?.code == .fenced)
    #expect(await failure(3, lane)?.code == .fenced)
    #expect(try await fixture.entryCount() == (isWritten ? 2 : 1))
  }

  @Test("A batch of an earlier number is refused")
  func earlier() async throws {
    let node = try await fixture.join()
    for sequence in 1...3 as ClosedRange<Int64> { #expect(await failure(sequence, node.postgresLanes[0]) == nil) }
    for number in [1, 2, 3, 5] as [Int64] { #expect(await copy(ofBatch: number, node)?.state == "MQ001") }
    #expect(try await fixture.entryCount() == 3)
  }

  @Test("A shard is handed over after its last batch, which the next owner sees, with a higher epoch")
  func move() async throws {
    let (first, second) = (try await fixture.join("first"), try await fixture.join("second"))
    let lanes = [first.postgresLanes[0], second.postgresLanes[0]]
    #expect(try await first.claim().shardCount == 16)
    try await fixture.balance([first, second])
    let owned = try await lanes[0].acquire()
    let shard = try #require(owned.first)
    #expect(try await second.move([shard.shard], to: second.node) == 1)
    #expect(try await second.shards()[shard.shard].next == second.node)
    // Until the owner has handed it over, it owns it.
    #expect(try await lanes[0].acquire() == owned)
    #expect(try await lanes[1].acquire().contains { $0.shard == shard.shard } == false)
    async let last = lanes[0].write([ClusterFixture.entry(1, 1), PostgresCall("SELECT pg_sleep(0.1)")])
    try await fixture.waitUntil(first, waitsFor: "PgSleep")
    #expect(try await lanes[0].handOver(Self.all) == [shard.shard])
    _ = try await last
    let gained = try await lanes[1].acquire()
    #expect(gained.contains(OwnedShard(shard.shard, epoch: shard.epoch + 1)))
    #expect(try await fixture.entryCount() == 1)
    #expect(try await lanes[0].acquire() == Array(owned.dropFirst()))
    #expect(try await lanes[0].handOver(Self.all).isEmpty)
  }

  @Test("A move can be withdrawn, and none is requested to a node that does not exist")
  func withdrawal() async throws {
    let (first, second) = (try await fixture.join("first"), try await fixture.join("second"))
    #expect(try await first.move(Self.all, to: second.node) == 0)
    _ = try await first.claim()
    try await fixture.balance([first, second])
    let shards = try await first.postgresLanes[0].acquire().map(\.shard)
    #expect(try await first.move(shards, to: second.node) == shards.count)
    #expect(try await first.move(shards, to: first.node) == shards.count)
    #expect(try await first.postgresLanes[0].handOver(Self.all).isEmpty)
    #expect(try await first.move(shards, to: NodeID(9_999)) == 0)
    #expect(try await first.postgresLanes[0].acquire().map(\.shard) == shards)
  }

  @Test("A shard is not handed over to a node that is being removed, or has been")
  func removedTarget() async throws {
    let (first, second) = (try await fixture.join("first"), try await fixture.join("second"))
    try await fixture.balance([first, second])
    let owned = try await first.postgresLanes[0].acquire()
    _ = try await first.move(owned.map(\.shard), to: second.node)
    let claim = try PostgresConnection(PostgresSettings("\(fixture.info) application_name=claim"))
    async let locked = claim.write([
      PostgresCall("SELECT FROM node WHERE id = $1 FOR UPDATE", [.integer(second.node.number)]),
      PostgresCall("SELECT pg_sleep(0.3)"),
    ])
    while try await fixture.integer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 0 {}
    #expect(try await first.postgresLanes[0].handOver(Self.all).isEmpty)
    _ = try await locked
    try await fixture.expireOthers(than: first)
    #expect(try await first.claim().deadNode == second.node)
    #expect(try await fixture.integer("SELECT count(*) FROM shard WHERE next IS NOT NULL") == 0)
    #expect(try await first.postgresLanes[0].handOver(Self.all).isEmpty)
    #expect(try await first.postgresLanes[0].acquire().map(\.shard) == Self.all)
  }

  @Test("A hand-over whose reply is lost is resolved like a batch, and the lane learns which shards are left")
  func lostHandOver() async throws {
    let first = try await fixture.join("first", relay.info(fixture.info))
    let second = try await fixture.join("second")
    try await fixture.balance([first, second])
    let lane = first.postgresLanes[0]
    let owned = try await lane.acquire()
    _ = try await second.move(owned.map(\.shard), to: second.node)
    relay.dropReplies()
    #expect(await journalError { _ = try await lane.handOver(Self.all) }?.code == .commitFailed)
    #expect(try await lane.resolve())
    #expect(try await lane.acquire().isEmpty)
    #expect(try await second.postgresLanes[0].acquire().map(\.shard) == Self.all)
  }
}
