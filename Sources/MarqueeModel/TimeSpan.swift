/// A duration in whole milliseconds, the same resolution as ``Instant``, so that sums are exact.
public struct TimeSpan: Hashable, Sendable {
  /// The number of milliseconds; negative only for differences.
  public let milliseconds: Int64

  /// A zero duration.
  public static let zero = TimeSpan(milliseconds: 0)

  /// Creates a span from milliseconds.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Creates a span from seconds, rounded to the nearest millisecond. Returns `nil` if `seconds` is not finite or its
  /// magnitude exceeds the span of the years 1970 to 9999.
  public init?(seconds: Double) {
    let milliseconds = (seconds * 1000).rounded()
    guard milliseconds.magnitude <= Double(Instant.max.milliseconds) else { return nil }
    self.milliseconds = Int64(saturating: milliseconds)
  }

  /// Returns a span of seconds, clamped to the type's range.
  public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(count, of: 1000) }

  /// Returns a span of minutes, clamped to the type's range.
  public static func minutes(_ count: Int64) -> TimeSpan { TimeSpan(count, of: 60_000) }

  /// Returns a span of hours, clamped to the type's range.
  public static func hours(_ count: Int64) -> TimeSpan { TimeSpan(count, of: 3_600_000) }

  /// Returns a span of 24-hour days, clamped to the type's range.
  public static func days(_ count: Int64) -> TimeSpan { TimeSpan(count, of: 86_400_000) }

  private init(_ count: Int64, of unit: Int64) {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    milliseconds = overflow ? (count < 0 ? -.max : .max) : product
  }

  /// The span in seconds, including the fraction.
  public var seconds: Double { Double(milliseconds) / 1000 }
}

extension TimeSpan: Comparable {
  public static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
