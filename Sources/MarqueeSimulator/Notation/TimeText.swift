import MarqueeModel

/// A time in text form that does not depend on the present: an instant, a local date and time, or a time of day.
///
/// Accepted forms are RFC 3339 (`2021-06-07T09:41:00+02:00`), `YYYY-MM-DD HH:MM[:SS[.FFF]]`, `YYYY-MM-DD` (its first
/// instant) and `HH:MM[:SS[.FFF]]`, where `24:00` is the first instant of the next day.
package enum TimeText: Equatable, Sendable {
  /// A time of day in milliseconds of local time after 00:00; at most 24 hours.
  case timeOfDay(Int)
  /// A date and a time of day.
  case local(year: Int, month: Int, day: Int, timeOfDay: Int)
  /// An instant, given with an offset from UTC.
  case instant(Instant)

  private static let dayLength = 86_400_000

  /// Parses a time. Nonexistent dates are detected by ``instant(day:clock:)``.
  package init?(_ text: String) {
    var rest = Substring(text)
    if let time = Self.timeOfDay(rest) {
      self = .timeOfDay(time)
      return
    }
    guard let year = Self.number(&rest, 4...4), rest.popFirst() == "-", let month = Self.number(&rest, 2...2),
      rest.popFirst() == "-", let day = Self.number(&rest, 2...2)
    else { return nil }
    guard let separator = rest.popFirst() else {
      self = .local(year: year, month: month, day: day, timeOfDay: 0)
      return
    }
    let clock = rest.prefix { $0.isASCII && $0.isNumber || $0 == ":" || $0 == "." }
    guard [" ", "T", "t"].contains(separator), let time = Self.timeOfDay(clock) else { return nil }
    let local = TimeText.local(year: year, month: month, day: day, timeOfDay: time)
    rest = rest.dropFirst(clock.count)
    if rest.isEmpty {
      self = local
      return
    }
    if rest.first == " " { rest.removeFirst() }
    // RFC 3339 has no hour 24.
    guard time < Self.dayLength, let utc = local.instant(day: .min, clock: .utc),
      let seconds = Self.seconds(ofOffset: rest),
      let instant = Instant(milliseconds: utc.milliseconds - seconds * 1000)
    else { return nil }
    self = .instant(instant)
  }

  /// Returns the instant on `clock`; a time of day is on the local day of `day`. Returns `nil` for a nonexistent date.
  /// A local time skipped by a clock change uses the offset before it; of an ambiguous one, the first is returned.
  package func instant(day: Instant, clock: DeviceClock) -> Instant? {
    switch self {
    case .instant(let instant): return instant
    case .timeOfDay(Self.dayLength): return clock.dayBounds(containing: day).end
    case .timeOfDay(let time):
      let date = clock.date(day)
      return Self.instant(date.year, date.month, date.day, time, clock)
    case .local(let year, let month, let day, let time): return Self.instant(year, month, day, time, clock)
    }
  }

  /// Whether a time that has no instant is outside the years 1970 to 9999 of UTC; otherwise its date does not exist.
  package var isOutsideYears: Bool {
    guard case .local(let year, let month, let day, _) = self else { return true }
    guard (year, month, day) <= (1970, 1, 1) || (year, month, day) >= (9999, 12, 31) else { return false }
    // 400 years have the same dates.
    return Self.instant(2000 + year % 400, month, day, 0, .utc) != nil
  }

  private static func instant(_ year: Int, _ month: Int, _ day: Int, _ time: Int, _ clock: DeviceClock) -> Instant? {
    if time == dayLength {
      return instant(year, month, day, 0, clock).map { clock.dayBounds(containing: $0).end }
    }
    let (seconds, milliseconds) = time.quotientAndRemainder(dividingBy: 1000)
    let instant = clock.instant(
      year: year, month: month, day: day, hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    return instant.map { $0.advanced(by: TimeSpan(milliseconds: Int64(milliseconds))) }
  }

  private static func timeOfDay(_ text: Substring) -> Int? {
    var rest = text
    guard let hour = number(&rest, 1...2), rest.popFirst() == ":", let minute = number(&rest, 2...2), minute < 60
    else { return nil }
    var time = (hour * 60 + minute) * 60_000
    if rest.first == ":" {
      rest.removeFirst()
      guard let second = number(&rest, 2...2), second < 60 else { return nil }
      time += second * 1000
      if rest.first == "." {
        rest.removeFirst()
        guard let fraction = number(&rest, 1...9, isFraction: true) else { return nil }
        time += fraction
      }
    }
    return time <= dayLength && rest.isEmpty ? time : nil
  }

  /// Consumes the leading digits if their count is in `lengths`; a fraction is read in thousandths.
  private static func number(_ text: inout Substring, _ lengths: ClosedRange<Int>, isFraction: Bool = false) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard lengths.contains(digits.count) else { return nil }
    text = text.dropFirst(digits.count)
    return Int(isFraction ? (digits + "000").prefix(3) : digits)
  }

  private static func seconds(ofOffset text: Substring) -> Int64? {
    if text == "Z" || text == "z" { return 0 }
    var rest = text
    guard let sign = rest.popFirst(), sign == "+" || sign == "-", let hours = number(&rest, 2...2), hours < 24,
      rest.popFirst() == ":", let minutes = number(&rest, 2...2), minutes < 60, rest.isEmpty
    else { return nil }
    return (sign == "-" ? -1 : 1) * Int64(hours * 3600 + minutes * 60)
  }
}
