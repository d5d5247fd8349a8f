import MarqueeModel

/// Parses ISO 8601 dates: `2026-03-01`, `2026-03-01T09:30`, with seconds, with a fraction of up to nine digits, with a
/// space instead of the `T`, with `Z` or an offset `+01`, `+0100` or `+01:00`.
enum ISODate {
  /// Returns the instant in whole milliseconds. A date without a time is its midnight; without an offset, `zone`
  /// applies.
  static func instant(_ text: String, zone: CalendarZone) -> Instant? {
    var rest = text.utf8[...]
    guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest),
      let day = digits(2, &rest), let date = CivilDate(year: Int(year), month: Int(month), day: Int(day))
    else { return nil }
    let midnight = Int64(date.dayNumber) * CivilDate.secondsPerDay
    if rest.isEmpty {
      return Instant(milliseconds: CalendarTime(floatingSeconds: midnight).utcSeconds(in: zone) * 1000)
    }
    guard skip("T", &rest) || skip(" ", &rest), let time = timeOfDay(&rest) else { return nil }
    let wall = midnight + time.seconds
    if rest.isEmpty {
      return Instant(
        milliseconds: CalendarTime(floatingSeconds: wall).utcSeconds(in: zone) * 1000 + time.milliseconds)
    }
    guard let offset = offset(&rest), rest.isEmpty else { return nil }
    return Instant(milliseconds: (wall - offset) * 1000 + time.milliseconds)
  }

  /// Parses `hh:mm[:ss[.f…]]`.
  private static func timeOfDay(_ rest: inout Substring.UTF8View) -> (seconds: Int64, milliseconds: Int64)? {
    guard let hour = digits(2, &rest), skip(":", &rest), let minute = digits(2, &rest), hour < 24, minute < 60
    else { return nil }
    guard skip(":", &rest) else { return (hour * 3600 + minute * 60, 0) }
    guard let second = digits(2, &rest), second < 60 else { return nil }
    let seconds = hour * 3600 + minute * 60 + second
    guard skip(".", &rest) || skip(",", &rest) else { return (seconds, 0) }
    let fraction = rest.prefix { (48...57).contains($0) }
    guard (1...9).contains(fraction.count) else { return nil }
    rest = rest.dropFirst(fraction.count)
    let thousandths = (Array(fraction) + [48, 48]).prefix(3).reduce(Int64(0)) { $0 * 10 + Int64($1) - 48 }
    return (seconds, thousandths)
  }

  /// Parses `Z`, `±hh`, `±hhmm` or `±hh:mm`, in seconds.
  private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
    if skip("Z", &rest) { return 0 }
    let isNegative = skip("-", &rest)
    guard isNegative || skip("+", &rest), let hours = digits(2, &rest), hours < 24 else { return nil }
    var minutes: Int64 = 0
    if !rest.isEmpty {
      _ = skip(":", &rest)
      guard let read = digits(2, &rest), read < 60 else { return nil }
      minutes = read
    }
    return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
  }

  /// Parses a number of exactly that many digits.
  private static func digits(_ count: Int, _ rest: inout Substring.UTF8View) -> Int64? {
    let found = rest.prefix(count)
    guard found.count == count, found.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return found.reduce(0) { $0 * 10 + Int64($1) - 48 }
  }

  private static func skip(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }
}
