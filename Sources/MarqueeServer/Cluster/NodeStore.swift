import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import Synchronization

/// The membership of this server in a cluster, and the journals of its event loops.
struct NodeStore: Sendable {
  let cluster: ClusterChoice
  let membership: PostgresMembership
  /// The journals, by the numbers of the event loops.
  let journals: [PostgresJournal]
  /// The owners of the shards, as this server last read them.
  let latest = LatestShardMap()
  /// An instant before the request to join, or the last renewal, was sent.
  let renewedAt: ContinuousClock.Instant

  /// The lease that the node has when it has joined, in the time since ``renewedAt``.
  var lease: NodeLease { NodeLease(timeToLive: cluster.timeToLive, sentAt: .zero) }

  /// Returns the instant from which the node must not answer.
  func end(of lease: NodeLease) -> ContinuousClock.Instant { renewedAt + lease.validUntil }

  /// Hands all shards to other nodes, and closes the connections.
  ///
  /// The runtime has stopped, so that nothing of the devices is written any more.
  ///
  /// - Throws: `JournalError` if the database cannot be reached. Other nodes get the shards when the lease has ended.
  func leave() async throws(JournalError) {
    for journal in journals { await journal.tables.close() }
    do {
      try await membership.leave()
    } catch {
      await membership.close()
      throw error
    }
  }
}

/// The owners of the shards of a cluster, as a server last read them.
final class LatestShardMap: Sendable {
  private struct State {
    /// The number of reads that have begun.
    var readCount = 0
    /// The number of the read that returned the map.
    var number = 0
    var map: ShardMap?
  }

  private let state = Mutex(State())

  /// The owners; `nil` before they are read for the first time.
  var map: ShardMap? { state.withLock(\.map) }

  /// Reads the owners.
  ///
  /// A read that began earlier, and ends later, does not replace them.
  func read(_ membership: any Membership) async throws(JournalError) -> ShardMap {
    let number = state.withLock { state in
      state.readCount += 1
      return state.readCount
    }
    let map = try await membership.shards()
    state.withLock { state in
      guard number > state.number else { return }
      (state.number, state.map) = (number, map)
    }
    return map
  }
}
