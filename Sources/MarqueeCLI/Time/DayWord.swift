import MarqueeModel
import MarqueeSimulator

/// A day as people say it, seen from the present.
enum DayWord: Equatable, Sendable {
  case yesterday, today, tomorrow
  /// The last such day before today, counted from Sunday, which is 0.
  case weekday(Int)

  /// The words, in lower case.
  static let words = ["yesterday", "today", "tomorrow"] + weekdays

  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
  /// Days that are looked at: a week, and what a zone may have left out when it went over the date line.
  private static let searchedDayCountMax = 14

  /// The day that a word means, in upper or lower case; `nil` when it means none.
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

  /// An instant on that day of `clock`, seen from `now`; `nil` when that is before all instants.
  func instant(now: Instant, clock: DeviceClock) -> Instant? {
    switch self {
    case .today: return now
    case .tomorrow: return clock.dayBounds(containing: now).end
    case .yesterday: return Self.dayBefore(now, clock)
    case .weekday(let wanted):
      var day = now
      for _ in 0..<Self.searchedDayCountMax {
        guard let before = Self.dayBefore(day, clock) else { return nil }
        if Self.weekday(of: before, clock) == wanted { return before }
        day = before
      }
      return nil
    }
  }

  /// The last instant of the day before that of `instant`: days are 23 or 25 hours long where a clock is changed.
  private static func dayBefore(_ instant: Instant, _ clock: DeviceClock) -> Instant? {
    let start = clock.dayBounds(containing: instant).start
    return start > .min ? start.advanced(by: TimeSpan(milliseconds: -1)) : nil
  }

  private static func weekday(of instant: Instant, _ clock: DeviceClock) -> Int {
    let wall = instant.milliseconds + Int64(clock.offsetSeconds(instant)) * 1000
    // The first day of 1970 was a Thursday. A clock west of Greenwich shows the day before at its beginning.
    return Int((wall + 7 * 86_400_000) / 86_400_000 + 4) % 7
  }
}
