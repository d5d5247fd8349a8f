import HeapModule
import MarqueeModel

/// A priority queue of the next wakes of items, such as a shard's devices. Simultaneous wakes are dequeued in the order
/// in which they were set.
package struct WakeQueue<Item: Hashable> {
  private struct Entry: Comparable {
    let at: Instant
    /// The number of wakes set before.
    let order: UInt64
    let item: Item

    static func < (left: Entry, right: Entry) -> Bool {
      (left.at, left.order) < (right.at, right.order)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }
  }

  private var heap = Heap<Entry>()
  /// The valid entries; other entries in the heap have been replaced.
  private var current: [Item: Entry] = [:]
  private var order: UInt64 = 0

  /// Creates a queue without wakes.
  package init() {}

  /// Returns the earliest wake.
  package mutating func first() -> Instant? {
    dropReplaced()
    return heap.min?.at
  }

  /// Returns the wake of an item.
  func instant(of item: Item) -> Instant? { current[item]?.at }

  /// Sets the wake of an item, or removes it with `nil`.
  package mutating func set(_ item: Item, to instant: Instant?) {
    guard current[item]?.at != instant else { return }
    guard let instant else {
      current[item] = nil
      return
    }
    order += 1
    let entry = Entry(at: instant, order: order, item: item)
    current[item] = entry
    heap.insert(entry)
    if heap.count > 2 * current.count + 64 { heap = Heap(current.values) }
  }

  /// Removes the wakes of the items that satisfy a condition.
  mutating func removeAll(where isRemoved: (Item) -> Bool) {
    current = current.filter { !isRemoved($0.key) }
    heap = Heap(current.values)
  }

  /// Dequeues at most `count` due items, up to the first one for which `isAccepted` returns `false`.
  package mutating func dequeueDue(
    at now: Instant, atMost count: Int, while isAccepted: (Item) -> Bool = { _ in true }
  ) -> [(item: Item, at: Instant)] {
    var due: [(item: Item, at: Instant)] = []
    while due.count < count, let at = first(), at <= now, let next = heap.min, isAccepted(next.item) {
      let entry = heap.removeMin()
      current[entry.item] = nil
      due.append((entry.item, entry.at))
    }
    return due
  }

  private mutating func dropReplaced() {
    while let entry = heap.min, current[entry.item] != entry { heap.removeMin() }
  }
}
