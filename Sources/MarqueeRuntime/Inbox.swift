import MarqueeModel
import Synchronization

/// The bounded queue of what a shard is asked: many add, one loop takes. Who waits for a settlement is an operator's
/// call, and bounded as these are.
final class Inbox: Sendable {
  private struct State {
    var requests: [Request] = []
    var settlements: [Settlement] = []
    var surveys: [Survey] = []
    var size = 0
    var isClosed = false
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// The way to tell somebody that whatever is due has been done, with when anything is due next.
  typealias Settlement = Request.Reply<Instant?>

  /// The way to tell somebody how much the devices in memory use of their limits.
  typealias Survey = Request.Reply<[LimitUse]>

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

  /// How many wait, and how many bytes of content they hold.
  var load: (count: Int, size: Int) { state.withLock { ($0.requests.count, $0.size) } }

  /// Adds a request, or says why not.
  func add(_ request: Request) throws {
    let size = request.size
    let waiter = try state.withLock { state in
      guard !state.isClosed else { throw RuntimeError(.stopped, "the runtime takes no more requests") }
      guard state.requests.count < countMax else {
        throw Refusal.over(limit: "queued-event-count-max", maximum: countMax, count: state.requests.count + 1)
      }
      guard state.size + size <= sizeMax else {
        throw Refusal.over(limit: "queued-content-size-max", maximum: sizeMax, count: state.size + size)
      }
      state.requests.append(request)
      state.size += size
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds somebody who waits until whatever is due has been done; refuses at once when the queue is closed.
  func add(settlement: @escaping Settlement) {
    let (waiter, isClosed) = state.withLock { state in
      if !state.isClosed { state.settlements.append(settlement) }
      return (state.isClosed ? nil : state.waiter.take(), state.isClosed)
    }
    waiter?.resume()
    if isClosed { settlement(.failure(RuntimeError(.stopped, "the runtime takes no more requests"))) }
  }

  /// Adds somebody who wants to know how much the devices in memory use; refuses at once when the queue is closed.
  func addSurvey(_ survey: @escaping Survey) {
    let (waiter, isClosed) = state.withLock { state in
      if !state.isClosed { state.surveys.append(survey) }
      return (state.isClosed ? nil : state.waiter.take(), state.isClosed)
    }
    waiter?.resume()
    if isClosed { survey(.failure(RuntimeError(.stopped, "the runtime takes no more requests"))) }
  }

  /// Takes those who want to know how much the devices in memory use.
  func takeSurveys() -> [Survey] {
    state.withLock { state in
      defer { state.surveys = [] }
      return state.surveys
    }
  }

  /// Takes those who wait until whatever is due has been done.
  func takeSettlements() -> [Settlement] {
    state.withLock { state in
      defer { state.settlements = [] }
      return state.settlements
    }
  }

  /// Takes the oldest requests, `count` at most. Once `isClosed` comes with none, none will follow.
  func take(atMost count: Int) -> (requests: [Request], isClosed: Bool) {
    state.withLock { state in
      guard state.requests.count > count else {
        defer {
          state.requests = []
          state.size = 0
        }
        return (state.requests, state.isClosed)
      }
      let taken = Array(state.requests.prefix(count))
      state.requests.removeFirst(taken.count)
      state.size -= taken.reduce(0) { $0 + $1.size }
      return (taken, state.isClosed)
    }
  }

  /// Has ``arrival()`` return, at once or when it is next called, until ``takeRing()``.
  func ring() {
    let waiter = state.withLock { state in
      state.isRung = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Whether it was rung since this was last asked.
  func takeRing() -> Bool {
    state.withLock { state in
      defer { state.isRung = false }
      return state.isRung
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

  /// Returns once anything waits, it is rung, the queue is closed, or the task is cancelled. One task at a time.
  func arrival() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          precondition(state.waiter == nil, "two tasks wait for arrivals")
          guard state.requests.isEmpty, state.settlements.isEmpty, state.surveys.isEmpty, !state.isRung,
            !state.isClosed, !Task.isCancelled
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
