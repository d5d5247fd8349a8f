import MarqueeCluster
import MarqueeJournal

/// The process of a node as its ``NodeController`` uses it: a clock, and event loops that serve devices.
package protocol NodeHost: Sendable {
  /// The reading of a clock that also runs while the machine is suspended.
  var now: Duration { get }
  /// The shards whose devices are served. Only the controller changes it.
  var served: Set<ShardID> { get nonmutating set }

  /// Suspends for a time of the clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(_ span: Duration) async throws

  /// Makes the event loops serve devices until the lease ends.
  ///
  /// - Parameter lease: The lease; `nil` if the node has none any more.
  func setLease(_ lease: NodeLease?)

  /// Ends the streams of devices, because the lease has ended.
  func endStreams()

  /// Records which nodes have which shards.
  func setOwners(_ map: ShardMap)

  /// Begins to serve the devices of shards that the lanes have acquired. Shards that are served already are ignored.
  ///
  /// - Throws: `JournalError` `closed` if the event loops stop, or the journal's error, after which it can be repeated.
  func beginServing(_ shards: [ShardID]) async throws

  /// Ends serving the devices of shards. On return, nothing of them is written or shown any more.
  ///
  /// - Parameters:
  ///   - shards: The shards. Those that are not served are ignored.
  ///   - next: The node that is to have the shards, if it is known.
  /// - Throws: As ``beginServing(_:)``.
  func endServing(_ shards: [ShardID], next: NodeRecord?) async throws

  /// Receives an event for operators.
  func report(_ event: NodeEvent)
}

/// An event of a node for operators.
package enum NodeEvent: Sendable {
  case renewalFailed(JournalError, isRepeated: Bool)
  /// The lease was renewed after failures.
  case renewedAgain
  case leaseEnded
  /// The other nodes have declared this node dead.
  case declaredDead
  case claimed(Claim)
  case requested(shardCount: Int)
  case handedOver(shardCount: Int)
  case began(shardCount: Int)
  case givingAwayFailed(JournalError)
  case resolutionFailed(JournalError)
  /// Following the owners of shards failed for the first time since it last succeeded.
  case followingFailed(JournalError)
}
