/// A point on a clock that never goes back, in nanoseconds from an origin that the caller chooses.
public struct MonotonicTime: Hashable, Sendable {
  /// Nanoseconds from the origin.
  public let nanoseconds: Int64

  /// The point that many nanoseconds from the origin.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Later than any time that is met.
  public static let distantFuture = MonotonicTime(nanoseconds: .max)

  /// The point that much later, at most ``distantFuture``.
  public func advanced(by duration: Duration) -> MonotonicTime {
    advanced(byNanoseconds: duration.nanoseconds)
  }

  func advanced(byNanoseconds span: Int64) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
    return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
  }

  /// The time from this point to `other`; negative when `other` is earlier.
  public func duration(to other: MonotonicTime) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other > self ? Int64.max : Int64.min) : difference)
  }
}

extension MonotonicTime: Comparable {
  /// Whether `left` is earlier.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Duration {
  /// Whole nanoseconds, rounded towards zero and held within `Int64`.
  package var nanoseconds: Int64 {
    // Most are below 18 s, and need no division of 128 bits.
    if let few = UInt64(exactly: attoseconds) { return Int64(few / 1_000_000_000) }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, second) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || second { return seconds < 0 ? .min : .max }
    return sum
  }
}
