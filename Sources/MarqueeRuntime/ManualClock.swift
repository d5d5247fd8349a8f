import MarqueeModel
import Synchronization

/// A clock that advances only when it is set, for tests, demonstrations and accelerated servers.
public final class ManualClock: WallClock {
  private struct Wait {
    let id: UInt64
    let until: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Instant
    var waitCount: UInt64 = 0
    /// The sleeping tasks.
    var sleepers: [Wait] = []
    /// The tasks that wait for a sleeper.
    var watchers: [Wait] = []

    var earliest: Instant? { sleepers.map(\.until).min() }
  }

  private let state: Mutex<State>

  /// Creates a clock that is set to `now`.
  public init(at now: Instant) {
    state = Mutex(State(now: now))
  }

  public var now: Instant { state.withLock(\.now) }

  /// Advances the clock, and wakes the tasks that sleep until then or earlier, in the order of their instants.
  ///
  /// - Parameter instant: The new time.
  /// - Returns: Whether the clock was set; `false` if `instant` is before ``now``.
  @discardableResult
  public func advance(to instant: Instant) -> Bool {
    let due = state.withLock { state -> [Wait]? in
      guard instant >= state.now else { return nil }
      state.now = instant
      let due = state.sleepers.filter { $0.until <= instant }
      state.sleepers.removeAll { $0.until <= instant }
      return due
    }
    guard let due else { return false }
    for sleeper in due.sorted(by: { ($0.until, $0.id) < ($1.until, $1.id) }) { sleeper.continuation.resume() }
    return true
  }

  /// Sets the clock back. No task wakes.
  ///
  /// - Precondition: `instant` is not after ``now``.
  public func setBack(to instant: Instant) {
    state.withLock { state in
      precondition(instant <= state.now, "the clock cannot be set back to a later instant")
      state.now = instant
    }
  }

  public func sleep(until instant: Instant) async throws {
    try await wait { state, id, continuation in
      guard instant > state.now else { return [continuation] }
      state.sleepers.append(Wait(id: id, until: instant, continuation: continuation))
      let satisfied = state.watchers.filter { $0.until >= instant }
      state.watchers.removeAll { $0.until >= instant }
      return satisfied.map(\.continuation)
    }
  }

  /// Returns once a task sleeps until `instant` or earlier.
  ///
  /// - Throws: `CancellationError` if the current task is cancelled.
  public func sleeper(until instant: Instant) async throws {
    try await wait { state, id, continuation in
      if let earliest = state.earliest, earliest <= instant { return [continuation] }
      state.watchers.append(Wait(id: id, until: instant, continuation: continuation))
      return []
    }
  }

  /// Suspends the task. `body` stores its continuation, and returns the continuations to resume.
  private func wait(
    _ body: (inout State, UInt64, CheckedContinuation<Void, any Error>) -> [CheckedContinuation<Void, any Error>]
  ) async throws {
    let id = state.withLock { state in
      state.waitCount += 1
      return state.waitCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ready = state.withLock { state in
          // If the task is cancelled after this check, the cancellation handler finds the stored continuation.
          Task.isCancelled ? nil : body(&state, id, continuation)
        }
        guard let ready else { return continuation.resume(throwing: CancellationError()) }
        for other in ready { other.resume() }
      }
    } onCancel: {
      let cancelled = state.withLock { state in
        let wait = (state.sleepers + state.watchers).first { $0.id == id }
        state.sleepers.removeAll { $0.id == id }
        state.watchers.removeAll { $0.id == id }
        return wait
      }
      cancelled?.continuation.resume(throwing: CancellationError())
    }
  }
}
