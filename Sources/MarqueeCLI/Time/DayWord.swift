import MarqueeModel
import MarqueeSimulator

/// A day named by a word, relative to the present.
enum DayWord: Equatable, Sendable {
  case yesterday, today, tomorrow
  /// The last such weekday before today or the next one after it, counted from Sunday, which is 0.
  case weekday(Int)

  /// The accepted words, in lower case.
  static let words = ["yesterday", "today", "tomorrow"] + weekdays

  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
  /// The number of days searched: a week, plus days skipped by a zone that crossed the date line.
  private static let searchedDayCountMax = 14

  /// Parses a word, ignoring case. Returns `nil` if it names no day.
  init?(_ text: some StringProtocol) {
    switch text.lowercased() {
    case "yesterday": self = .yesterday
    case "today": self = .today
    case "tomorrow": self = .tomorrow
    case let word:
      guard let index = Self.weekdays.firstIndex(of: word) else { return nil }
      self = .weekday(index)
    }
  }

  /// Returns an instant on that day of `clock`, relative to `now`, or `nil` if it precedes the first representable
  /// instant.
  ///
  /// - Parameter isAhead: Whether a weekday is the next one after today, and not the last one before it.
  func instant(now: Instant, clock: DeviceClock, isAhead: Bool = false) -> Instant? {
    switch self {
    case .today: return now
    case .tomorrow: return clock.dayBounds(containing: now).end
    case .yesterday: return Self.dayBefore(now, clock)
    case .weekday(let wanted):
      var day = now
      for _ in 0..<Self.searchedDayCountMax {
        guard let next = isAhead ? clock.dayBounds(containing: day).end : Self.dayBefore(day, clock) else { return nil }
        if Self.weekday(of: next, clock) == wanted { return next }
        day = next
      }
      return nil
    }
  }

  /// Returns the last instant of the previous day. Days can have 23 or 25 hours because of clock changes.
  private static func dayBefore(_ instant: Instant, _ clock: DeviceClock) -> Instant? {
    let start = clock.dayBounds(containing: instant).start
    return start > .min ? start.advanced(by: TimeSpan(milliseconds: -1)) : nil
  }

  private static func weekday(of instant: Instant, _ clock: DeviceClock) -> Int {
    let wall = instant.milliseconds + Int64(clock.offsetSeconds(instant)) * 1000
    // 1970-01-01 was a Thursday. A clock west of Greenwich shows the day before at that instant.
    return Int((wall + 7 * 86_400_000) / 86_400_000 + 4) % 7
  }
}
