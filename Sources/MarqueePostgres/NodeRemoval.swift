import MarqueeCluster
import MarqueeJournal

/// The transactions that remove a node, and distribute its shards and those without an owner among the live nodes.
///
/// Locks are taken in the order node, lanes, shards by their numbers. A claim never waits for the row of a node.
struct NodeRemoval {
  /// The SQLSTATE of a lock that was not granted in time.
  private static let lockTimeoutState = "55P03"
  /// The condition that the node `$1` may declare others dead: it has held its lease for the time `$2`.
  private static let isEntitled = """
    EXISTS (
      SELECT FROM node AS claimant WHERE claimant.id = $1 AND claimant.lease_until > clock_timestamp()
        AND claimant.held_since <= clock_timestamp() - $2 * interval '1 millisecond')
    """
  /// The numbers of the nodes whose leases have expired.
  private static let expired = """
    SELECT dead.id FROM node AS dead
    WHERE dead.id <> $1 AND dead.lease_until <= clock_timestamp() AND \(isEntitled)
    """
  /// The numbers of the nodes whose leases have expired a second ago.
  private static let longExpired = """
    SELECT dead.id FROM node AS dead
    WHERE dead.id <> $1 AND dead.lease_until <= clock_timestamp() - interval '1 second' AND \(isEntitled)
    """

  let node: NodeID
  /// The time to live of the node's lease, in milliseconds.
  let timeToLive: Int64

  private var parameters: [PostgresValue] { [.integer(node.number), .integer(timeToLive)] }

  /// Declares one node dead whose lease has expired, if there is any.
  func claim(_ connection: isolated PostgresConnection) throws -> Claim {
    do {
      return try connection.write { try self.claim($0) }
    } catch let error as PostgresError where error.state == Self.lockTimeoutState {
      // A transaction of the dead node has locks, and waits for a client that has stopped.
      _ = try connection.write([Self.termination(ofNodes: Self.expired, parameters)])
      return try connection.write { try self.claim($0) }
    }
  }

  private func claim(_ transaction: PostgresTransaction) throws -> Claim {
    transaction.add(PostgresCall("SET LOCAL lock_timeout = '500ms'"))
    let rows = try transaction.run([
      PostgresCall(
        prepared: "expired_node",
        "\(Self.expired) ORDER BY dead.lease_until, dead.id LIMIT 1 FOR UPDATE OF dead SKIP LOCKED", parameters),
      PostgresCall(prepared: "has_unowned", "SELECT EXISTS (SELECT FROM shard WHERE node IS NULL)"),
      PostgresCall(prepared: "has_stalled", "SELECT EXISTS (\(Self.longExpired))", parameters),
    ])
    let dead = rows[0].count == 1 ? NodeID(try rows[0].integer(0, 0)) : nil
    if dead == nil, try rows[2].integer(0, 0) != 0 {
      // The row is locked by another claim, which the termination does not harm, or by a stalled session of the node.
      transaction.add(Self.termination(ofNodes: Self.longExpired, parameters))
    }
    guard try dead != nil || rows[1].integer(0, 0) != 0 else { return Claim() }
    return Claim(deadNode: dead, shardCount: try distribute(shardsOf: dead, transaction))
  }

  /// Removes the node itself, unless it has been declared dead.
  func leave(_ connection: isolated PostgresConnection) throws {
    try connection.write { transaction in
      transaction.add(PostgresCall("SET LOCAL lock_timeout = '10s'"))
      let rows = try transaction.run(
        PostgresCall("SELECT id FROM node WHERE id = $1 FOR UPDATE", [.integer(self.node.number)]))
      if rows.count == 1 { _ = try self.distribute(shardsOf: self.node, transaction) }
    }
  }

  /// Removes the lanes of a node whose row is locked, gives its shards to others, and removes the row.
  ///
  /// - Parameter node: The node; `nil` to distribute only shards without an owner.
  /// - Returns: The number of shards that have got another owner, or none.
  private func distribute(shardsOf node: NodeID?, _ transaction: PostgresTransaction) throws -> Int {
    let number = PostgresValue.integer(node?.number)
    // Waits for batches that are being committed, so that the statements after it see them. Later ones find no row.
    transaction.add(PostgresCall(prepared: "remove_lanes", "DELETE FROM lane WHERE node = $1", [number]))
    let rows = try transaction.run([
      PostgresCall(
        prepared: "recipients",
        """
        SELECT id, is_draining FROM node WHERE lease_until > clock_timestamp() AND id IS DISTINCT FROM $1
        ORDER BY id FOR KEY SHARE SKIP LOCKED
        """, [number]),
      PostgresCall(
        prepared: "lock_shards",
        """
        SELECT id, placement, coalesce(node = $1, false) FROM shard
        WHERE node = $1 OR next = $1 OR placement = $1 ORDER BY id FOR UPDATE
        """, [number]),
      PostgresCall(
        prepared: "lock_unowned",
        "SELECT id, placement, true FROM shard WHERE node IS NULL ORDER BY id FOR UPDATE SKIP LOCKED"),
    ])
    let (shards, owners) = try Self.owners(recipients: rows[0], shards: [rows[1], rows[2]])
    let changedCount = try transaction.run(
      PostgresCall(
        prepared: "distribute",
        """
        UPDATE shard SET node = recipient.node, next = NULL, epoch = epoch + 1
        FROM unnest($1::bigint[], $2::bigint[]) AS recipient(shard, node)
        WHERE shard.id = recipient.shard AND shard.node IS DISTINCT FROM recipient.node
        """,
        [.integers(shards), .integers(owners)])
    ).changedCount
    if node != nil {
      // Others of its sessions may have locks, and wait for a client that has stopped.
      transaction.add(Self.termination(ofNodes: "SELECT $1", [number]))
      transaction.add(PostgresCall(prepared: "remove_node", "DELETE FROM node WHERE id = $1", [number]))
    }
    if node != nil || changedCount > 0 { transaction.add(ClusterSchema.announcement) }
    return changedCount
  }

  /// Returns the shards to distribute, and their owners.
  private static func owners(
    recipients: PostgresRows, shards: [PostgresRows]
  ) throws(PostgresError) -> (shards: [Int64], owners: [Int64?]) {
    var (nodes, draining): ([NodeID], Set<NodeID>) = ([], [])
    for row in 0..<recipients.count {
      nodes.append(NodeID(try recipients.integer(row, 0)))
      if try recipients.integer(row, 1) != 0 { draining.insert(nodes[row]) }
    }
    let assignment = Assignment(nodes, draining: draining)
    var (numbers, owners): ([Int64], [Int64?]) = ([], [])
    for rows in shards {
      for row in 0..<rows.count {
        guard try rows.integer(row, 2) != 0 else { continue }
        let number = try rows.integer(row, 0)
        numbers.append(number)
        owners.append(assignment.node(of: ShardID(Int(number)), placedOn: try rows.node(row, 1))?.number)
      }
    }
    return (numbers, owners)
  }

  /// Returns the statement that ends the sessions of nodes in this database.
  private static func termination(ofNodes query: String, _ values: [PostgresValue]) -> PostgresCall {
    PostgresCall(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        JOIN (\(query)) AS gone(id) ON starts_with(application_name, 'marqueed/' || gone.id || '/')
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """, values)
  }
}
