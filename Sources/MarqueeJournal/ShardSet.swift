import MarqueeModel

/// A set of shards, to whose devices a read of a journal can be limited.
public struct ShardSet: Hashable, Sendable {
  /// The number of shards into which all devices are divided.
  public let shardCount: Int
  /// The shards.
  public let shards: Set<ShardID>

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - shards: The shards, whose numbers are less than `shardCount`.
  ///   - shardCount: The number of shards into which all devices are divided.
  public init(_ shards: some Sequence<ShardID>, of shardCount: Int) {
    self.shardCount = shardCount
    self.shards = Set(shards)
    precondition(self.shards.allSatisfy { (0..<shardCount).contains($0.number) })
  }

  /// Returns whether the shard of a device is in the set.
  public func contains(_ device: DeviceID) -> Bool { shards.contains(ShardID(of: device, count: shardCount)) }

  /// Returns whether the shard of the device with a name is in the set.
  package func contains(name: String) -> Bool { shards.contains(ShardID(ofName: name, count: shardCount)) }
}
