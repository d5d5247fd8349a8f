/// Converts a head's shares into the probability that an action is done within the coming half hour.
///
/// If anything is done, an action with share *s* is among *m* different ones with probability 1 − (1 − *s*)^*m*. This
/// times the probability that anything is done is a first estimate, which a logistic regression then calibrates.
struct Confidence: Sendable, Equatable {
  /// The inputs for eight actions at one moment.
  struct View {
    /// The probability that each action is the first, if anything is done.
    let shares: Lanes
    /// The fraction of days on which each action is done in that half hour.
    let dayShares: Lanes
    /// The fraction of the routine's events after which each action is done at that distance.
    let eventShares: Lanes
    /// The mean number of different actions, if any is done.
    let doneMean: Float
    /// The probability that anything is done.
    let activity: Likelihood
  }

  /// A probability and its log-odds.
  struct Likelihood {
    let probability: Float
    let logOdds: Float

    init(_ probability: Float) {
      self.probability = probability
      logOdds = Confidence.logOdds(Lanes(repeating: probability))[0]
    }
  }

  private var model = OnlineLogistic(weights: [0, 1, 0, 0, 0.5, 0.6, 0, 0], variance: 0.1)

  /// Returns the features of one of the view's actions.
  static func features(_ view: View, lane: Int) -> Lanes {
    let evidence = Evidence(view)
    return [
      1, evidence.claim[lane], evidence.given[lane], evidence.activity, evidence.days[lane], evidence.events[lane], 0,
      0,
    ]
  }

  func probabilities(_ view: View) -> Lanes {
    let weights = model.weights
    let evidence = Evidence(view)
    var score =
      evidence.claim * weights[1] + evidence.given * weights[2] + (weights[0] + evidence.activity * weights[3])
    score += evidence.days * weights[4] + evidence.events * weights[5]
    // 1 / (1 + e^−x), using an exponential that accepts only non-positive arguments.
    let isPositive = score .> 0
    let power = exponential(ofNegatives: (-score).replacing(with: score, where: score .< 0))
    return (power / (1 + power)).replacing(with: 1 / (1 + power), where: isPositive)
  }

  /// The features of the regression for eight actions, as log-odds.
  private struct Evidence {
    let claim: Lanes
    let given: Lanes
    let activity: Float
    let days: Lanes
    let events: Lanes

    @inline(__always) init(_ view: View) {
      let others = logarithm(greater(1 - view.shares, Lanes(repeating: 1e-6)))
      let given = 1 - exponential(ofNegatives: lesser(others * view.doneMean, .zero))
      claim = Confidence.logOdds(given * view.activity.probability)
      self.given = Confidence.logOdds(given)
      activity = view.activity.logOdds
      days = Self.habit(view.dayShares, above: Self.dayFloor)
      events = Self.habit(view.eventShares, above: Self.eventFloor)
    }

    /// The fractions below which there is no habit.
    private static let dayFloor = Likelihood(0.4)
    private static let eventFloor = Likelihood(0.05)

    /// Returns by how much the log-odds of each fraction exceed those of `floor`, or 0 if they are below.
    @inline(__always) private static func habit(_ shares: Lanes, above floor: Likelihood) -> Lanes {
      // Fast path: usually there are none.
      guard greatest(shares) > floor.probability else { return .zero }
      return greater(Confidence.logOdds(shares) - floor.logOdds, .zero)
    }
  }

  mutating func learn(_ features: Lanes, happened: Bool, times: Float = 1) {
    model.learn(features, happened: happened, times: times)
  }

  @inline(__always) fileprivate static func logOdds(_ probabilities: Lanes) -> Lanes {
    let limited = lesser(greater(probabilities, Lanes(repeating: 1e-4)), Lanes(repeating: 1 - 1e-4))
    return logarithm(limited / (1 - limited))
  }
}
