import MarqueeRPC
import NIOCore

/// A channel handler with a wake-up time.
protocol TimedHandler: AnyObject {
  /// The wake-up time and heap index; set only by ``LoopTimers``.
  var timerTime: MonotonicTime { get set }
  var timerPlace: Int? { get set }
  /// Called when the wake-up time is reached.
  func wakeUp(at now: MonotonicTime)
}

/// The wake-up times of an event loop's connections: an indexed binary heap, so that a timer can be removed in
/// logarithmic time. The event loop's own scheduled tasks need linear time for cancellation.
///
/// Used only on the loop.
final class LoopTimers {
  /// The maximum number of connections woken per batch, between which the loop processes its sockets.
  private static let batchCountMax = 256
  private static let pause = TimeAmount.microseconds(50)

  private let loop: any EventLoop
  private var heap: [any TimedHandler] = []
  private var scheduled: Scheduled<Void>?
  private var scheduledTime = MonotonicTime.distantFuture

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  /// Schedules the connection's wake-up, replacing an earlier one.
  func set(_ time: MonotonicTime, for handler: any TimedHandler) {
    handler.timerTime = time
    if let place = handler.timerPlace {
      sift(place)
    } else {
      heap.append(handler)
      handler.timerPlace = heap.count - 1
      siftUp(heap.count - 1)
    }
    schedule()
  }

  /// Cancels the connection's wake-up.
  func remove(_ handler: any TimedHandler) {
    guard let place = handler.timerPlace else { return }
    handler.timerPlace = nil
    handler.timerTime = .distantFuture
    let last = heap.removeLast()
    if place < heap.count {
      put(last, place)
      sift(place)
    }
    guard heap.isEmpty else { return }
    scheduled?.cancel()
    scheduled = nil
    scheduledTime = .distantFuture
  }

  private func schedule() {
    guard let due = heap.first?.timerTime, due < scheduledTime else { return }
    scheduled?.cancel()
    scheduledTime = due
    scheduled = loop.assumeIsolated().scheduleTask(deadline: due.nioDeadline) { self.wake() }
  }

  private func wake() {
    let now = loop.monotonicTime
    var count = 0
    while count < Self.batchCountMax, let first = heap.first, first.timerTime <= now {
      remove(first)
      first.wakeUp(at: now)
      count += 1
    }
    scheduled?.cancel()
    scheduled = nil
    scheduledTime = .distantFuture
    guard count == Self.batchCountMax, let first = heap.first, first.timerTime <= now else { return schedule() }
    scheduledTime = now
    scheduled = loop.assumeIsolated().scheduleTask(in: Self.pause) { self.wake() }
  }

  // MARK: Binary heap

  private func put(_ handler: any TimedHandler, _ place: Int) {
    heap[place] = handler
    handler.timerPlace = place
  }

  private func sift(_ place: Int) {
    siftUp(place)
    siftDown(place)
  }

  private func siftUp(_ start: Int) {
    var place = start
    while place > 0, heap[place].timerTime < heap[(place - 1) / 2].timerTime {
      place = exchange(place, (place - 1) / 2)
    }
  }

  private func siftDown(_ start: Int) {
    var place = start
    while case let left = 2 * place + 1, left < heap.count {
      let right = left + 1
      let child = right < heap.count && heap[right].timerTime < heap[left].timerTime ? right : left
      guard heap[child].timerTime < heap[place].timerTime else { return }
      place = exchange(place, child)
    }
  }

  /// Exchanges two elements and returns `second`.
  private func exchange(_ first: Int, _ second: Int) -> Int {
    let handler = heap[first]
    put(heap[second], first)
    put(handler, second)
    return second
  }
}
