import MarqueeJournal

/// The membership of a node in a cluster, from when it joins until it leaves or is declared dead.
///
/// The node calls ``renew()`` three times in each time to live, ``claim()`` every second, and ``Lane/acquire()`` when
/// ``shards()`` shows shards of its own that a lane does not know. All methods can be repeated after an error.
public protocol Membership: Sendable {
  /// The number of the node.
  var node: NodeID { get }
  /// The lanes of the node, by their numbers.
  var lanes: [any Lane] { get }

  /// Renews the lease.
  ///
  /// - Throws: `JournalError` `fenced` if the node has been declared dead: it discards its devices, and joins again.
  func renew() async throws(JournalError)

  /// Declares at most one node dead whose lease has expired, and distributes its shards and those without an owner
  /// among the live nodes.
  ///
  /// At most one, so that renewals are not delayed. A batch of the dead node that is being committed ends first; later
  /// ones are refused. A node that has not held its own lease for a whole time to live declares nobody dead.
  ///
  /// - Returns: The node that was declared dead, and the number of shards that were distributed.
  func claim() async throws(JournalError) -> Claim

  /// Returns the owners of all shards.
  func shards() async throws(JournalError) -> ShardMap

  /// Returns whether owners may have changed since the last call, without a round trip. The first call returns `true`.
  func haveShardsChanged() async throws(JournalError) -> Bool

  /// Requests that the owners of shards hand them over to a node, or keep them if it owns them.
  ///
  /// - Returns: The number of requests. Shards without an owner are not included, nor is any if the node is not known.
  func move(_ shards: [ShardID], to node: NodeID) async throws(JournalError) -> Int

  /// Begins or ends draining a node: while it is draining, others are to own its shards. It ends with the node, too.
  ///
  /// - Returns: Whether the node has a lease that has not expired. Otherwise nothing is changed.
  func drain(_ node: NodeID, _ isDraining: Bool) async throws(JournalError) -> Bool

  /// Places a shard on a node, and requests that the owner hands it over; or withdraws the placement, so that it is
  /// where rendezvous hashing assigns it. A placement ends with the node.
  ///
  /// - Parameters:
  ///   - shard: The shard.
  ///   - node: The node; `nil` to withdraw the placement.
  /// - Returns: Whether the node has a lease that has not expired, and is not draining. Otherwise nothing is changed.
  func place(_ shard: ShardID, on node: NodeID?) async throws(JournalError) -> Bool

  /// Leaves: distributes the node's shards among the live nodes, and removes its lanes and its lease. Later writes of
  /// the lanes are refused. Does nothing if the node has been declared dead.
  func leave() async throws(JournalError)
}
