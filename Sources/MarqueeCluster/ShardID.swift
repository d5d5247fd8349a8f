import MarqueeModel

/// A shard, the unit of ownership: a part of the devices that belongs to one node at a time.
public struct ShardID: Hashable, Sendable {
  /// The number of shards of a cluster unless its creator chooses another.
  public static let countDefault = 1_024
  /// The maximum number of shards.
  public static let countMax = 65_536

  /// The number, from 0 to the count of shards exclusively.
  public let number: Int

  public init(_ number: Int) { self.number = number }

  /// Returns the shard of a device: the 64-bit FNV-1a hash of the name's UTF-8, modulo the number of shards.
  ///
  /// The hash never changes, and the number of shards is fixed when a cluster is created.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - count: The number of shards, at least 1.
  public init(of device: DeviceID, count: Int) {
    precondition(count > 0)
    let hash = device.text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    number = Int(hash % UInt64(count))
  }

  /// Returns the number of the lane that writes this shard's devices in a node with `count` lanes.
  public func lane(of count: Int) -> Int { number % count }
}

extension ShardID: Comparable {
  public static func < (left: ShardID, right: ShardID) -> Bool { left.number < right.number }
}

extension ShardID: CustomStringConvertible {
  public var description: String { "\(number)" }
}
