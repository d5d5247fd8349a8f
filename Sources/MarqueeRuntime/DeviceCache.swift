import DequeModule
import MarqueeModel

/// The loaded devices of a shard, with CLOCK eviction.
///
/// A device that was inserted again since it was last considered for eviction is skipped once. (Corbató, *A Paging
/// Experiment with the Multics System*, 1968.)
struct DeviceCache {
  private var entries: [DeviceID: LoadedDevice] = [:]
  /// The eviction candidates, the next one to consider first.
  private var order: Deque<DeviceID> = []

  var count: Int { entries.count }

  var all: some Collection<LoadedDevice> { entries.values }

  subscript(id: DeviceID) -> LoadedDevice? { entries[id] }

  /// Inserts a device, or replaces it, and marks it as recently used.
  mutating func insert(_ loaded: LoadedDevice) {
    loaded.isRecent = true
    guard !loaded.isCached else { return }
    loaded.isCached = true
    let id = loaded.device.id
    if entries.updateValue(loaded, forKey: id) == nil { order.append(id) }
  }

  /// Dequeues at most `count` devices that were not used recently.
  ///
  /// Each of them must then be passed to ``evict(_:)`` or ``requeue(_:)``.
  mutating func dequeueIdle(_ count: Int) -> [LoadedDevice] {
    var idle: [LoadedDevice] = []
    // In the second round, no device is recent.
    for _ in 0..<2 * order.count where idle.count < count {
      guard let id = order.popFirst(), let loaded = entries[id] else { break }
      if loaded.isRecent {
        loaded.isRecent = false
        order.append(id)
      } else {
        idle.append(loaded)
      }
    }
    return idle
  }

  /// Evicts dequeued devices.
  mutating func evict(_ idle: [LoadedDevice]) {
    for loaded in idle { entries[loaded.device.id] = nil }
  }

  /// Makes dequeued devices eviction candidates again.
  mutating func requeue(_ idle: [LoadedDevice]) { order.append(contentsOf: idle.map(\.device.id)) }

  /// Removes the devices that satisfy a condition, of which none is dequeued.
  mutating func removeAll(where isRemoved: (DeviceID) -> Bool) {
    entries = entries.filter { !isRemoved($0.key) }
    order.removeAll(where: isRemoved)
  }

  /// Removes a device that is not dequeued.
  mutating func remove(_ id: DeviceID) {
    guard entries.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
  }
}
