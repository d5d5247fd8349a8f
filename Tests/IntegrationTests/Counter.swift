import Synchronization

/// A counter with waiters.
final class Counter: Sendable {
  private struct State {
    var count = 0
    var waiters: [Int: AsyncStream<Int>.Continuation] = [:]
    var waiterCount = 0
  }

  private let state = Mutex(State())

  /// Increments the counter and returns the new value.
  @discardableResult
  func increment() -> Int {
    let (count, waiters) = state.withLock { state in
      state.count += 1
      return (state.count, Array(state.waiters.values))
    }
    for waiter in waiters { waiter.yield(count) }
    return count
  }

  /// Waits until the counter has grown by `count`; throws if the task is cancelled.
  func wait(forMore count: Int) async throws {
    let (counts, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (number, goal) = state.withLock { state in
      state.waiterCount += 1
      state.waiters[state.waiterCount] = continuation
      return (state.waiterCount, state.count + count)
    }
    defer { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
    for await count in counts where count >= goal { return }
    throw CancellationError()
  }
}
