public import MarqueeCluster
import MarqueeJournal

/// The shards that a node of a cluster serves, which change while the runtime runs.
extension Runtime {
  /// Begins to serve the devices of shards, which the journals of their event loops have acquired. Devices that are due
  /// are loaded at once, the others with their first request. Shards that are served already are ignored.
  ///
  /// - Precondition: The configuration limits the runtime to shards.
  /// - Throws: The journal's error if the wake schedule cannot be read, or ``RuntimeError`` if the runtime stops. No
  ///   devices of the shards are then served by an event loop that failed; the call can be repeated.
  public func beginServing(_ shards: some Sequence<ShardID>) async throws {
    try await change(shards) { .begin($0, $1) }
  }

  /// Ends serving the devices of shards, and discards them.
  ///
  /// The batches under way end first, and everything that was acknowledged is durable. On return, nothing of these
  /// devices is written or dispatched any more, so that the journals can hand the shards over.
  ///
  /// - Parameters:
  ///   - shards: The shards. Those that are not served are ignored.
  ///   - owner: The server that serves the shards from now on, if it is known. Later requests, and those that have not
  ///     been taken up, fail with ``RuntimeError`` `moved` and this owner.
  /// - Precondition: The configuration limits the runtime to shards.
  /// - Throws: The journal's error after a failure that is not transient, or ``RuntimeError`` if the runtime stops.
  public func endServing(_ shards: some Sequence<ShardID>, owner: NodeRecord? = nil) async throws {
    try await change(shards) { .end($0, owner: owner, $1) }
  }

  private func change(
    _ shards: some Sequence<ShardID>,
    _ change: @escaping @Sendable (Set<ShardID>, @escaping Request.Reply<Void>) -> OwnershipChange
  ) async throws {
    let byLoop = Dictionary(grouping: shards) { $0.eventLoop(of: self.shards.count) }
    try await withThrowingTaskGroup { group in
      for (index, shards) in byLoop {
        let queue = self.shards[index].queue
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            queue.add(.ownershipChange(change(Set(shards)) { continuation.resume(with: $0) }))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
