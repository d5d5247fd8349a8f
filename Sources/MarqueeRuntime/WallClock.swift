import MarqueeModel

/// The time of day, as the runtime's port to it.
public protocol WallClock: Sendable {
  /// The time now. It may go back when somebody sets the clock.
  var now: Instant { get }

  /// Returns once ``now`` has reached `instant`, at once if it has; throws `CancellationError`, and nothing else, when
  /// the task is cancelled before.
  func sleep(until instant: Instant) async throws
}
