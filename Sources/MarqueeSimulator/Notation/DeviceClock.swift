import Foundation
import MarqueeModel

/// A device's local clock, which converts between instants and local times.
package struct DeviceClock: Hashable, Sendable {
  /// The clock's time zone.
  package let zone: TimeZone

  /// The clock of Coordinated Universal Time.
  package static let utc = DeviceClock(zone: .gmt)

  /// The clock of this machine's time zone.
  package static var system: DeviceClock { DeviceClock(zone: .current) }

  /// Creates the clock of a zone.
  package init(zone: TimeZone) {
    self.zone = zone
  }

  /// Creates the clock of an IANA zone. Throws if it is not in Foundation's time zone database.
  package init(_ zone: TimeZoneID) throws(RequestError) {
    guard let found = TimeZone(iana: zone.text) else {
      throw RequestError(.notFound, "no time zone is called \"\(zone)\"\(TimeZone.proposal(for: zone.text))")
    }
    self.zone = found
  }

  /// Formats an instant in RFC 3339 with the zone's offset, and with milliseconds unless they are zero:
  /// `2021-06-07T09:41:00+02:00`.
  package func rfc3339(_ instant: Instant) -> String {
    let offset = offsetSeconds(instant)
    let (sign, minutes) = (offset < 0 ? "-" : "+", abs(offset) / 60)
    let milliseconds = instant.milliseconds % 1000
    let fraction = milliseconds == 0 ? "" : ".\(String(1000 + milliseconds).dropFirst())"
    let zone = "\(sign)\(two(minutes / 60)):\(two(minutes % 60))"
    return "\(day(instant))T\(wallTime(instant))\(fraction)\(zone)"
  }

  /// Formats the local date: `2021-06-07`.
  package func day(_ instant: Instant) -> String {
    if let reading = reading(instant) { return String(reading.prefix(10)) }
    let fields = fields(instant)
    let year = String(fields.year ?? 0)
    return String(repeating: "0", count: max(0, 4 - year.count))
      + "\(year)-\(two(fields.month ?? 0))-\(two(fields.day ?? 0))"
  }

  /// Formats the local time of day in whole seconds: `09:41:00`. In an hour that a clock change repeats, the offset
  /// follows: `02:30:00+01:00`.
  package func timeOfDay(_ instant: Instant) -> String {
    wallTime(instant) + (isRepeated(instant) ? rfc3339(instant).suffix(6) : "")
  }

  /// Whether the local time of an instant is also that of another one.
  private func isRepeated(_ instant: Instant) -> Bool {
    let offset = offsetSeconds(instant)
    return [-1, 1].contains { (days: Int64) in
      let other = offsetSeconds(instant.advanced(by: .days(days)))
      let twin = Instant(milliseconds: instant.milliseconds + Int64(offset - other) * 1_000)
      return other != offset && twin.map(offsetSeconds) == other
    }
  }

  /// Formats the local time of day in whole seconds, without an offset: `09:41:00`.
  package func wallTime(_ instant: Instant) -> String {
    if let reading = reading(instant) { return String(reading.dropFirst(11).prefix(8)) }
    let fields = fields(instant)
    return "\(two(fields.hour ?? 0)):\(two(fields.minute ?? 0)):\(two(fields.second ?? 0))"
  }

  /// Formats the local date and time as if in UTC, or returns `nil` outside the years 1970 to 9999.
  private func reading(_ instant: Instant) -> String? {
    Instant(milliseconds: instant.milliseconds + Int64(offsetSeconds(instant)) * 1000)?.description
  }

  /// Formats hours and minutes: `09:41`.
  package func hourAndMinute(_ instant: Instant) -> String { String(timeOfDay(instant).prefix(5)) }

  /// Formats the time of day if `instant` is on the local day of `now`, otherwise date and time.
  package func shortly(_ instant: Instant, now: Instant) -> String {
    day(instant) == day(now) ? timeOfDay(instant) : "\(day(instant)) \(timeOfDay(instant))"
  }

  /// Returns the first instant of the local day and of the next one.
  package func dayBounds(containing instant: Instant) -> (start: Instant, end: Instant) {
    let start = calendar.startOfDay(for: date(instant))
    let end = calendar.date(byAdding: .day, value: 1, to: start).map { calendar.startOfDay(for: $0) } ?? start
    return (Self.instant(start), Self.instant(end))
  }

  /// Returns the instant of a local date and time, the first if it is ambiguous. A local time skipped by a clock change
  /// uses the offset before it. Returns `nil` for a nonexistent date or time.
  package func instant(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) -> Instant? {
    guard (1970...9999).contains(year), (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    if let instant = plainInstant(year, month, day, (hour * 60 + minute) * 60 + second) { return instant }
    let fields = DateComponents(
      timeZone: zone, year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard let date = calendar.date(from: fields) else { return nil }
    // Foundation would normalize 31 June to 1 July.
    let noon = DateComponents(timeZone: zone, year: year, month: month, day: day, hour: 12)
    guard let middle = calendar.date(from: noon) else { return nil }
    let found = calendar.dateComponents([.month, .day], from: middle)
    guard found.month == month, found.day == day else { return nil }
    return Instant(milliseconds: Int64(saturating: (date.timeIntervalSince1970 * 1000).rounded()))
  }

  /// A fast path for dates without a clock change within a day; otherwise returns `nil`.
  private func plainInstant(_ year: Int, _ month: Int, _ day: Int, _ second: Int) -> Instant? {
    guard (1...12).contains(month), (1...28).contains(day) else { return nil }
    // Years start in March, so that a leap day is the last day of its year.
    let (march, count) = month > 2 ? (month - 3, year) : (month + 9, year - 1)
    let days = count * 365 + count / 4 - count / 100 + count / 400 + (153 * march + 2) / 5 + day - 1 - 719_468
    let wall = days * 86_400 + second
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(wall - 86_400)))
    guard offset == zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(wall + 86_400))) else { return nil }
    return Instant(milliseconds: Int64(wall - offset) * 1000)
  }

  /// Returns the local year, month and day.
  package func date(_ instant: Instant) -> (year: Int, month: Int, day: Int) {
    let fields = fields(instant)
    return (fields.year ?? 1970, fields.month ?? 1, fields.day ?? 1)
  }

  /// Returns the zone's offset from UTC at an instant, in seconds; positive to the east.
  package func offsetSeconds(_ instant: Instant) -> Int { zone.secondsFromGMT(for: date(instant)) }

  private var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }

  private func fields(_ instant: Instant) -> DateComponents {
    calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date(instant))
  }

  /// Truncates to whole seconds, since a fraction of a `Double` could round into the next second.
  private func date(_ instant: Instant) -> Date {
    Date(timeIntervalSince1970: Double(instant.milliseconds / 1000))
  }

  private static func instant(_ date: Date) -> Instant {
    Instant.min.advanced(by: TimeSpan(milliseconds: Int64(saturating: (date.timeIntervalSince1970 * 1000).rounded())))
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Instant {
  /// The current time of this machine.
  package static var systemNow: Instant {
    Instant.min.advanced(by: TimeSpan(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1000)))
  }
}
