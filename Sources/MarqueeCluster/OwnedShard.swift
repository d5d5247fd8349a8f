import MarqueeJournal

/// A shard that a lane owns.
public struct OwnedShard: Hashable, Sendable {
  public let shard: ShardID
  /// The number of the tenure.
  public let epoch: Int

  public init(_ shard: ShardID, epoch: Int) {
    self.epoch = epoch
    self.shard = shard
  }
}
