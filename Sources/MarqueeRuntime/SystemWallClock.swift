import Foundation
import MarqueeModel
import Synchronization

/// The system clock.
///
/// A change of the system time takes effect within ``sleepMax``, except that a jump of more than one minute takes
/// effect only after it has persisted for 30 seconds.
public final class SystemWallClock: WallClock {
  /// The maximum duration of a sleep before the time is read again.
  public static let sleepMax = TimeSpan.seconds(5)

  private let start = ContinuousClock.now
  private let filter = Mutex(ClockJumpFilter())

  /// Creates a system clock.
  public init() {}

  /// The filtered system time, clamped to the range of ``Instant``.
  public var now: Instant {
    let milliseconds = filter.withLock { filter in
      // Read with the lock held, so that readings reach the filter in order.
      let elapsed = start.duration(to: .now)
      return filter.time(
        Int64(saturating: Date.now.timeIntervalSince1970 * 1_000), elapsed: Int64(elapsed / .milliseconds(1)))
    }
    return Instant(milliseconds: min(max(milliseconds, 0), Instant.max.milliseconds)) ?? .max
  }

  public func sleep(until instant: Instant) async throws {
    while true {
      let remaining = now.span(to: instant)
      guard remaining > .zero else { return }
      try await Task.sleep(for: .milliseconds(min(remaining, Self.sleepMax).milliseconds))
    }
  }
}
