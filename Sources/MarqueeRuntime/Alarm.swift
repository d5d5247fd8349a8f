import MarqueeModel

/// A timer that signals a shard's queue when the shard's next device is due.
///
/// It stays set while requests arrive, so that the loop only ever waits for the queue. It must be cleared at the end,
/// because it sleeps in an unstructured task.
struct Alarm {
  private let queue: RequestQueue
  private let clock: any WallClock
  private var instant: Instant?
  private var task: Task<Void, Never>?

  init(_ queue: RequestQueue, _ clock: any WallClock) {
    self.queue = queue
    self.clock = clock
  }

  /// Consumes the queue's signal, and clears the alarm if there was one.
  ///
  /// Must be called before the clock is read: a signal that arrives later then ends the next wait.
  mutating func consumeSignal() {
    if queue.consumeSignal() { clear() }
  }

  /// Sets the alarm to `wake`, unless it is set to an earlier instant already.
  mutating func set(to wake: Instant?) {
    guard let wake, wake < instant ?? .max else { return }
    clear()
    instant = wake
    // Unstructured tasks do not inherit the executor preference, and a child task could not be cancelled by itself.
    let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    task = Task(executorPreference: executor) { [queue, clock] in
      // Sleeping throws only when the task is cancelled, by `clear()`.
      guard (try? await clock.sleep(until: wake)) != nil else { return }
      queue.signal()
    }
  }

  /// Cancels the alarm.
  mutating func clear() {
    task?.cancel()
    (instant, task) = (nil, nil)
  }
}
