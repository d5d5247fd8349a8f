import MarqueeModel

/// How often the user accepted or rejected a widget or suggestion that the engine brought up.
public struct Engagement: Hashable, Sendable {
  /// The maximum of each count.
  static let countMax = 1_000_000

  /// How long after the widget came to the front opening its app counts as use of the widget.
  static let openingSpan = TimeSpan.seconds(30)

  /// How long after the widget came to the front scrolling away counts as rejection.
  static let rejectionSpan = TimeSpan.seconds(10)

  /// The number of good outcomes: the user tapped the widget, or opened its app within 30 s, or acted on a suggestion.
  public private(set) var goodCount = 0
  /// The number of bad outcomes: the user scrolled away within 10 s, or dismissed the suggestion.
  public private(set) var badCount = 0

  init() {}

  mutating func record(isGood: Bool) {
    if isGood { goodCount = min(goodCount + 1, Self.countMax) } else { badCount = min(badCount + 1, Self.countMax) }
  }

  /// Adds the outcomes of another widget.
  mutating func add(_ other: Engagement) {
    goodCount = min(goodCount + other.goodCount, Self.countMax)
    badCount = min(badCount + other.badCount, Self.countMax)
  }

  /// Returns the probability that the next outcome is good: the mean of a Beta distribution with the policy's prior.
  public func worth(_ policy: Policy) -> Double {
    let good = Double(goodCount) + policy.priorGood
    return good / (good + Double(badCount) + policy.priorBad)
  }

  /// Returns the factor by which each signal's strength is multiplied: the worth relative to that of the prior, which
  /// is exactly 1 without outcomes.
  ///
  /// The product is capped at 1, so that weight · strength stays below 1 (rule R1).
  func factor(_ policy: Policy) -> Double { worth(policy) / Engagement().worth(policy) }
}

extension Engagement: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(goodCount)
    writer.write(badCount)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    goodCount = try reader.readInt()
    badCount = try reader.readInt()
    guard goodCount <= Self.countMax, badCount <= Self.countMax else {
      throw reader.corrupt("engagement counts \(goodCount) and \(badCount) exceed \(Self.countMax)")
    }
  }
}
