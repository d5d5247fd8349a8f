import MarqueeCluster
import MarqueeJournal
import Synchronization

/// The owners of the shards of a cluster, as a node last read them.
package final class LatestShardMap: Sendable {
  private struct State {
    /// The number of reads that have begun.
    var readCount = 0
    /// The number of the read that returned the map.
    var number = 0
    var map: ShardMap?
  }

  private let state = Mutex(State())

  package init() {}

  /// The owners; `nil` before they are read for the first time.
  package var map: ShardMap? { state.withLock(\.map) }

  /// Reads the owners.
  ///
  /// A read that began earlier, and ends later, does not replace them.
  package func read(_ membership: any Membership) async throws(JournalError) -> ShardMap {
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
