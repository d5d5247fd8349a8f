import MarqueeModel

/// A clock for the time of day.
public protocol WallClock: Sendable {
  /// The current time. It may decrease when the clock is set back.
  var now: Instant { get }

  /// Returns once ``now`` has reached `instant`.
  ///
  /// - Throws: `CancellationError`, and no other error, if the task is cancelled.
  func sleep(until instant: Instant) async throws
}
