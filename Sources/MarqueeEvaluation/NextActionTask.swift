import MarqueePredictor

/// Task 1: which other item comes next, predicted before it is learned, over the last fifth of each person's uses.
public struct NextActionTask: Sendable, Equatable {
  /// People with fewer uses are left out.
  public static let useCountMin = 60

  public private(set) var scores: [Method: RankScores] = [:]
  public private(set) var personCount = 0
  /// Uses that are left when an item repeated at once counts once.
  public private(set) var useCount = 0

  /// Measures `methods` on all people of a log, pooled. `progress` hears which share is done, from 0 to 1.
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
    var lastUse = [Int](repeating: -1, count: itemCount)
    for (index, use) in uses.enumerated() {
      let moment = use.moment
      if index >= start {
        let weights =
          baseline?.weights(at: use.time) ?? predictor.next(at: moment).weights(itemCount: itemCount)
        let rank = Self.rank(of: use.item, weights: weights, lastUse: lastUse, previous: uses[index - 1].item)
        scores[method, default: RankScores()].add(rank: rank)
      }
      if baseline != nil {
        baseline?.learn(use.item, at: use.time)
      } else {
        predictor.learn(ActionID(use.item), group: use.action, at: moment)
      }
      lastUse[use.item] = index
    }
  }

  /// From 1; of items with the same weight the one used last comes first. Nil for an item that was never used.
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
  /// The use's time and place, as the predictor takes them.
  var moment: Moment { Moment(day: day, second: second, place: place) }
}

extension Forecast {
  func weights(itemCount: Int) -> [Double] {
    (0..<itemCount).map { probability(of: ActionID($0)) }
  }
}
