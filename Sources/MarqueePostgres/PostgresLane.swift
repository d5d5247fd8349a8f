import MarqueeCluster
import MarqueeJournal

/// A lane with its connection, whose sessions have the name of the node, so that others can end them.
///
/// All state is used on the thread of ``connection``; the lane is `@unchecked Sendable` for that reason.
package final class PostgresLane: Lane, @unchecked Sendable {
  package let number: Int
  private let laneCount: Int
  private let node: NodeID
  private let connection: PostgresConnection
  private var witness: LaneWitness
  /// Whether the outcome of a batch is unknown.
  private var isInDoubt = false
  /// The error with which all writes fail.
  private var closure: JournalError?

  init(_ settings: PostgresSettings, _ node: NodeID, number: Int, of laneCount: Int) throws(PostgresError) {
    connection = try PostgresConnection(settings.named(node, "\(number)"), name: "postgres lane")
    self.laneCount = laneCount
    self.node = node
    self.number = number
    witness = LaneWitness(node: node.number, lane: Int64(number))
  }

  /// Writes a batch.
  ///
  /// - Parameter calls: The statements, which cannot use each other's results.
  /// - Returns: The rows of each statement, once the batch is durable.
  /// - Throws: ``JournalError`` `fenced` if the node has been declared dead, after which all writes fail;
  ///   `commitFailed` if the outcome is unknown, after which ``resolve()`` must be called; or another error, after
  ///   which nothing was written.
  package func write(_ calls: [PostgresCall]) async throws(JournalError) -> [PostgresRows] {
    do {
      return try await connection.perform { try self.write(calls, $0) }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "writing")
    }
  }

  private func write(_ calls: [PostgresCall], _ connection: isolated PostgresConnection) throws -> [PostgresRows] {
    if let closure { throw closure }
    guard !isInDoubt else { throw JournalError(.unavailable, "the outcome of the last batch is unknown") }
    do {
      let rows = try connection.write([witness.advance] + calls)
      witness.confirm()
      return Array(rows.dropFirst())
    } catch {
      isInDoubt = error.outcome == .unknown
      let failure = JournalError(error, ofOpenJournalWhile: "writing")
      if failure.code == .fenced { closure = failure }
      throw failure
    }
  }

  package func resolve() async throws(JournalError) -> Bool {
    do {
      return try await connection.perform { connection in
        if let closure = self.closure { throw closure }
        precondition(self.isInDoubt)
        do throws(PostgresError) {
          let isWritten = try self.witness.resolve(connection)
          self.isInDoubt = false
          return isWritten
        } catch {
          guard error.code == .fenced else { throw error }
          let failure = JournalError(.fenced, "the node has been declared dead", cause: error)
          self.closure = failure
          throw failure
        }
      }
    } catch {
      let failure = JournalError(error, ofOpenJournalWhile: "resolving a batch")
      // The outcome of the resolution itself does not matter, because it is repeated.
      guard failure.code == .commitFailed else { throw failure }
      throw JournalError(.unavailable, failure.message, cause: failure)
    }
  }

  package func acquire() async throws(JournalError) -> [OwnedShard] {
    let rows = try await write([
      PostgresCall(
        prepared: "owned_shards", "SELECT id, epoch FROM shard WHERE node = $1 AND id % $2 = $3 ORDER BY id",
        [.integer(node.number), .integer(Int64(laneCount)), .integer(Int64(number))])
    ])[0]
    return try owned(rows)
  }

  package func handOver(_ shards: [ShardID]) async throws(JournalError) -> [ShardID] {
    let rows = try await write([
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
        """, [.integer(node.number), .integers(shards.map { Int64($0.number) })]),
      ClusterSchema.announcement,
    ])[0]
    return try owned(rows).map(\.shard).sorted()
  }

  private func owned(_ rows: PostgresRows) throws(JournalError) -> [OwnedShard] {
    do {
      return try (0..<rows.count).map {
        OwnedShard(ShardID(Int(try rows.integer($0, 0))), epoch: Int(try rows.integer($0, 1)))
      }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading shards")
    }
  }

  /// Closes the connection. Later writes fail.
  func close() async {
    await connection.perform { connection in
      self.closure = self.closure ?? .isClosed
      connection.close()
    }
  }
}

extension PostgresSettings {
  /// Returns the settings of a connection of a node, by whose name others find its sessions: see ``NodeRemoval``.
  func named(_ node: NodeID, _ part: String) -> PostgresSettings {
    with(applicationName: "marqueed/\(node)/\(part)")
  }
}
