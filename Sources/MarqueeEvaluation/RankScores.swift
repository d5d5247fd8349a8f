/// Ranking metrics of a method over all scored actions.
///
/// A metric is `nil` if no action was scored.
public struct RankScores: Sendable, Equatable {
  public private(set) var count = 0
  public private(set) var unseenCount = 0
  private var hits = [0, 0, 0]
  private var reciprocalSum = 0.0

  public init() {}

  /// Adds an observation. `rank` counts from 1 and is `nil` if the item was not a candidate.
  public mutating func add(rank: Int?) {
    count += 1
    guard let rank else {
      unseenCount += 1
      return
    }
    for (index, limit) in [1, 3, 5].enumerated() where rank <= limit { hits[index] += 1 }
    reciprocalSum += 1 / Double(rank)
  }

  /// Adds the observations of others.
  mutating func add(_ other: RankScores) {
    count += other.count
    unseenCount += other.unseenCount
    for index in hits.indices { hits[index] += other.hits[index] }
    reciprocalSum += other.reciprocalSum
  }

  public var hitRate1: Double? { share(Double(hits[0])) }
  public var hitRate3: Double? { share(Double(hits[1])) }
  public var hitRate5: Double? { share(Double(hits[2])) }
  public var meanReciprocalRank: Double? { share(reciprocalSum) }
  public var unseenShare: Double? { share(Double(unseenCount)) }

  private func share(_ sum: Double) -> Double? { count == 0 ? nil : sum / Double(count) }
}
