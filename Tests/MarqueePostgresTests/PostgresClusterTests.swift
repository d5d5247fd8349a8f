import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import PostgresProcess
import Testing

/// The creation of a cluster, and the conditions under which a node joins.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresClusterTests {
  private func refusal(_ cluster: PostgresCluster) async -> JournalError? {
    await journalError { _ = try await cluster.join("node", laneCount: 1) }
  }

  @Test("A cluster is created once, and a single server cannot open its database, nor a node that of a single server")
  func formats() async throws {
    let fixture = try TablesFixture()
    let settings = try PostgresSettings(fixture.info)
    let cluster = try PostgresCluster(settings, shardCount: 16)
    #expect(await refusal(cluster)?.message.contains("it has no tables of Marquee") == true)
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    #expect(await refusal(cluster)?.message.contains("it belongs to a single server") == true)
    let locked = await journalError { try await PostgresCluster.create(settings, shardCount: 16) }
    #expect(locked?.code == .directoryLocked)
    await tables.close()
    try await PostgresCluster.create(settings, shardCount: 16)
    let server = await journalError { _ = try await fixture.open() }
    #expect(server?.code == .schemaTooNew && server?.message.contains("it belongs to a cluster of nodes") == true)
    let again = await journalError { try await PostgresCluster.create(settings, shardCount: 16) }
    #expect(again?.code == .schemaTooNew)
    #expect(await refusal(cluster) == nil)
    #expect(try await fixture.integer("SELECT count(*) FROM device") == 1)
  }

  @Test("A server that runs when the cluster is created, without its lock, can write nothing more")
  func earlierServer() async throws {
    let fixture = try TablesFixture()
    let tables = try await fixture.open(renewedEvery: .seconds(3_600))
    try await tables.write(fixture.creation())
    try await fixture.execute(
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    try await PostgresCluster.create(PostgresSettings(fixture.info), shardCount: 16)
    #expect(await fixture.failure(try fixture.events(1...1), tables)?.code == .fenced)
    await tables.close()
  }

  @Test("A node with another number of shards, or of another format, does not join")
  func configuration() async throws {
    let fixture = try await ClusterFixture()
    let count = await refusal(try fixture.cluster(shardCount: 32))
    #expect(count?.code == .schemaTooNew)
    #expect(count?.message.contains("it has 16 shards, and this node is configured for 32 (cluster.") == true)
    let required = try await fixture.integer("SELECT format FROM cluster")
    try await fixture.execute("UPDATE marquee.cluster SET format = 1001")
    let format = await refusal(try fixture.cluster())
    // A verification is that of a single server's database, too.
    let verification = await journalError {
      let keys = try KeyDirectory(fixture.tables.keys.path)
      _ = try await PostgresTables.verify(PostgresSettings(fixture.info), keys: keys)
    }
    for error in [format, verification] {
      #expect(error?.message.hasSuffix("its format is 1001, and this version requires \(required)") == true)
    }
    #expect(try await fixture.integer("SELECT count(*) FROM node") == 0)
  }

  @Test("Numbers and names out of range are refused before anything is changed")
  func ranges() async throws {
    let fixture = try TablesFixture()
    let settings = try PostgresSettings(fixture.info)
    for count in [0, -1, ShardID.countMax + 1] {
      let error = await journalError { try await PostgresCluster.create(settings, shardCount: count) }
      #expect(error?.code == .refused && error?.message.contains("1 to 65536") == true)
    }
    for span in [Duration.milliseconds(2_999), .seconds(3_601)] {
      #expect(throws: JournalError.self) { try PostgresCluster(settings, timeToLive: span) }
    }
    let cluster = try PostgresCluster(settings)
    for (name, count) in [("", 1), ("a\0", 1), (String(repeating: "é", count: 128), 1), ("node", 0), ("node", 1_025)] {
      let error = await journalError { _ = try await cluster.join(name, laneCount: count) }
      #expect(error?.code == .refused)
    }
    #expect(try await fixture.integer("SELECT count(*) FROM pg_namespace WHERE nspname = 'marquee'") == 0)
  }

  @Test("A node whose clock is more than 30 seconds off the database's does not join")
  func clock() async throws {
    let fixture = try await ClusterFixture()
    for seconds in [-35, 35] as [Int64] {
      let error = await refusal(try fixture.cluster(clockAhead: .seconds(seconds)))
      #expect(error?.code == .refused && error?.message.contains("off the database's") == true)
    }
    #expect(try await fixture.integer("SELECT count(*) FROM node") == 0)
    for seconds in [-25, 25] as [Int64] {
      #expect(await refusal(try fixture.cluster(clockAhead: .seconds(seconds))) == nil)
    }
  }

  @Test("Two nodes of one name join under different numbers, which no earlier server had")
  func names() async throws {
    let fixture = try await ClusterFixture()
    let first = try await fixture.join("a", laneCount: 3)
    let second = try await fixture.join("a")
    #expect(first.node < second.node)
    #expect(try await fixture.integer("SELECT count(*) FROM lane") == 4)
    try await first.renew()
    try await second.renew()
    #expect(try await first.shards().nodes == [first.node, second.node])
  }

  @Test("The tables refuse a node that is removed before its lanes, an unknown owner, and an epoch that does not count")
  func constraints() async throws {
    let fixture = try await ClusterFixture()
    let node = try await fixture.join()
    _ = try await node.claim()
    let statements = [
      "DELETE FROM marquee.node": "23503", "UPDATE marquee.shard SET node = 999, epoch = epoch + 1": "23503",
      "UPDATE marquee.shard SET node = NULL": "MQ003", "UPDATE marquee.shard SET epoch = epoch + 1": "MQ003",
      "UPDATE marquee.shard SET next = node": "23514",
    ]
    for (statement, state) in statements {
      let error = await #expect(throws: PostgresError.self) { try await fixture.execute(statement) }
      #expect(error?.state == state, "\(statement)")
    }
  }
}
