import HeapModule
import MarqueeModel

/// A priority queue of the next wakes of a shard's devices. Simultaneous wakes are dequeued in the order in which they
/// were set.
struct WakeQueue {
  private struct Entry: Comparable {
    let at: Instant
    /// The number of wakes set before.
    let order: UInt64
    let device: DeviceID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.at, left.order) < (right.at, right.order)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }
  }

  private var heap = Heap<Entry>()
  /// The valid entries; other entries in the heap have been replaced.
  private var current: [DeviceID: Entry] = [:]
  private var order: UInt64 = 0

  /// Returns the earliest wake.
  mutating func first() -> Instant? {
    dropReplaced()
    return heap.min?.at
  }

  /// Returns the wake of a device.
  func instant(of device: DeviceID) -> Instant? { current[device]?.at }

  /// Sets the wake of a device, or removes it with `nil`.
  mutating func set(_ device: DeviceID, to instant: Instant?) {
    guard current[device]?.at != instant else { return }
    guard let instant else {
      current[device] = nil
      return
    }
    order += 1
    let entry = Entry(at: instant, order: order, device: device)
    current[device] = entry
    heap.insert(entry)
    if heap.count > 2 * current.count + 64 { heap = Heap(current.values) }
  }

  /// Dequeues at most `count` due devices, up to the first one for which `isAccepted` returns `false`.
  mutating func dequeueDue(
    at now: Instant, atMost count: Int, while isAccepted: (DeviceID) -> Bool = { _ in true }
  ) -> [(device: DeviceID, at: Instant)] {
    var due: [(device: DeviceID, at: Instant)] = []
    while due.count < count, let at = first(), at <= now, let next = heap.min, isAccepted(next.device) {
      let entry = heap.removeMin()
      current[entry.device] = nil
      due.append((entry.device, entry.at))
    }
    return due
  }

  private mutating func dropReplaced() {
    while let entry = heap.min, current[entry.device] != entry { heap.removeMin() }
  }
}
