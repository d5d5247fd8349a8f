import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess

/// A database of a cluster, with a table of entries that lanes write.
///
/// Time passes when a test says so: leases in the database are moved into the past.
struct ClusterFixture {
  static let shardCount = 16

  let tables: TablesFixture
  var info: String { tables.info }

  /// Creates a cluster.
  init() async throws {
    tables = try TablesFixture()
    try await PostgresCluster.create(PostgresSettings(tables.info), shardCount: Self.shardCount)
    try await execute(
      """
      CREATE TABLE marquee.entry (
        device bigint, sequence bigint, shard bigint NOT NULL, epoch bigint NOT NULL, node bigint NOT NULL,
        attempt bigint NOT NULL, PRIMARY KEY (device, sequence))
      """)
  }

  /// Returns a node that has joined.
  func join(_ name: String = "node", laneCount: Int = 1, _ info: String? = nil) async throws -> PostgresMembership {
    try await cluster(info).membership(name, laneCount: laneCount)
  }

  /// Returns the cluster of a node whose clock is ahead of the system's.
  func cluster(
    _ info: String? = nil, shardCount: Int = shardCount, clockAhead span: TimeSpan = .zero
  ) throws -> PostgresCluster {
    try PostgresCluster(PostgresSettings(info ?? self.info), shardCount: shardCount) {
      PostgresCluster.systemClock().advanced(by: span)
    }
  }

  /// Opens the journals of a node.
  func openJournals(_ node: PostgresMembership) async throws -> [PostgresJournal] {
    try await node.openJournals(keys: KeyDirectory(tables.keys.path))
  }

  /// Lets time pass in the database.
  func pass(seconds: Int) async throws {
    try await execute(
      """
      UPDATE marquee.node SET lease_until = lease_until - interval '\(seconds) seconds',
        held_since = held_since - interval '\(seconds) seconds'
      """)
  }

  /// Lets the leases of all nodes expire that are not among those given, which hold theirs for longer than a time to
  /// live.
  func expireOthers(than nodes: PostgresMembership...) async throws {
    for _ in 0..<3 {
      for node in nodes { try await node.renew() }
      try await pass(seconds: 4)
    }
    for node in nodes { try await node.renew() }
  }

  /// Distributes the shards as rendezvous hashing does, among nodes with one lane.
  func balance(_ nodes: [PostgresMembership]) async throws {
    _ = try await nodes[0].claim()
    for (target, shards) in try await nodes[0].shards().imbalance() {
      _ = try await nodes[0].move(shards, to: target)
    }
    for node in nodes {
      for lane in node.postgresLanes { _ = try await lane.handOver((0..<Self.shardCount).map { ShardID($0) }) }
    }
  }

  /// Returns the statement that writes an entry.
  static func entry(
    _ device: Int64, _ sequence: Int64, epoch: Int = 0, node: NodeID = NodeID(0), attempt: Int64 = 0
  ) -> PostgresCall {
    PostgresCall(
      "INSERT INTO entry VALUES ($1, $2, $3, $4, $5, $6)",
      [device, sequence, device % Int64(shardCount), Int64(epoch), node.number, attempt].map { .integer($0) })
  }

  func execute(_ statements: String...) async throws {
    for statement in statements { try await tables.execute(statement) }
  }

  func integer(_ query: String) async throws -> Int64 { try await tables.integer(query) }

  func entryCount() async throws -> Int64 { try await integer("SELECT count(*) FROM entry") }

  /// Returns a connection whose sessions have the name of one of a node's.
  func connection(as node: PostgresMembership, _ part: String) throws -> PostgresConnection {
    try PostgresConnection(PostgresSettings("\(info) application_name=marqueed/\(node.node)/\(part)"))
  }

  /// Returns once a session of a node waits for an event, or once nothing is left to wait for.
  ///
  /// - Parameter isOver: Whether the wait can have ended before it was noticed, as on a machine that stalls.
  func waitUntil(
    _ node: PostgresMembership, waitsFor event: String, unless isOver: () -> Bool = { false }
  ) async throws {
    // Nothing reports it; the suites have a time limit.
    let query = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND starts_with(application_name, 'marqueed/\(node.node)/') AND wait_event = '\(event)'
      """
    while try await integer(query) == 0, !isOver() {}
  }

  /// Returns once the sessions of a node that has been declared dead have ended, which they do a moment after the
  /// claim; a call that one of them interrupts is `unavailable`.
  func waitUntilEnded(_ node: PostgresMembership) async throws {
    let query = """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, 'marqueed/\(node.node)/')
      """
    while try await integer(query) != 0 {}
  }
}

/// Returns the journal's error of `body`.
func journalError(_ body: () async throws -> Void) async -> JournalError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? JournalError
  }
}
