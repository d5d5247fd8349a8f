/// A length of time in whole milliseconds, on the same grid as ``Instant``, so that sums are exact.
public struct TimeSpan: Hashable, Sendable {
  /// Whole milliseconds; negative spans exist only as differences.
  public let milliseconds: Int64

  /// No time at all.
  public static let zero = TimeSpan(milliseconds: 0)

  /// A span of that many milliseconds.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// A span of that many seconds, rounded to the nearest millisecond, or `nil` when `seconds` is not finite or
  /// exceeds what the years 1970 to 9999 can hold in either direction.
  public init?(seconds: Double) {
    let milliseconds = (seconds * 1000).rounded()
    guard milliseconds.isFinite, milliseconds.magnitude <= Double(Instant.max.milliseconds) else { return nil }
    self.milliseconds = Int64(milliseconds)
  }

  /// That many seconds.
  public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(milliseconds: count * 1000) }

  /// That many minutes.
  public static func minutes(_ count: Int64) -> TimeSpan { .seconds(count * 60) }

  /// That many hours.
  public static func hours(_ count: Int64) -> TimeSpan { .minutes(count * 60) }

  /// That many spans of 24 hours.
  public static func days(_ count: Int64) -> TimeSpan { .hours(count * 24) }

  /// The span in seconds, with its fraction.
  public var seconds: Double { Double(milliseconds) / 1000 }
}

extension TimeSpan: Comparable {
  public static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
