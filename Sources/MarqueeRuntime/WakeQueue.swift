import HeapModule
import MarqueeModel

/// When each device of a shard next needs to run. Those that are due together come in the order in which their wakes
/// were set.
struct WakeQueue {
  private struct Entry: Comparable {
    let at: Instant
    /// Counts the wakes set so far.
    let order: UInt64
    let device: DeviceID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.at, left.order) < (right.at, right.order)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }
  }

  private var heap = Heap<Entry>()
  /// The entries that hold; others in the heap have been replaced.
  private var current: [DeviceID: Entry] = [:]
  private var order: UInt64 = 0

  /// The earliest wake.
  mutating func first() -> Instant? {
    dropReplaced()
    return heap.min?.at
  }

  /// The wake of a device.
  func instant(of device: DeviceID) -> Instant? { current[device]?.at }

  /// Sets or, with `nil`, takes back the wake of a device.
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

  /// Takes out the devices whose wake has come, `count` at most, up to the first one that is not wanted now.
  mutating func takeDue(
    at now: Instant, atMost count: Int, while isWanted: (DeviceID) -> Bool = { _ in true }
  ) -> [(device: DeviceID, at: Instant)] {
    var due: [(device: DeviceID, at: Instant)] = []
    while due.count < count, let at = first(), at <= now, let next = heap.min, isWanted(next.device) {
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
