import MarqueeModel

/// A filter for readings of an adjustable clock, which ignores temporary jumps.
///
/// A reading that deviates by more than ``jumpMax`` from the elapsed time since the last accepted reading is a jump. A
/// jump is accepted once ``confirmationCount`` readings over ``confirmationSpan`` agree on it; until then, time
/// advances with the elapsed time. So a clock that is wrong briefly does not change any device's time, and a permanent
/// change takes effect.
struct ClockJumpFilter: Sendable {
  /// The maximum deviation that is accepted immediately.
  static let jumpMax = TimeSpan.minutes(1)
  /// The span over which readings must agree on a jump.
  static let confirmationSpan = TimeSpan.seconds(30)
  /// The number of readings that must agree on a jump.
  static let confirmationCount = 4

  private struct Jump {
    let offset: Int64
    let start: Int64
    var readingCount = 1
  }

  /// The accepted difference between the clock and the elapsed time, in milliseconds.
  private var offset: Int64?
  private var jump: Jump?

  /// Returns the filtered time, in milliseconds.
  ///
  /// - Parameters:
  ///   - reading: The clock's time, in milliseconds.
  ///   - elapsed: The time of a monotonic clock, in milliseconds, which also advances while the machine is suspended.
  mutating func time(_ reading: Int64, elapsed: Int64) -> Int64 {
    let new = reading - elapsed
    guard let old = offset, !Self.agree(new, old) else {
      (offset, jump) = (new, nil)
      return reading
    }
    if let offset = jump?.offset, Self.agree(new, offset) {
      jump?.readingCount += 1
    } else {
      jump = Jump(offset: new, start: elapsed)
    }
    guard let jump, jump.readingCount >= Self.confirmationCount,
      elapsed - jump.start >= Self.confirmationSpan.milliseconds
    else { return old + elapsed }
    (offset, self.jump) = (new, nil)
    return reading
  }

  private static func agree(_ left: Int64, _ right: Int64) -> Bool { abs(left - right) <= jumpMax.milliseconds }
}
