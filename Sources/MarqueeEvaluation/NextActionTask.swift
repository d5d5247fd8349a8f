import MarqueePredictor

/// Task 1: predicting the next different item before it is learned, over the last fifth of each person's uses.
public struct NextActionTask: Sendable, Equatable {
  /// The minimum number of uses for a person to be included.
  public static let useCountMin = 60

  public private(set) var scores: [Method: RankScores] = [:]
  /// The predictor's scores by person and day.
  private(set) var sums = ResampledSums<RankScores>()
  public private(set) var personCount = 0
  /// The number of uses, counting immediate repetitions of an item once.
  public private(set) var useCount = 0

  /// Evaluates `methods` on the pooled data of all people in a log.
  ///
  /// - Parameter progress: Called with the completed fraction, from 0 to 1.
  public init(_ log: HabitLog, methods: [Method] = Method.allCases, progress: (Double) -> Void = { _ in }) {
    var measuredCount = 0
    for person in log.people {
      defer {
        measuredCount += person.uses.count
        progress(Double(measuredCount) / Double(log.useCount))
      }
      var uses: [HabitLog.Use] = []
      for use in person.uses where uses.last?.item != use.item { uses.append(use) }
      guard uses.count >= Self.useCountMin else { continue }
      personCount += 1
      useCount += uses.count
      for method in methods { measure(method, uses: uses, itemCount: person.itemCount) }
    }
  }

  private mutating func measure(_ method: Method, uses: [HabitLog.Use], itemCount: Int) {
    var predictor = Predictor()
    var baseline = method.baseline(itemCount: itemCount)
    let start = uses.count * 4 / 5
    if method == .marquee { sums.beginPerson() }
    var lastUse = [Int](repeating: -1, count: itemCount)
    for (index, use) in uses.enumerated() {
      let moment = use.moment
      if index >= start {
        let weights =
          baseline?.weights(at: use.time) ?? predictor.next(at: moment).weights(itemCount: itemCount)
        let rank = Self.rank(of: use.item, weights: weights, lastUse: lastUse, previous: uses[index - 1].item)
        scores[method, default: RankScores()].add(rank: rank)
        if method == .marquee { sums.update(day: use.day) { $0.add(rank: rank) } }
      }
      if baseline != nil {
        baseline?.learn(use.item, at: use.time)
      } else {
        predictor.learn(ActionID(use.item), group: use.action, at: moment)
      }
      lastUse[use.item] = index
    }
  }

  /// Returns the rank of the item, counted from 1, or `nil` if it was never used. Ties are broken by recency.
  private static func rank(of item: Int, weights: [Double], lastUse: [Int], previous: Int) -> Int? {
    guard lastUse[item] >= 0 else { return nil }
    var rank = 1
    for other in weights.indices where other != item && other != previous && lastUse[other] >= 0 {
      if (weights[other], lastUse[other]) > (weights[item], lastUse[item]) { rank += 1 }
    }
    return rank
  }
}

extension HabitLog.Use {
  /// The use's time and place in the predictor's form.
  var moment: Moment { Moment(day: day, second: second, place: place) }
}

extension Forecast {
  func weights(itemCount: Int) -> [Double] {
    (0..<itemCount).map { probability(of: ActionID($0)) }
  }
}
