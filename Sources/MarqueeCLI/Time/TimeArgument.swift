import ArgumentParser
import MarqueeModel
import MarqueeSimulator

/// A time argument, interpreted relative to a device's clock.
///
/// Accepted are the forms of ``TimeText``, where a time of day refers to today, or to tomorrow if it must be ahead and
/// has passed; a ``DayWord`` alone, which is the first instant of that day, or followed by a time of day; times of day
/// with `am` or `pm`; `now`; and an offset from now such as `-10m`, `+1h30m` or `+2d`.
struct TimeArgument: Equatable, Sendable {
  private enum Meaning: Equatable {
    case fromNow(TimeSpan)
    case time(TimeText)
    /// A day and a time of day, or the day's first instant without one.
    case day(DayWord, TimeText?)
  }

  /// The help text for time arguments.
  static let help = "\"yesterday 9:41\", 9:41, \"YYYY-MM-DD HH:MM\", RFC 3339, -10m or +1h"

  private static let forms = """
    write 9:41, 9:41 pm, yesterday 9:41 (or today, tomorrow, or monday for the last one), 2021-06-07 09:41, \
    2021-06-07T09:41:00+02:00, now, or an offset from now such as -10m or +1h30m; with --until, 9:41 and monday are \
    the next ones
    """

  private let text: String
  private let meaning: Meaning

  /// Parses a time. Errors list the accepted forms.
  init(_ text: String) throws {
    self.text = text
    guard let meaning = Self.meaning(of: text) else { throw ValidationError(Self.complaint(text)) }
    self.meaning = meaning
  }

  /// Returns the instant for a user who reads `clock` at `now`.
  ///
  /// - Parameter isAhead: Whether a weekday is the next one after today, and not the last one before it, and a time of
  ///   day the next one after `now`, and not that of today.
  func instant(now: Instant, clock: DeviceClock, isAhead: Bool = false) throws(CommandFailure) -> Instant {
    let instant: Instant? =
      switch meaning {
      case .fromNow(let span): now.advanced(by: span)
      case .time(.timeOfDay(let time)): Self.instant(timeOfDay: time, now: now, clock: clock, isAhead: isAhead)
      case .time(let time): time.instant(day: now, clock: clock)
      case .day(let word, let time):
        word.instant(now: now, clock: clock, isAhead: isAhead).flatMap { day in
          time.map { $0.instant(day: day, clock: clock) } ?? clock.dayBounds(containing: day).start
        }
      }
    guard let instant else {
      let isOutside = if case .time(let time) = meaning { time.isOutsideYears } else { true }
      throw CommandFailure(
        .usage, "\"\(text)\" is \(isOutside ? "outside the years 1970 to 9999 of UTC" : "not a time that exists")")
    }
    return instant
  }

  private static func instant(timeOfDay: Int, now: Instant, clock: DeviceClock, isAhead: Bool) -> Instant? {
    let time = TimeText.timeOfDay(timeOfDay)
    let today = time.instant(day: now, clock: clock)
    guard isAhead, let today, today <= now else { return today }
    return time.instant(day: clock.dayBounds(containing: now).end, clock: clock)
  }

  /// The local time in seconds from 1970-01-01T00:00:00 if a date was given without an offset.
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
    if let time = TimeText(text) ?? halfDayTime(text[...]) { return .time(time) }
    let (first, rest) = words(text)
    if let day = DayWord(first) {
      guard let rest else { return .day(day, nil) }
      return timeOfDay(rest).map { .day(day, $0) }
    }
    // A date followed by a time of day with "am" or "pm"; `TimeText` parses all others.
    guard let rest, case .local(let year, let month, let day, _) = TimeText(String(first)),
      case .timeOfDay(let time) = halfDayTime(rest)
    else { return nil }
    return .time(.local(year: year, month: month, day: day, timeOfDay: time))
  }

  /// Splits the text into its first word and the rest, if any.
  private static func words(_ text: String) -> (first: Substring, rest: Substring?) {
    let first = text.prefix { $0 != " " }
    let rest = text.dropFirst(first.count).drop { $0 == " " }
    return (first, rest.isEmpty ? nil : rest)
  }

  private static func timeOfDay(_ text: Substring) -> TimeText? {
    if case .timeOfDay(let time) = TimeText(String(text)) { return .timeOfDay(time) }
    return halfDayTime(text)
  }

  /// Parses a time of day with "am" or "pm", such as `9:41 pm` or `9am`; 12 am is midnight, and 12 pm is noon.
  private static func halfDayTime(_ text: Substring) -> TimeText? {
    let form = /([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2})?)? ?([ap])m/.ignoresCase()
    guard let match = text.wholeMatch(of: form), let hour = Int(match.1), (1...12).contains(hour) else { return nil }
    let isAfternoon = match.3.lowercased() == "p"
    return TimeText("\(hour % 12 + (isAfternoon ? 12 : 0))\(match.2 ?? ":00")")
  }

  /// Returns the error message for an invalid time, with the accepted forms.
  private static func complaint(_ text: String) -> String {
    let (first, rest) = words(text)
    if DayWord(first) != nil, let rest {
      return "\"\(rest)\" in \"\(text)\" is not a time of day; write 9:41, 09:41:30 or 9:41 pm after the day"
    }
    let near = first.contains(where: \.isLetter) ? EditDistance.nearest(to: String(first), among: DayWord.words) : []
    if let word = near.first { return "\"\(text)\" is not a time; did you mean \"\(word)\"? Otherwise \(forms)" }
    return "\"\(text)\" is not a time; \(forms)"
  }
}
