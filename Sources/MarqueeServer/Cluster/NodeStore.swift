import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import MarqueeRuntime

/// The membership of this server in a cluster, and the journals of its event loops.
struct NodeStore: Sendable {
  let cluster: ClusterChoice
  let membership: PostgresMembership
  /// The journals, by the numbers of the event loops.
  let journals: [PostgresJournal]
  /// The sessions of the cluster's clients.
  let sessions: SessionTable
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
