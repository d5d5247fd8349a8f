import MarqueeModel

/// Rings a shard's inbox when its next device is due.
///
/// It stays set while requests come and go, so that who waits for the next one has one thing to wait for. Cleared at
/// the end: what sleeps for it is a task of its own.
struct Alarm {
  private let inbox: Inbox
  private let clock: any WallClock
  private var instant: Instant?
  private var task: Task<Void, Never>?

  init(_ inbox: Inbox, _ clock: any WallClock) {
    self.inbox = inbox
    self.clock = clock
  }

  /// Rings at `wake` if there is one, or at an earlier instant that it was set to before.
  mutating func set(to wake: Instant?) {
    if inbox.takeRing() { clear() }
    guard let wake, wake < instant ?? .max else { return }
    clear()
    instant = wake
    // Only children take over where a task runs, and a child could not be cancelled by itself.
    let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    task = Task(executorPreference: executor) { [inbox, clock] in
      // It throws only when it is cancelled, which is how the alarm is cleared.
      guard (try? await clock.sleep(until: wake)) != nil else { return }
      inbox.ring()
    }
  }

  /// Rings no more.
  mutating func clear() {
    task?.cancel()
    (instant, task) = (nil, nil)
  }
}
