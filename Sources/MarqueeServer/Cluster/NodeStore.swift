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
  private let latest = Mutex<ShardMap?>(nil)

  /// The owners; `nil` before they are read for the first time.
  var map: ShardMap? {
    get { latest.withLock(\.self) }
    set { latest.withLock { $0 = newValue } }
  }
}
