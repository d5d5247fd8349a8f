import MarqueeModel

/// What the person did with what the engine brought of one widget (rule R11).
public struct Engagement: Hashable, Sendable {
  /// Outcomes of either sort that are counted, at most.
  static let countMax = 1_000_000

  /// How long after it came to the front an app counts as opened from its widget.
  static let openingSpan = TimeSpan.seconds(30)

  /// How soon after it came to the front scrolling away counts against a widget.
  static let rejectionSpan = TimeSpan.seconds(10)

  /// Times that it was tapped, or its app opened within 30 s.
  public private(set) var goodCount = 0
  /// Times that the person scrolled away within 10 s, or dismissed it.
  public private(set) var badCount = 0

  init() {}

  mutating func record(isGood: Bool) {
    if isGood { goodCount = min(goodCount + 1, Self.countMax) } else { badCount = min(badCount + 1, Self.countMax) }
  }

  /// The probability that the next outcome is good: the mean of a Beta distribution that began as the policy's prior.
  public func worth(_ policy: Policy) -> Double {
    let good = Double(goodCount) + policy.priorGood
    return good / (good + Double(badCount) + policy.priorBad)
  }

  /// What the strength of each signal is multiplied with before it is cut off at 1, so that weight · strength stays
  /// below 1 and rule R1's monotony holds: the worth as a part of the prior's, which is exactly 1 without outcomes.
  func factor(_ policy: Policy) -> Double { worth(policy) / Engagement().worth(policy) }
}

extension Engagement: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(goodCount)
    writer.write(badCount)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    goodCount = try reader.readInt()
    badCount = try reader.readInt()
    guard goodCount <= Self.countMax, badCount <= Self.countMax else {
      throw reader.corrupt("\(goodCount) and \(badCount) outcomes, at most \(Self.countMax)")
    }
  }
}
