import ArgumentParser
import MarqueeModel
import MarqueeSimulator

/// A time as a person types it: what it means depends on the device's clock.
///
/// Read are the forms of ``TimeText``, a time of day being today's, `now`, and an offset from now such as `-10m`,
/// `+1h30m` or `+2d`.
struct TimeArgument: Equatable, Sendable {
  private enum Meaning: Equatable {
    case fromNow(TimeSpan)
    case time(TimeText)
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
      case .fromNow(let span): now.advanced(by: span)
      case .time(let time): time.instant(day: now, clock: clock)
      }
    guard let instant else { throw CommandFailure(.usage, "\"\(text)\" is not a time that exists") }
    return instant
  }

  /// The reading of a clock that is meant, in seconds from 1970-01-01T00:00:00, when a date was typed without an
  /// offset.
  var wallSeconds: Int64? {
    guard case .time(.local(let year, let month, let day, let timeOfDay)) = meaning else { return nil }
    return TimeText.local(year: year, month: month, day: day, timeOfDay: timeOfDay)
      .instant(day: .min, clock: .utc).map { $0.milliseconds / 1000 }
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
    return TimeText(text).map(Meaning.time)
  }
}
