/// An instant of a monotonic clock, in nanoseconds since an arbitrary origin.
public struct MonotonicTime: Hashable, Sendable {
  /// Nanoseconds since the origin.
  public let nanoseconds: Int64

  /// Creates an instant from nanoseconds since the origin.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// A time later than any other.
  public static let distantFuture = MonotonicTime(nanoseconds: .max)

  /// Returns the instant after the given duration, at most ``distantFuture``.
  public func advanced(by duration: Duration) -> MonotonicTime {
    advanced(byNanoseconds: duration.nanoseconds)
  }

  package func advanced(byNanoseconds span: Int64) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
    return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
  }

  /// Returns the duration from this instant to `other`; negative if `other` is earlier.
  public func duration(to other: MonotonicTime) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other > self ? Int64.max : Int64.min) : difference)
  }
}

extension MonotonicTime: Comparable {
  /// Whether `left` is earlier than `right`.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Duration {
  /// Whole nanoseconds, rounded toward zero and clamped to `Int64`.
  package var nanoseconds: Int64 {
    // Fast path for durations below 18 s, without a 128-bit division.
    if let few = UInt64(exactly: attoseconds) { return Int64(few / 1_000_000_000) }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, second) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || second { return seconds < 0 ? .min : .max }
    return sum
  }
}
