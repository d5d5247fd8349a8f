import Dispatch
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess
import Synchronization
import Testing

/// The journals of two nodes on one database: each writes the devices of its shards only, one owner after the other.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresNodeTests {
  /// A node with one lane.
  private struct Node {
    let membership: PostgresMembership
    let journal: PostgresJournal

    var lane: PostgresLane { membership.postgresLanes[0] }
    var tables: PostgresTables { journal.tables }
  }

  private let fixture: ClusterFixture
  private let relay: Relay
  private let shard: ShardID

  init() async throws {
    fixture = try await ClusterFixture()
    relay = try Relay(to: PostgresProcess.shared().directory.path)
    shard = ShardID(of: fixture.tables.device, count: ClusterFixture.shardCount)
  }

  private func join(_ info: String? = nil) async throws -> Node {
    let membership = try await fixture.join("node", info)
    return Node(membership: membership, journal: try await fixture.openJournals(membership)[0])
  }

  /// Returns a node that owns all shards, and one that owns none.
  private func nodes(_ info: String? = nil) async throws -> (Node, Node) {
    let first = try await join(info)
    _ = try await first.membership.claim()
    #expect(try await first.lane.acquire().count == ClusterFixture.shardCount)
    return (first, try await join())
  }

  /// Moves the device's shard.
  private func move(from owner: Node, to target: Node) async throws {
    #expect(try await owner.membership.move([shard], to: target.membership.node) == 1)
    #expect(try await owner.lane.handOver([shard]) == [shard])
    #expect(try await target.lane.acquire().map(\.shard).contains(shard))
  }

  private func failure(_ batch: Batch, _ node: Node) async -> JournalError? {
    await fixture.tables.failure(batch, node.tables)
  }

  /// Returns the number of stored events with an epoch.
  private func eventCount(epoch: Int) async throws -> Int64 {
    try await fixture.integer("SELECT count(*) FROM journal WHERE epoch = \(epoch)")
  }

  @Test("A device that moves has the events of one owner after the other, and others can neither read nor write it")
  func owners() async throws {
    let (first, second) = try await nodes()
    let tables = fixture.tables
    try await first.tables.write(tables.creation())
    try await first.tables.write(tables.events(1...3))
    #expect(await failure(try tables.events(4...4), second)?.code == .notOwned)
    #expect(await journalError { _ = try await tables.storedEvents(second.tables) }?.code == .notOwned)
    try await move(from: first, to: second)
    let late = await failure(try tables.events(4...4), first)
    #expect(late?.code == .notOwned && late?.outcome == .notWritten && late?.device == tables.device)
    let removal = await journalError { _ = try await first.journal.remove(tables.device) }
    #expect(removal?.code == .notOwned)
    #expect(await journalError { _ = try await tables.storedEvents(first.tables) }?.code == .notOwned)
    try await second.tables.write(tables.events(4...4))
    try await move(from: second, to: first)
    #expect(await failure(try tables.events(5...5), second)?.code == .notOwned)
    try await first.tables.write(tables.events(5...6))
    #expect(try await tables.storedEvents(first.tables) == [1, 2, 3, 4, 5, 6])
    for (epoch, count) in [(1, 3), (2, 1), (3, 2)] as [(Int, Int64)] {
      #expect(try await eventCount(epoch: epoch) == count)
    }
  }

  @Test("The lanes of a node write the devices of their shards only")
  func lanes() async throws {
    let membership = try await fixture.join("node", laneCount: 2)
    let journals = try await fixture.openJournals(membership)
    _ = try await membership.claim()
    for lane in membership.postgresLanes { _ = try await lane.acquire() }
    let tables = fixture.tables
    let lane = shard.eventLoop(of: 2)
    #expect(await tables.failure(try tables.creation(), journals[1 - lane].tables)?.code == .notOwned)
    try await journals[lane].tables.write(tables.creation())
    try await journals[lane].tables.write(tables.events(1...2))
    await journals[1 - lane].tables.close()
    // The views of the other journal have connections in common with it.
    #expect(try await tables.storedEvents(journals[lane].tables) == [1, 2])
    await journals[lane].tables.close()
    #expect(await journalError { _ = try await tables.storedEvents(journals[lane].tables) }?.code == .closed)
  }

  /// A claim of one node's shards by another, which runs beside a test.
  private final class RunningClaim: Sendable {
    /// The time after which a claim ends the sessions for which it waits.
    static let lockTimeout = Duration.milliseconds(500)

    private let start = ContinuousClock.now
    private let isDone = Mutex(false)
    private let membership: PostgresMembership

    init(by node: Node) { membership = node.membership }

    /// Whether it has ended.
    var isOver: Bool { isDone.withLock(\.self) }
    /// Whether it can have ended sessions, which it does if the machine stalls.
    var hasTimedOut: Bool { start.duration(to: .now) >= Self.lockTimeout }

    /// Returns the node that is declared dead.
    func run() async throws -> NodeID? {
      defer { isDone.withLock { $0 = true } }
      while true {
        do {
          return try await membership.claim().deadNode
        } catch {
          // On a busy machine, a terminated session may not have ended within the timeout.
          guard error.code == .busy else { throw error }
        }
      }
    }
  }

  /// The end of a batch during which its node is declared dead.
  enum BatchEnd: CaseIterable {
    /// The commit is sent while the claim waits for it.
    case committed
    /// The claim has ended the session.
    case ended
    /// The commit is lost with the connection, while the claim waits for it.
    case lost
  }

  @Test(
    "A batch during which its node is declared dead precedes the next owner's, or was not written",
    arguments: BatchEnd.allCases)
  func claim(end: BatchEnd) async throws {
    let (first, second) = try await nodes(relay.info(fixture.info))
    let tables = fixture.tables
    try await first.tables.write(tables.creation())
    try await first.tables.write(tables.events(1...1))
    let (entries, entered) = AsyncStream.makeStream(of: Void.self)
    let left = DispatchSemaphore(value: 0)
    let change: @Sendable (any JournalTransaction) throws -> Void = { transaction in
      // So that the statements are sent, and the transaction has the lock of its lane.
      _ = try transaction.deviceCount(of: nil)
      entered.finish()
      left.wait()
    }
    let batch = Batch(try tables.events(2...2).steps + [.change(change)])
    async let failure = failure(batch, first)
    for await _ in entries {}
    try await fixture.expireOthers(than: second.membership)
    let claim = RunningClaim(by: second)
    async let deadNode = claim.run()
    if end == .ended {
      #expect(try await deadNode == first.membership.node)
    } else {
      try await fixture.waitUntil(second.membership, waitsFor: "transactionid") { claim.isOver }
      if end == .lost { relay.dropRequests() }
    }
    left.signal()
    let error = await failure
    let isCommitted = end == .committed && !(error != nil && claim.hasTimedOut)
    // On a busy machine, the node may find out that a lost batch was not written before the claim goes on.
    let isRefused = end == .lost && error?.code == .unavailable && error?.outcome == .notWritten
    #expect(try await deadNode == first.membership.node)
    #expect(isRefused || error?.code == (isCommitted ? nil : .commitFailed))
    // Otherwise it has connected again after the claim, to find out what became of the batch.
    if isCommitted || isRefused { try await fixture.waitUntilEnded(first.membership) }
    #expect(try await second.lane.acquire().map(\.shard).contains(shard))
    let stored = try await tables.storedEvents(second.tables)
    #expect(stored == (isCommitted ? [1, 2] : [1]))
    let next = UInt64(stored.count + 1)
    #expect(await self.failure(try tables.events(next...next), first)?.code == .fenced)
    try await second.tables.write(tables.events(next...next))
    #expect(try await tables.storedEvents(second.tables).count == stored.count + 1)
    #expect(try await eventCount(epoch: 2) == 1)
  }

  @Test("A batch of a node whose reply is lost was written, and one that is lost was not", arguments: [true, false])
  func unknown(isWritten: Bool) async throws {
    let (first, second) = try await nodes(relay.info(fixture.info))
    let tables = fixture.tables
    try await first.tables.write(tables.creation())
    if isWritten { relay.dropReplies() } else { relay.dropRequests() }
    let error = await failure(try tables.events(1...1), first)
    #expect(isWritten ? error == nil : error?.code == .unavailable && error?.outcome == .notWritten)
    #expect(try await tables.storedEvents(first.tables) == (isWritten ? [1] : []))
    let next: UInt64 = isWritten ? 2 : 1
    try await first.tables.write(tables.events(next...next))
    try await move(from: first, to: second)
    try await second.tables.write(tables.events(next + 1...next + 1))
    #expect(try await tables.storedEvents(second.tables) == Array(1...Int64(next + 1)))
  }

  @Test("A shard that may have been handed over is not written until it is known whether it was")
  func handOver() async throws {
    let (first, second) = try await nodes(relay.info(fixture.info))
    let tables = fixture.tables
    try await first.tables.write(tables.creation())
    _ = try await first.membership.move([shard], to: second.membership.node)
    relay.dropRequests()
    #expect(await journalError { _ = try await first.lane.handOver([shard]) }?.code == .commitFailed)
    #expect(await failure(try tables.events(1...1), first)?.code == .unavailable)
    #expect(try await first.lane.resolve() == false)
    #expect(await failure(try tables.events(1...1), first)?.code == .notOwned)
    #expect(try await first.lane.acquire().map(\.shard).contains(shard))
    try await first.tables.write(tables.events(1...1))
    #expect(try await tables.storedEvents(first.tables) == [1])
  }

  @Test("A node that gets a device back uses the number and the data key that another node has given it meanwhile")
  func caches() async throws {
    let (first, second) = try await nodes()
    let tables = fixture.tables
    try await first.tables.write(tables.creation())
    try await first.tables.write(tables.events(1...2))
    try await move(from: first, to: second)
    let device = tables.device
    try await second.tables.write(
      Batch([.change { try $0.deleteSnapshots(of: $0.number(of: device) ?? 0, in: 1...2) }], isErasure: true))
    #expect(try await fixture.integer("SELECT generation FROM seal") == 2)
    try await move(from: second, to: first)
    try await first.tables.write(tables.events(3...3))
    let rows = try await first.tables.read { view in
      try view.rows(RowSelection(.events, of: view.number(of: device) ?? 0))
    }
    #expect(rows.map(\.bytes.first) == [1, 2, 3])
    try await move(from: first, to: second)
    #expect(try await second.journal.remove(device))
    try await second.tables.write(tables.creation())
    try await move(from: second, to: first)
    try await first.tables.write(tables.events(1...1))
    #expect(try await tables.storedEvents(first.tables) == [1])
  }

  @Test("The verification finds records in the wrong order of owners, and devices in the wrong shard")
  func verification() async throws {
    let (first, second) = try await nodes()
    var recorder = Recorder(try SampleDevice(fixture.tables.device.text).created())
    try await first.journal.create(recorder.device)
    let events = try SampleDevice(fixture.tables.device.text).setUp()
    for event in events.prefix(3) { try recorder.apply(event, at: SampleDevice.midnight) }
    try await first.journal.write(&recorder)
    try await move(from: first, to: second)
    try recorder.apply(events[3], at: SampleDevice.midnight)
    try await second.journal.write(&recorder)
    #expect(try await findings() == [])
    try await fixture.execute("UPDATE marquee.journal SET epoch = 9 WHERE sequence = 2")
    #expect(
      try await findings() == [
        "record 3: the record belongs to an earlier owner than the one before",
        "record 2: the record belongs to a later owner than the shard has",
      ])
    try await fixture.execute(
      "UPDATE marquee.journal SET epoch = 1 WHERE sequence = 2", "UPDATE marquee.device SET shard = (shard + 1) % 16")
    let shard = shard.number
    // Its records are later than the first tenure of that shard.
    #expect(
      try await findings() == [
        "the device is stored in shard \((shard + 1) % 16), and belongs to \(shard)",
        "record 4: the record belongs to a later owner than the shard has",
      ])
  }

  private func findings() async throws -> [String] {
    let keys = fixture.tables.keys.path
    let verification = try await PostgresTables.verify(PostgresSettings(fixture.info), keys: KeyDirectory(keys))
    #expect(verification.formats == ["PostgreSQL 2, cluster of 16 shards"])
    #expect(verification.deviceCount == 1 && verification.eventCount == 4)
    return verification.findings.map(\.message)
  }
}
