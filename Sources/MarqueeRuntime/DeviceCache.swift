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

  /// The stored size of all devices when they were last measured, in bytes.
  private(set) var size = 0

  var count: Int { entries.count }

  var all: some Collection<LoadedDevice> { entries.values }

  subscript(id: DeviceID) -> LoadedDevice? { entries[id] }

  /// Inserts a device, or replaces it, and marks it as recently used.
  mutating func insert(_ loaded: LoadedDevice) {
    loaded.isRecent = true
    if loaded.isSizeStale { measure(loaded) }
    guard !loaded.isCached else { return }
    loaded.isCached = true
    let id = loaded.device.id
    if let old = entries.updateValue(loaded, forKey: id) { size -= old.size } else { order.append(id) }
  }

  private mutating func measure(_ loaded: LoadedDevice) {
    size -= loaded.size
    loaded.size = loaded.device.storedSize
    loaded.isSizeStale = false
    size += loaded.size
  }

  /// Dequeues the largest device, like ``dequeueIdle(_:)``; `nil` if there is no other device.
  mutating func dequeueLargest() -> LoadedDevice? {
    guard count > 1, let largest = entries.values.max(by: { $0.size < $1.size }) else { return nil }
    let id = largest.device.id
    order.removeAll { $0 == id }
    return largest
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
    for loaded in idle {
      size -= loaded.size
      entries[loaded.device.id] = nil
    }
  }

  /// Makes dequeued devices eviction candidates again.
  mutating func requeue(_ idle: [LoadedDevice]) { order.append(contentsOf: idle.map(\.device.id)) }

  /// Removes a device that is not dequeued.
  mutating func remove(_ id: DeviceID) {
    guard let removed = entries.removeValue(forKey: id) else { return }
    size -= removed.size
    order.removeAll { $0 == id }
  }
}
