import MarqueeCluster
import MarqueeJournal

/// A lane with its connection, whose sessions have the name of the node, so that others can end them.
package final class PostgresLane: Lane {
  package let number: Int
  private let laneCount: Int
  private let node: NodeID
  private let shardCount: Int
  let fence: FencedConnection

  init(
    _ settings: PostgresSettings, _ node: NodeID, number: Int, of laneCount: Int, shardCount: Int
  ) throws(PostgresError) {
    fence = FencedConnection(
      try PostgresConnection(settings.named(node, "\(number)"), name: "postgres lane"),
      BatchSequence(node: node.number, lane: Int64(number)), OwnedShards([:], of: shardCount))
    self.laneCount = laneCount
    self.node = node
    self.number = number
    self.shardCount = shardCount
  }

  /// Writes a batch.
  ///
  /// - Parameter calls: The statements, which cannot use each other's results.
  /// - Returns: The rows of each statement, once the batch is durable.
  /// - Throws: ``JournalError`` `fenced` if the node has been declared dead, after which all writes fail;
  ///   `commitFailed` if the outcome is unknown, after which ``resolve()`` must be called; or another error, after
  ///   which nothing was written.
  package func write(_ calls: [PostgresCall]) async throws(JournalError) -> [PostgresRows] {
    try await perform("writing") { try $0.write(calls, $1) }
  }

  /// Calls `body` on the thread of the connection.
  private func perform<Value: Sendable>(
    _ activity: String, _ body: @Sendable (FencedConnection, isolated PostgresConnection) throws -> Value
  ) async throws(JournalError) -> Value {
    let fence = fence
    do {
      return try await fence.connection.perform { try body(fence, $0) }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: activity)
    }
  }

  package func resolve() async throws(JournalError) -> Bool {
    do {
      return try await perform("resolving a batch") { try $0.resolve($1) }
    } catch {
      // The outcome of the resolution itself does not matter, because it is repeated.
      guard error.code == .commitFailed else { throw error }
      throw JournalError(.unavailable, error.message, cause: error)
    }
  }

  package func acquire() async throws(JournalError) -> [OwnedShard] {
    let call = PostgresCall(
      prepared: "owned_shards", "SELECT id, epoch FROM shard WHERE node = $1 AND id % $2 = $3 ORDER BY id",
      [.integer(node.number), .integer(Int64(laneCount)), .integer(Int64(number))])
    let shardCount = shardCount
    return try await perform("acquiring shards") { fence, connection in
      let owned = try Self.owned(fence.write([call], connection)[0])
      let epochs = Dictionary(uniqueKeysWithValues: owned.map { ($0.shard, $0.epoch) })
      fence.acquire(OwnedShards(epochs, of: shardCount))
      return owned
    }
  }

  package func handOver(_ shards: [ShardID]) async throws(JournalError) -> [ShardID] {
    let call = handOverCall(shards)
    return try await perform("handing shards over") { fence, connection in
      do {
        let moved = try Self.owned(fence.write([call, ClusterSchema.announcement], connection)[0]).map(\.shard)
        fence.release(moved)
        return moved.sorted()
      } catch {
        // Until the lane acquires those that are left.
        if (error as? PostgresError)?.outcome == .unknown { fence.release(shards) }
        throw error
      }
    }
  }

  private func handOverCall(_ shards: [ShardID]) -> PostgresCall {
    PostgresCall(
      prepared: "hand_over",
      """
      WITH target AS MATERIALIZED (
        SELECT id FROM node
        WHERE id IN (SELECT next FROM shard WHERE node = $1 AND id = ANY($2)) ORDER BY id FOR KEY SHARE SKIP LOCKED),
      chosen AS MATERIALIZED (
        SELECT id FROM shard WHERE node = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE)
      UPDATE shard SET node = target.id, next = NULL, epoch = epoch + 1 FROM target, chosen
      WHERE shard.id = chosen.id AND shard.node = $1 AND shard.next = target.id RETURNING shard.id, epoch
      """, [.integer(node.number), .integers(shards.map { Int64($0.number) })])
  }

  private static func owned(_ rows: PostgresRows) throws(PostgresError) -> [OwnedShard] {
    var owned: [OwnedShard] = []
    for row in 0..<rows.count {
      owned.append(OwnedShard(ShardID(Int(try rows.integer(row, 0))), epoch: Int(try rows.integer(row, 1))))
    }
    return owned
  }

  /// Closes the connection. Later writes fail.
  func close() async {
    let fence = fence
    await fence.connection.perform { fence.close($0) }
  }
}

extension PostgresSettings {
  /// Returns the settings of a connection of a node, by whose name others find its sessions: see ``NodeRemoval``.
  func named(_ node: NodeID, _ part: String) -> PostgresSettings {
    with(applicationName: "marqueed/\(node)/\(part)")
  }
}
