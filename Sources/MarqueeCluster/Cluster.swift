import MarqueeJournal

/// A cluster of nodes that share a database: the port through which a node joins.
public protocol Cluster: Sendable {
  /// Joins under a new number, with a new lease and new lanes. The node owns no shards yet.
  ///
  /// - Parameters:
  ///   - name: The name of the node, for operators. Several nodes can have the same.
  ///   - laneCount: The number of lanes.
  /// - Throws: `JournalError` `unavailable`, or `refused` if the settings, the database, its number of shards or the
  ///   node's clock are not accepted. After `commitFailed`, join again: a node that nobody runs is declared dead.
  func join(_ name: String, laneCount: Int) async throws(JournalError) -> any Membership
}
