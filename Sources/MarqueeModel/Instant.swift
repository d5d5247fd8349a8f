/// A point in time, in whole milliseconds since 1970-01-01T00:00:00Z, within the years 1970 to 9999 (rule T7).
public struct Instant: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, in `0 ... 253_402_300_799_999`.
  public let milliseconds: Int64

  /// 1970-01-01T00:00:00.000Z.
  public static let min = Instant(unchecked: 0)

  /// 9999-12-31T23:59:59.999Z.
  public static let max = Instant(unchecked: 253_402_300_799_999)

  /// The instant that many milliseconds after 1970-01-01T00:00:00Z, or `nil` outside the years 1970 to 9999.
  public init?(milliseconds: Int64) {
    guard milliseconds >= 0, milliseconds <= Self.max.milliseconds else { return nil }
    self.milliseconds = milliseconds
  }

  private init(unchecked milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The instant `span` later (earlier when negative), held within ``min`` and ``max``.
  public func advanced(by span: TimeSpan) -> Instant {
    let (sum, overflow) = milliseconds.addingReportingOverflow(span.milliseconds)
    if overflow { return span < .zero ? .min : .max }
    return Instant(unchecked: Swift.min(Swift.max(sum, 0), Self.max.milliseconds))
  }

  /// The span from this instant to `other`; negative when `other` is earlier.
  public func span(to other: Instant) -> TimeSpan {
    TimeSpan(milliseconds: other.milliseconds - milliseconds)
  }
}

extension Instant: Comparable {
  public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
