/// Metrics of a method's predictions for half-hour slots, over all scored slots.
///
/// A metric is `nil` if no slot counts for it.
public struct SlotScores: Sendable, Equatable {
  private static let binCount = 10

  public private(set) var slotCount = 0
  public private(set) var activeCount = 0
  private var dayCount = 0
  private var hitCount = 0
  private var topThreeCount = 0
  private var squareSum = 0.0
  private var changeCount = 0
  private var claims: [(confidence: Double, isTrue: Bool)] = []

  public init() {}

  public static func == (one: Self, other: Self) -> Bool {
    one.slotCount == other.slotCount && one.hitCount == other.hitCount && one.topThreeCount == other.topThreeCount
      && one.squareSum == other.squareSum && one.changeCount == other.changeCount
  }

  /// Adds a slot.
  ///
  /// - Parameters:
  ///   - top: Up to three items, the most probable first.
  ///   - confidence: The probability of the first item.
  ///   - done: The items used in the slot.
  mutating func add(top: [Int], confidence: Double?, done: [Int], isDayStart: Bool, isChange: Bool) {
    slotCount += 1
    if isDayStart { dayCount += 1 }
    if isChange { changeCount += 1 }
    let isHit = top.first.map(done.contains) ?? false
    if isHit { hitCount += 1 }
    if !done.isEmpty {
      activeCount += 1
      topThreeCount += top.prefix(3).count(where: done.contains)
    }
    guard let confidence else { return }
    let miss = confidence - (isHit ? 1 : 0)
    squareSum += miss * miss
    claims.append((confidence, isHit))
  }

  public var precision1: Double? { ratio(hitCount, activeCount) }
  public var precision3: Double? { ratio(topThreeCount, 3 * activeCount) }
  public var precision1OfAll: Double? { ratio(hitCount, slotCount) }
  public var changesPerDay: Double? { ratio(changeCount, dayCount) }

  /// The Brier score of the first item's probability, or `nil` for methods without probabilities.
  public var brier: Double? { claims.isEmpty ? nil : squareSum / Double(claims.count) }

  /// The expected calibration error of the first item's probability, in ten bins.
  public var calibrationError: Double? {
    guard !claims.isEmpty else { return nil }
    var differences = [Double](repeating: 0, count: Self.binCount)
    for claim in claims {
      let bin = min(Int(claim.confidence * Double(Self.binCount)), Self.binCount - 1)
      differences[bin] += claim.confidence - (claim.isTrue ? 1 : 0)
    }
    return differences.reduce(0) { $0 + $1.magnitude } / Double(claims.count)
  }

  /// Returns the precision among the most confident `share` of all slots.
  public func precision(ofMostConfident share: Double) -> Double? {
    let count = Int(Double(claims.count) * share)
    guard count > 0 else { return nil }
    let order = claims.indices.sorted { (-claims[$0].confidence, $0) < (-claims[$1].confidence, $1) }
    return ratio(order.prefix(count).count { claims[$0].isTrue }, count)
  }

  private func ratio(_ part: Int, _ whole: Int) -> Double? { whole == 0 ? nil : Double(part) / Double(whole) }
}
