import ArgumentParser
import MarqueeModel

/// A time as a person types it: what it means depends on the device's clock.
///
/// Read are RFC 3339 (`2021-06-07T09:41:00+02:00`), `YYYY-MM-DD HH:MM[:SS]`, `YYYY-MM-DD` (its first instant),
/// `HH:MM[:SS]` today, `now`, and an offset from now such as `-10m`, `+1h30m` or `+2d`.
struct TimeArgument: Equatable, Sendable {
  private enum Meaning: Equatable {
    case instant(Instant)
    case fromNow(TimeSpan)
    case today(hour: Int, minute: Int, second: Int)
    case local(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int)
  }

  private static let forms =
    "write 2021-06-07T09:41:00+02:00, 2021-06-07 09:41, 09:41, now, or an offset from now such as -10m or +1h30m"

  private let text: String
  private let meaning: Meaning

  /// Reads a time, or throws what a person should have written.
  init(_ text: String) throws {
    self.text = text
    guard let meaning = Self.meaning(of: text) else {
      throw ValidationError("\"\(text)\" is not a time; \(Self.forms)")
    }
    self.meaning = meaning
  }

  /// The instant that is meant, for a person who looks at `clock` at `now`.
  func instant(now: Instant, clock: DeviceClock) throws(CommandFailure) -> Instant {
    let instant: Instant? =
      switch meaning {
      case .instant(let instant): instant
      case .fromNow(let span): now.advanced(by: span)
      case .today(let hour, let minute, let second):
        Self.instant(on: clock.date(now), hour, minute, second, clock)
      case .local(let year, let month, let day, let hour, let minute, let second):
        Self.instant(on: (year, month, day), hour, minute, second, clock)
      }
    guard let instant else { throw CommandFailure(.usage, "\"\(text)\" is not a time that exists") }
    return instant
  }

  /// The reading of a clock that is meant, in seconds from 1970-01-01T00:00:00, when a date was typed without an
  /// offset.
  var wallSeconds: Int64? {
    guard case .local(let year, let month, let day, let hour, let minute, let second) = meaning else { return nil }
    return Self.instant(on: (year, month, day), hour, minute, second, .utc).map { $0.milliseconds / 1000 }
  }

  private static func instant(
    on date: (year: Int, month: Int, day: Int), _ hour: Int, _ minute: Int, _ second: Int, _ clock: DeviceClock
  ) -> Instant? {
    clock.instant(
      year: date.year, month: date.month, day: date.day, hour: hour, minute: minute, second: second)
  }

  private static func meaning(of text: String) -> Meaning? {
    if text == "now" { return .fromNow(.zero) }
    if let match = text.wholeMatch(of: /([+-])(?:([0-9]{1,4})d)?(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,7})s)?/)
    {
      let parts: [(Substring?, Int64)] = [(match.2, 86_400), (match.3, 3_600), (match.4, 60), (match.5, 1)]
      guard parts.contains(where: { $0.0 != nil }) else { return nil }
      let seconds: Int64 = parts.reduce(0) { $0 + (Int64($1.0 ?? "0") ?? 0) * $1.1 }
      return .fromNow(.seconds(match.1 == "-" ? -seconds : seconds))
    }
    if let match = text.wholeMatch(of: /([0-9]{1,2}):([0-9][0-9])(?::([0-9][0-9]))?/), let hour = Int(match.1),
      let minute = Int(match.2), let second = Int(match.3 ?? "0"), hour < 24, minute < 60, second < 60
    {
      return .today(hour: hour, minute: minute, second: second)
    }
    return dateMeaning(of: text)
  }

  private static func dateMeaning(of text: String) -> Meaning? {
    let pattern =
      #/
      ([0-9]{4})-([0-9]{2})-([0-9]{2})
      (?: (?:[Tt]|\x20) ([0-9]{2}):([0-9]{2}) (?: :([0-9]{2}) (?:\.([0-9]{1,9}))? )?
        \x20? ([Zz]|[+-][0-9]{2}:[0-9]{2})? )?
      /#
    guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
      let day = Int(match.3), let hour = Int(match.4 ?? "0"), let minute = Int(match.5 ?? "0"),
      let second = Int(match.6 ?? "0")
    else { return nil }
    guard let offset = match.8 else {
      // A fraction of a second belongs to an exact instant, which has an offset.
      return match.7 == nil
        ? .local(year: year, month: month, day: day, hour: hour, minute: minute, second: second) : nil
    }
    guard
      let local = DeviceClock.utc.instant(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second),
      let offsetSeconds = seconds(ofOffset: offset)
    else { return nil }
    let fraction = Int64((String(match.7 ?? "") + "000").prefix(3)) ?? 0
    return Instant(milliseconds: local.milliseconds - offsetSeconds * 1000 + fraction).map(Meaning.instant)
  }

  private static func seconds(ofOffset text: Substring) -> Int64? {
    if text.lowercased() == "z" { return 0 }
    let parts = text.dropFirst().split(separator: ":")
    guard parts.count == 2, let hours = Int64(parts[0]), let minutes = Int64(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
