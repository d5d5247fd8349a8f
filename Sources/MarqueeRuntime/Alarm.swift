import MarqueeModel

/// A timer that sends a signal when the earliest instant is reached to which it was set.
///
/// It must be cleared at the end, because it sleeps in an unstructured task.
package struct Alarm {
  private let clock: any WallClock
  private let signal: @Sendable () -> Void
  private var instant: Instant?
  private var task: Task<Void, Never>?

  /// Creates an alarm that calls `signal` when `clock` reaches the instant.
  package init(_ clock: any WallClock, _ signal: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.signal = signal
  }

  /// Sets the alarm to `wake`, unless it is set to an earlier instant already.
  ///
  /// After a signal, it must be cleared before it is set again.
  package mutating func set(to wake: Instant?) {
    guard let wake, wake < instant ?? .max else { return }
    clear()
    instant = wake
    // A child task could not be cancelled by itself.
    task = Task(executorPreference: Task.executorPreference) { [signal, clock] in
      // Sleeping throws only when the task is cancelled, by `clear()`.
      guard (try? await clock.sleep(until: wake)) != nil else { return }
      signal()
    }
  }

  /// Cancels the alarm.
  package mutating func clear() {
    task?.cancel()
    (instant, task) = (nil, nil)
  }
}
