import MarqueeCluster
import MarqueeJournal

/// A change of the shards that an event loop serves, with its completion handler, which is called exactly once.
enum OwnershipChange: Sendable {
  /// Serves the devices of more shards.
  case begin(Set<ShardID>, Request.Reply<Void>)
  /// No longer serves the devices of shards, whose requests fail with their next owner.
  case end(Set<ShardID>, owner: NodeRecord?, Request.Reply<Void>)

  /// The shards concerned.
  var shards: Set<ShardID> {
    switch self {
    case .begin(let shards, _), .end(let shards, _, _): shards
    }
  }

  /// Completes the change with an error.
  func fail(_ error: any Error) {
    switch self {
    case .begin(_, let reply), .end(_, _, let reply): reply(.failure(error))
    }
  }
}
