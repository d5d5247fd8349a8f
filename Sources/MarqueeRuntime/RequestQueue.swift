import MarqueeModel
import Synchronization

/// The bounded request queue of a shard, with many producers and one consumer, the shard's loop.
///
/// Barriers and usage queries are not counted against the limits: they come from operators' calls, which have limits of
/// their own.
final class RequestQueue: Sendable {
  private struct State {
    var requests: [Request] = []
    var barriers: [Barrier] = []
    var usageQueries: [UsageQuery] = []
    var relearnings: [Relearning.Outcome] = []
    var removals: [Removal.Outcome] = []
    var ownershipChanges: [OwnershipChange] = []
    var storedInstants: [(device: DeviceID, instant: Instant)]?
    var size = 0
    var isClosed = false
    var isSignaled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// A completion handler that is called once all due work is done, with the instant of the next wake.
  typealias Barrier = Request.Reply<Instant?>

  /// A completion handler for how much the loaded devices use of their limits.
  typealias UsageQuery = Request.Reply<[LimitUse]>

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

  private static var closed: RuntimeError { RuntimeError(.stopped, "the runtime accepts no more requests") }

  /// Enqueues a request.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if the queue is full, or `stopped` if it is closed; `RequestError` if the
  ///   request exceeds the limit by itself.
  func add(_ request: Request) throws {
    let size = request.size
    let waiter = try state.withLock { state in
      guard !state.isClosed else { throw Self.closed }
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
      state.size += size
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Enqueues a barrier, or fails it at once if the queue is closed.
  func add(barrier: @escaping Barrier) {
    let (waiter, isClosed) = state.withLock { state in
      if !state.isClosed { state.barriers.append(barrier) }
      return (state.isClosed ? nil : state.waiter.take(), state.isClosed)
    }
    waiter?.resume()
    if isClosed { barrier(.failure(Self.closed)) }
  }

  /// Enqueues a usage query, or fails it at once if the queue is closed.
  func addUsageQuery(_ usageQuery: @escaping UsageQuery) {
    let (waiter, isClosed) = state.withLock { state in
      if !state.isClosed { state.usageQueries.append(usageQuery) }
      return (state.isClosed ? nil : state.waiter.take(), state.isClosed)
    }
    waiter?.resume()
    if isClosed { usageQuery(.failure(Self.closed)) }
  }

  /// Enqueues a change of the served shards, or fails it at once if the queue is closed.
  func add(_ change: OwnershipChange) {
    let (waiter, isClosed) = state.withLock { state in
      if !state.isClosed { state.ownershipChanges.append(change) }
      return (state.isClosed ? nil : state.waiter.take(), state.isClosed)
    }
    waiter?.resume()
    if isClosed { change.fail(Self.closed) }
  }

  /// Dequeues all changes of the served shards.
  func dequeueOwnershipChanges() -> [OwnershipChange] {
    state.withLock { state in
      defer { state.ownershipChanges = [] }
      return state.ownershipChanges
    }
  }

  /// Dequeues all usage queries.
  func dequeueUsageQueries() -> [UsageQuery] {
    state.withLock { state in
      defer { state.usageQueries = [] }
      return state.usageQueries
    }
  }

  /// Dequeues all barriers.
  func dequeueBarriers() -> [Barrier] {
    state.withLock { state in
      defer { state.barriers = [] }
      return state.barriers
    }
  }

  /// Dequeues the oldest requests.
  ///
  /// - Parameter count: The maximum number of requests.
  /// - Returns: The requests, and whether the queue is closed. After an empty result of a closed queue, no requests
  ///   follow.
  func dequeue(atMost count: Int) -> (requests: [Request], isClosed: Bool) {
    state.withLock { state in
      guard state.requests.count > count else {
        defer {
          state.requests = []
          state.size = 0
        }
        return (state.requests, state.isClosed)
      }
      let dequeued = Array(state.requests.prefix(count))
      state.requests.removeFirst(dequeued.count)
      state.size -= dequeued.reduce(0) { $0 + $1.size }
      return (dequeued, state.isClosed)
    }
  }

  /// Enqueues the outcome of a relearning, even if the queue is closed.
  func add(_ outcome: Relearning.Outcome) {
    let waiter = state.withLock { state in
      state.relearnings.append(outcome)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Dequeues the outcomes of relearnings, in the order of their completion.
  func dequeueRelearnings() -> [Relearning.Outcome] {
    state.withLock { state in
      defer { state.relearnings = [] }
      return state.relearnings
    }
  }

  /// Enqueues the outcome of a removal, even if the queue is closed.
  func add(_ outcome: Removal.Outcome) {
    let waiter = state.withLock { state in
      state.removals.append(outcome)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Dequeues the outcomes of removals, in the order of their completion.
  func dequeueRemovals() -> [Removal.Outcome] {
    state.withLock { state in
      defer { state.removals = [] }
      return state.removals
    }
  }

  /// Enqueues the latest last stored instants of devices, even if the queue is closed.
  func add(storedInstants: [(device: DeviceID, instant: Instant)]) {
    let waiter = state.withLock { state in
      state.storedInstants = storedInstants
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Dequeues the stored instants of devices, or returns `nil` if there are none.
  func dequeueStoredInstants() -> [(device: DeviceID, instant: Instant)]? {
    state.withLock { $0.storedInstants.take() }
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
          guard state.requests.isEmpty, state.barriers.isEmpty, state.usageQueries.isEmpty,
            state.relearnings.isEmpty, state.removals.isEmpty, state.storedInstants == nil, !state.isSignaled,
            state.ownershipChanges.isEmpty, !state.isClosed, !Task.isCancelled
          else {
            return true
          }
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
