import MarqueeCluster
import MarqueeJournal

/// The membership of a node in a cluster on PostgreSQL.
///
/// One connection serves all methods but the changes of sessions, so that a node whose connection stalls in one of them
/// does not renew its lease either, and is declared dead.
package final class PostgresMembership: Membership {
  package let node: NodeID
  package let postgresLanes: [PostgresLane]
  package var lanes: [any Lane] { postgresLanes }
  /// The sessions of the cluster's clients.
  package var sessions: PostgresSessions { PostgresSessions(reader: keeper, writer: sessionWriter) }

  private let keeper: PostgresConnection
  private let sessionWriter: PostgresConnection
  private let settings: PostgresSettings
  private let shardCount: Int
  /// The time to live of the lease, in milliseconds.
  private let timeToLive: Int64

  init(
    _ settings: PostgresSettings, node: Int64, laneCount: Int, shardCount: Int, timeToLive: Duration
  ) throws(PostgresError) {
    self.node = NodeID(node)
    self.settings = settings
    self.shardCount = shardCount
    self.timeToLive = timeToLive.wholeMilliseconds
    keeper = try PostgresConnection(settings.named(self.node, "keeper"), name: "postgres keeper")
    sessionWriter = try PostgresConnection(settings.named(self.node, "sessions"), name: "postgres sessions")
    var lanes: [PostgresLane] = []
    for number in 0..<laneCount {
      lanes.append(
        try PostgresLane(settings, self.node, number: number, of: laneCount, shardCount: shardCount))
    }
    postgresLanes = lanes
  }

  /// Opens the journals of the lanes, whose batches are those of the lanes: a node that has been declared dead writes
  /// nothing. Each has the devices of the shards that its lane has acquired. Close the journals before the membership.
  ///
  /// - Parameter keys: The directory of the key-encryption keys, in which the first key is made if the database has no
  ///   devices. All nodes need the same keys.
  /// - Returns: The journals, by the numbers of the lanes.
  /// - Throws: ``JournalError`` `unavailable`, or `refused` if the keys are not accepted.
  package func openJournals(keys: KeyDirectory) async throws(JournalError) -> [PostgresJournal] {
    do {
      try await keeper.write { transaction in
        // Nodes that begin at the same time make one key.
        try PostgresSchema.lock(transaction)
        try KeyTable.begin(keys, transaction)
      }
      let readers = try PostgresReaders(settings.named(node, "reader"), journalCount: lanes.count)
      let cache = DataKeyCache()
      return postgresLanes.map { PostgresJournal(PostgresTables($0, readers, cache, keys)) }
    } catch {
      throw JournalError(error, while: "opening the journals")
    }
  }

  package func renew() async throws(JournalError) {
    let rows: PostgresRows
    do {
      rows = try await keeper.write([
        PostgresCall(
          prepared: "renew",
          """
          UPDATE node SET lease_until = clock_timestamp() + $2 * interval '1 millisecond',
            held_since = CASE WHEN lease_until <= clock_timestamp() THEN clock_timestamp() ELSE held_since END
          WHERE id = $1
          """, [.integer(node.number), .integer(timeToLive)])
      ])[0]
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "renewing the lease")
    }
    guard rows.changedCount == 1 else { throw JournalError(.fenced, "the node has been declared dead") }
  }

  package func claim() async throws(JournalError) -> Claim {
    let removal = NodeRemoval(node: node, timeToLive: timeToLive)
    do {
      return try await keeper.perform { try removal.claim($0) }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "claiming shards")
    }
  }

  package func leave() async throws(JournalError) {
    let removal = NodeRemoval(node: node, timeToLive: timeToLive)
    do {
      try await keeper.perform { try removal.leave($0) }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "leaving the cluster")
    }
    await close()
  }

  package func shards() async throws(JournalError) -> ShardMap {
    do {
      let rows = try await keeper.read([
        PostgresCall(prepared: "shards", "SELECT node, epoch, next, placement FROM shard ORDER BY id"),
        PostgresCall(
          prepared: "nodes",
          "SELECT id, lease_until > clock_timestamp(), name, address, is_draining, advertised_address FROM node"),
      ])
      guard rows[0].count == shardCount else {
        throw PostgresError(.wrongType, "the table \"shard\" has \(rows[0].count) rows")
      }
      var (nodes, draining): ([NodeID], Set<NodeID>) = ([], [])
      var records: [NodeID: NodeRecord] = [:]
      for row in 0..<rows[1].count {
        let node = NodeID(try rows[1].integer(row, 0))
        if try rows[1].integer(row, 1) != 0 { nodes.append(node) }
        if try rows[1].integer(row, 4) != 0 { draining.insert(node) }
        records[node] = NodeRecord(
          name: try rows[1].text(row, 2), address: rows[1].isNull(row, 3) ? nil : try rows[1].text(row, 3),
          advertisedAddress: rows[1].isNull(row, 5) ? nil : try rows[1].text(row, 5))
      }
      return ShardMap(
        shards: try (0..<rows[0].count).map { row in
          ShardMap.Ownership(
            node: try rows[0].node(row, 0), epoch: Int(try rows[0].integer(row, 1)), next: try rows[0].node(row, 2),
            placement: try rows[0].node(row, 3))
        }, nodes: nodes, records: records, draining: draining)
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading shards")
    }
  }

  package func move(_ shards: [ShardID], to target: NodeID) async throws(JournalError) -> Int {
    do {
      return try await keeper.write([
        Self.lockTimeout,
        PostgresCall(
          """
          WITH target AS MATERIALIZED (SELECT id FROM node WHERE id = $1 FOR KEY SHARE SKIP LOCKED),
          chosen AS MATERIALIZED (
            SELECT id FROM shard WHERE id = ANY($2) AND node IS NOT NULL AND EXISTS (SELECT FROM target)
            ORDER BY id FOR NO KEY UPDATE)
          UPDATE shard SET next = nullif($1, node) FROM chosen WHERE shard.id = chosen.id AND node IS NOT NULL
          """, [.integer(target.number), .integers(shards.map { Int64($0.number) })]),
        ClusterSchema.announcement,
      ])[1].changedCount
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "requesting moves")
    }
  }

  package func drain(_ node: NodeID, _ isDraining: Bool) async throws(JournalError) -> Bool {
    try await change(
      "draining a node",
      PostgresCall(
        "UPDATE node SET is_draining = $2 <> 0 WHERE id = $1 AND lease_until > clock_timestamp()",
        [.integer(node.number), .integer(isDraining ? 1 : 0)]))
  }

  package func place(_ shard: ShardID, on node: NodeID?) async throws(JournalError) -> Bool {
    let number = PostgresValue.integer(Int64(shard.number))
    guard let node else {
      return try await change(
        "placing a shard", PostgresCall("UPDATE shard SET placement = NULL WHERE id = $1", [number]))
    }
    return try await change(
      "placing a shard",
      PostgresCall(
        """
        WITH target AS MATERIALIZED (
          SELECT id FROM node WHERE id = $1 AND lease_until > clock_timestamp() AND NOT is_draining
          FOR KEY SHARE SKIP LOCKED),
        chosen AS MATERIALIZED (
          SELECT id FROM shard WHERE id = $2 AND EXISTS (SELECT FROM target) FOR NO KEY UPDATE)
        UPDATE shard SET placement = $1, next = CASE WHEN node IS NOT NULL THEN nullif($1, node) END
        FROM chosen WHERE shard.id = chosen.id
        """, [.integer(node.number), number]))
  }

  /// Changes one row, and announces it.
  ///
  /// - Returns: Whether there was such a row.
  private func change(_ activity: String, _ call: PostgresCall) async throws(JournalError) -> Bool {
    do {
      return try await keeper.write([Self.lockTimeout, call, ClusterSchema.announcement])[1].changedCount > 0
    } catch {
      throw JournalError(error, ofOpenJournalWhile: activity)
    }
  }

  /// The connection also renews the lease, so it must not wait for a claim that has stalled.
  private static let lockTimeout = PostgresCall("SET LOCAL lock_timeout = '500ms'")

  /// Returns the name of a node with the same name or address that has joined earlier, and whose lease has not expired;
  /// `nil` if there is none.
  package func liveDouble() async throws(JournalError) -> String? {
    do {
      let rows = try await keeper.read([
        PostgresCall(
          """
          SELECT node.name FROM node JOIN node AS own ON own.id = $1 AND node.id < own.id
            WHERE node.lease_until > clock_timestamp() AND (node.name = own.name OR node.address = own.address) LIMIT 1
          """, [.integer(node.number)])
      ])[0]
      return rows.count == 0 ? nil : try rows.text(0, 0)
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading nodes")
    }
  }

  /// Returns whether owners may have changed, from the announcements of the database. The first call in each session
  /// returns `true`.
  package func haveShardsChanged() async throws(JournalError) -> Bool {
    do {
      return try await keeper.hasNotification(on: ClusterSchema.channel)
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "listening")
    }
  }

  /// Closes the connections without leaving, so that the lease expires.
  package func close() async {
    for lane in postgresLanes { await lane.close() }
    await sessionWriter.close()
    await keeper.close()
  }
}

extension PostgresRows {
  /// Returns the number of a node, or `nil` for `NULL`.
  func node(_ row: Int, _ column: Int) throws(PostgresError) -> NodeID? {
    isNull(row, column) ? nil : NodeID(try integer(row, column))
  }
}
