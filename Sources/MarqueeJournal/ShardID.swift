import MarqueeModel

/// A shard, a part of the devices: the unit of ownership in a cluster, of which each belongs to one node at a time, and
/// of the assignment of devices to event loops.
public struct ShardID: Hashable, Sendable {
  /// The number of shards unless the creator of a cluster chooses another. It never changes, because the databases of
  /// single servers contain the shards of devices.
  public static let countDefault = 1_024
  /// The maximum number of shards.
  public static let countMax = 65_536

  /// The number, from 0 to the count of shards exclusively.
  public let number: Int

  public init(_ number: Int) { self.number = number }

  /// Returns the shard of a device.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - count: The number of shards, at least 1.
  public init(of device: DeviceID, count: Int = countDefault) { self.init(ofName: device.text, count: count) }

  /// Returns the shard of the device with a name: the 64-bit FNV-1a hash of its UTF-8, modulo the number of shards.
  ///
  /// The hash never changes, and the number of shards is fixed when a cluster is created.
  package init(ofName name: String, count: Int) {
    precondition(count > 0)
    let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    number = Int(hash % UInt64(count))
  }

  /// Returns the index of the event loop that serves this shard's devices in a process with `count` event loops.
  public func eventLoop(of count: Int) -> Int { number % count }
}

extension ShardID: Comparable {
  public static func < (left: ShardID, right: ShardID) -> Bool { left.number < right.number }
}

extension ShardID: CustomStringConvertible {
  public var description: String { "\(number)" }
}
