import MarqueeJournal
import MarqueeModel

/// The shards whose devices a journal reads and writes, with the numbers of their tenures.
struct OwnedShards: Sendable {
  /// All shards, for the database of a single server. Its tenure is 0.
  static let all = OwnedShards(of: ShardID.countDefault)

  /// The number of shards into which the database's devices are divided.
  let count: Int
  /// The epochs of the owned shards; `nil` if all are owned.
  private var epochs: [ShardID: Int]?

  /// Creates the set of all shards.
  init(of count: Int) { self.count = count }

  /// Creates the set of the shards with these epochs.
  init(_ epochs: [ShardID: Int], of count: Int) {
    self.count = count
    self.epochs = epochs
  }

  /// Returns the shard of a device.
  func shard(of device: DeviceID) -> ShardID { ShardID(of: device, count: count) }

  /// Returns the epoch of a device's shard.
  ///
  /// - Throws: ``JournalError`` `notOwned`.
  func epoch(of device: DeviceID) throws(JournalError) -> Int64 {
    guard let epochs else { return 0 }
    let shard = shard(of: device)
    guard let epoch = epochs[shard] else {
      throw JournalError(.notOwned, "the device's shard \(shard) is not one of this journal's", device: device)
    }
    return Int64(epoch)
  }

  /// Checks that the shards of devices are owned.
  ///
  /// - Throws: ``JournalError`` `notOwned`.
  func check(_ devices: some Sequence<DeviceID>) throws(JournalError) {
    guard epochs != nil else { return }
    for device in devices { _ = try epoch(of: device) }
  }

  /// Checks that the shards of a batch's devices are owned.
  ///
  /// - Throws: ``JournalError`` `notOwned`.
  func check(_ rows: Batch.Rows) throws(JournalError) {
    guard epochs != nil else { return }
    try check((rows.created + rows.events + rows.decisions.map(\.row) + rows.snapshots).map(\.device))
    try check(rows.wakes.map(\.device))
  }

  /// Removes shards that have been handed over, or may have been.
  mutating func remove(_ shards: some Sequence<ShardID>) { for shard in shards { epochs?[shard] = nil } }
}

extension ShardSet {
  /// The numbers of the shards, in order.
  var numbers: PostgresValue { .integers(shards.map { Int64($0.number) }.sorted()) }
}
