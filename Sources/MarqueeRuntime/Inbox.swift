import MarqueeModel
import Synchronization

/// The bounded queue of what a shard is asked: many add, one loop takes.
final class Inbox: Sendable {
  private struct State {
    var requests: [Request] = []
    var size = 0
    var isClosed = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let countMax: Int
  private let sizeMax: Int
  private let state = Mutex(State())

  /// A queue of at most `countMax` requests that hold at most `sizeMax` bytes of content.
  init(countMax: Int, sizeMax: Int) {
    self.countMax = countMax
    self.sizeMax = sizeMax
  }

  /// How many wait.
  var count: Int { state.withLock(\.requests.count) }

  /// Adds a request, or says why not.
  func add(_ request: Request) throws {
    let size = request.size
    let waiter = try state.withLock { state in
      guard !state.isClosed else { throw RuntimeError(.stopped, "the runtime takes no more requests") }
      guard state.requests.count < countMax else {
        throw Refusal.over(limit: "queuedEventCountMax", maximum: countMax, count: state.requests.count + 1)
      }
      guard state.size + size <= sizeMax else {
        throw Refusal.over(limit: "queuedContentSizeMax", maximum: sizeMax, count: state.size + size)
      }
      state.requests.append(request)
      state.size += size
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Takes the oldest requests, `count` at most. Once `isClosed` comes with none, none will follow.
  func take(atMost count: Int) -> (requests: [Request], isClosed: Bool) {
    state.withLock { state in
      let taken = Array(state.requests.prefix(count))
      state.requests.removeFirst(taken.count)
      state.size -= taken.reduce(0) { $0 + $1.size }
      return (taken, state.isClosed)
    }
  }

  /// Takes no more requests; those that wait stay.
  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Returns once a request waits, the queue is closed, or the task is cancelled. One task at a time.
  func arrival() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          precondition(state.waiter == nil, "two tasks wait for arrivals")
          guard state.requests.isEmpty, !state.isClosed, !Task.isCancelled else { return true }
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
