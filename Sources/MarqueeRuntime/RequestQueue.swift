import MarqueeModel
import Synchronization

/// The bounded request queue of a shard, with many producers and one consumer, the shard's loop.
///
/// Messages are not counted against the limits: they come from operators' calls, which have limits of their own, and
/// from the loop's own work.
final class RequestQueue: Sendable {
  private struct State {
    var requests: [Request] = []
    /// The bytes of the content of each request.
    var sizes: [Int] = []
    var size = 0
    var messages: [ShardMessage] = []
    var isClosed = false
    var isSignaled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let countMax: Int
  private let sizeMax: Int
  private let state = Mutex(State())

  /// Creates a queue of at most `countMax` requests with at most `sizeMax` bytes of content.
  init(countMax: Int, sizeMax: Int) {
    self.countMax = countMax
    self.sizeMax = sizeMax
  }

  /// The number of queued requests.
  var count: Int { state.withLock(\.requests.count) }

  /// The number of queued requests, and the bytes of their content.
  var load: (count: Int, size: Int) { state.withLock { ($0.requests.count, $0.size) } }

  /// Enqueues a request.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if the queue is full, or `stopped` if it is closed; `RequestError` if the
  ///   request exceeds the limit by itself.
  func add(_ request: Request) throws {
    // Outside the lock: a request may be encoded for it.
    let size = request.size
    let waiter = try state.withLock { state in
      guard !state.isClosed else { throw RuntimeError.closed }
      guard state.requests.count < countMax else {
        throw RuntimeError.full(limit: "queued-event-count-max", maximum: countMax, count: state.requests.count + 1)
      }
      guard size <= sizeMax else {
        throw RequestError.over(limit: "queued-content-size-max", maximum: sizeMax, count: size)
      }
      guard state.size + size <= sizeMax else {
        throw RuntimeError.full(limit: "queued-content-size-max", maximum: sizeMax, count: state.size + size)
      }
      state.requests.append(request)
      state.sizes.append(size)
      state.size += size
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Dequeues the oldest requests.
  ///
  /// - Parameter count: The maximum number of requests.
  /// - Returns: The requests, and whether the queue is closed. After an empty result of a closed queue, no requests
  ///   follow.
  func dequeue(atMost count: Int) -> (requests: [Request], isClosed: Bool) {
    state.withLock { state in
      guard state.requests.count > count else {
        defer { (state.requests, state.sizes, state.size) = ([], [], 0) }
        return (state.requests, state.isClosed)
      }
      let dequeued = Array(state.requests.prefix(count))
      state.size -= state.sizes.prefix(count).reduce(0, +)
      state.requests.removeFirst(count)
      state.sizes.removeFirst(count)
      return (dequeued, state.isClosed)
    }
  }

  /// Enqueues a message. If the queue is closed, fails it at once unless it is a report.
  func add(_ message: ShardMessage) {
    let (waiter, isAccepted) = state.withLock { state in
      guard !state.isClosed || message.isReport else { return (nil as CheckedContinuation<Void, Never>?, false) }
      state.messages.append(message)
      return (state.waiter.take(), true)
    }
    waiter?.resume()
    if !isAccepted { message.fail(RuntimeError.closed) }
  }

  /// Dequeues all messages, in order.
  func dequeueMessages() -> [ShardMessage] {
    state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  /// Sets the signal, which makes ``waitForWork()`` return until ``consumeSignal()`` is called.
  func signal() {
    let waiter = state.withLock { state in
      state.isSignaled = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Clears the signal, and returns whether it was set.
  func consumeSignal() -> Bool {
    state.withLock { state in
      defer { state.isSignaled = false }
      return state.isSignaled
    }
  }

  /// Rejects further requests. Queued requests stay.
  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Returns once there is work, the signal is set, the queue is closed, or the task is cancelled. For one task at a
  /// time.
  func waitForWork() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          precondition(state.waiter == nil, "two tasks wait for work")
          guard state.requests.isEmpty, state.messages.isEmpty, !state.isSignaled, !state.isClosed, !Task.isCancelled
          else { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume()
    }
  }
}

extension RuntimeError {
  fileprivate static var closed: RuntimeError { RuntimeError(.stopped, "the runtime accepts no more requests") }
}
