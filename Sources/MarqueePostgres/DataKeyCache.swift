import Synchronization

/// The data keys that the connections of a server share.
final class DataKeyCache: Sendable {
  /// The maximum number of keys; the cache is cleared when it is full.
  static let countMax = 65_536

  private struct State {
    var keys: [Int64: DataKey] = [:]
    /// The number of changes that made keys obsolete.
    var epoch: UInt64 = 0

    mutating func makeRoom(for count: Int) {
      if keys.count + count > countMax { keys.removeAll(keepingCapacity: true) }
    }
  }

  private let state = Mutex(State())

  /// The state of the cache, for ``insert(_:of:since:)``.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  /// The number of known keys.
  var count: Int { state.withLock { $0.keys.count } }

  /// Returns the newest key of a device that is known.
  func key(of device: Int64) -> DataKey? { state.withLock { $0.keys[device] } }

  /// Adds the key of a device, unless keys have become obsolete since `epoch`: the transaction that found the key may
  /// have an earlier view.
  func insert(_ key: DataKey, of device: Int64, since epoch: UInt64) {
    state.withLock { state in
      guard state.epoch == epoch else { return }
      state.makeRoom(for: 1)
      state.keys[device] = key
    }
  }

  /// Replaces keys by those that a transaction has committed; `nil` for a removed device. The replaced ones are
  /// overwritten in memory when the last transaction that uses them ends.
  func replace(by keys: [Int64: DataKey?]) {
    guard !keys.isEmpty else { return }
    state.withLock { state in
      state.epoch += 1
      state.makeRoom(for: keys.count)
      for (device, key) in keys { state.keys[device] = key }
    }
  }

  /// Removes all keys, after a transaction whose outcome was unknown.
  func removeAll() {
    state.withLock { state in
      state.epoch += 1
      state.keys = [:]
    }
  }
}
