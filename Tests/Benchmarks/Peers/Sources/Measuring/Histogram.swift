/// A histogram of durations in bounded memory, with a relative error of at most 0.4 %.
///
/// Up to 256 ns, every nanosecond has a bucket; above that, each doubling is divided into 128 buckets.
struct Histogram {
  private static let bucketsPerDoubling = 128
  /// About 18 minutes; longer durations are recorded as this one.
  private static let nanosecondsMax: UInt64 = 1 << 40

  private var buckets = [Int](repeating: 0, count: bucket(of: nanosecondsMax) + 1)
  private(set) var count = 0

  mutating func record(_ duration: Duration) {
    let nanoseconds = UInt64(max(0, duration / .nanoseconds(1)))
    buckets[Self.bucket(of: min(nanoseconds, Self.nanosecondsMax))] += 1
    count += 1
  }

  /// Returns the quantile at `share`, in microseconds. At least one duration must be recorded.
  func microseconds(at share: Double) -> Double {
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var passed = 0
    for (index, inBucket) in buckets.enumerated() {
      passed += inBucket
      if passed >= rank { return Self.middle(of: index) / 1_000 }
    }
    preconditionFailure("no duration was recorded")
  }

  private static func bucket(of nanoseconds: UInt64) -> Int {
    let shift = max(0, (UInt64.bitWidth - nanoseconds.leadingZeroBitCount) - 8)
    return shift * bucketsPerDoubling + Int(nanoseconds >> UInt64(shift))
  }

  private static func middle(of bucket: Int) -> Double {
    let shift = max(0, bucket / bucketsPerDoubling - 1)
    let least = UInt64(bucket - shift * bucketsPerDoubling) << UInt64(shift)
    return Double(least) + Double((UInt64(1) << UInt64(shift)) - 1) / 2
  }
}
