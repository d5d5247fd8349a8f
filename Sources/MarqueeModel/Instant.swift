/// A point in time, in whole milliseconds since 1970-01-01T00:00:00Z, within the years 1970 to 9999 (rule T7).
public struct Instant: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, in `0 ... 253_402_300_799_999`.
  public let milliseconds: Int64

  /// 1970-01-01T00:00:00.000Z.
  public static let min = Instant(unchecked: 0)

  /// 9999-12-31T23:59:59.999Z.
  public static let max = Instant(unchecked: 253_402_300_799_999)

  /// Creates an instant from the milliseconds since 1970-01-01T00:00:00Z, or returns `nil` outside the years 1970 to
  /// 9999.
  public init?(milliseconds: Int64) {
    guard milliseconds >= 0, milliseconds <= Self.max.milliseconds else { return nil }
    self.milliseconds = milliseconds
  }

  private init(unchecked milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Returns the instant `span` later (earlier if negative), clamped to ``min`` and ``max``.
  public func advanced(by span: TimeSpan) -> Instant {
    let (sum, overflow) = milliseconds.addingReportingOverflow(span.milliseconds)
    if overflow { return span < .zero ? .min : .max }
    return Instant(unchecked: Swift.min(Swift.max(sum, 0), Self.max.milliseconds))
  }

  /// Returns the span from this instant to `other`; negative if `other` is earlier.
  public func span(to other: Instant) -> TimeSpan {
    TimeSpan(milliseconds: other.milliseconds - milliseconds)
  }
}

extension Instant: Comparable {
  public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Instant: CustomStringConvertible {
  /// RFC 3339 in UTC, such as `2021-06-07T09:41:00Z`, with milliseconds when they are not zero.
  public var description: String {
    let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = Self.civilDate(day: days)
    let date = "\(year)-\(Self.padded(month))-\(Self.padded(day))"
    let clock = "\(Self.padded(time / 3600)):\(Self.padded(time / 60 % 60)):\(Self.padded(time % 60))"
    return fraction == 0 ? "\(date)T\(clock)Z" : "\(date)T\(clock).\(Self.padded(fraction, width: 3))Z"
  }

  /// Returns the Gregorian date of a day counted from 1970-01-01.
  ///
  /// Years are counted from March, so that a leap day is the last day of its year; 400 years have 146 097 days.
  private static func civilDate(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let sinceMarch0000 = day + 719_468
    let (era, dayOfEra) = sinceMarch0000.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func padded(_ number: Int64, width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: width - digits.count) + digits
  }
}
