import MarqueeModel

/// A time as text that does not need the present: an exact instant, a reading of a clock with its date, or a time of
/// day.
///
/// Read are RFC 3339 (`2021-06-07T09:41:00+02:00`), `YYYY-MM-DD HH:MM[:SS[.FFF]]`, `YYYY-MM-DD` (its first instant)
/// and `HH:MM[:SS[.FFF]]`, of which `24:00` is the first instant of the next day.
package enum TimeText: Equatable, Sendable {
  /// A time of day, in milliseconds of a clock's reading after 00:00; at most 24 hours.
  case timeOfDay(Int)
  /// A date and the time of day on it.
  case local(year: Int, month: Int, day: Int, timeOfDay: Int)
  /// With an offset from UTC, so that no clock is needed.
  case instant(Instant)

  private static let dayLength = 86_400_000

  /// Reads a time; `nil` when it is none. Dates that no calendar has are found by ``instant(day:clock:)``.
  package init?(_ text: String) {
    if let time = Self.timeOfDay(text[...]) {
      self = .timeOfDay(time)
      return
    }
    let pattern = #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9:.]+) ?([Zz]|[+-][0-9]{2}:[0-9]{2})?)?/#
    guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
      let day = Int(match.3),
      let time = match.4.map(Self.timeOfDay) ?? 0, time < Self.dayLength
    else { return nil }
    let local = TimeText.local(year: year, month: month, day: day, timeOfDay: time)
    guard let offset = match.5 else {
      self = local
      return
    }
    guard let utc = local.instant(day: .min, clock: .utc), let seconds = Self.seconds(ofOffset: offset),
      let instant = Instant(milliseconds: utc.milliseconds - seconds * 1000)
    else { return nil }
    self = .instant(instant)
  }

  /// The instant that is meant on `clock`, times of day being those of the local day of `day`; `nil` for a date that no
  /// calendar has. A reading that a change of the clock skips counts from before the change, and of two the first is
  /// meant.
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

  private static func instant(_ year: Int, _ month: Int, _ day: Int, _ time: Int, _ clock: DeviceClock) -> Instant? {
    let (seconds, milliseconds) = time.quotientAndRemainder(dividingBy: 1000)
    let instant = clock.instant(
      year: year, month: month, day: day, hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    return instant.map { $0.advanced(by: TimeSpan(milliseconds: Int64(milliseconds))) }
  }

  private static func timeOfDay(_ text: Substring) -> Int? {
    let pattern = #/([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?/#
    guard let match = text.wholeMatch(of: pattern), let hour = Int(match.1), let minute = Int(match.2),
      let second = Int(match.3 ?? "0"), let fraction = Int((String(match.4 ?? "") + "000").prefix(3)), minute < 60,
      second < 60
    else { return nil }
    let time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
    return time <= dayLength ? time : nil
  }

  private static func seconds(ofOffset text: Substring) -> Int64? {
    if text.lowercased() == "z" { return 0 }
    let parts = text.dropFirst().split(separator: ":")
    guard parts.count == 2, let hours = Int64(parts[0]), let minutes = Int64(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
