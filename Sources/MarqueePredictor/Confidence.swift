/// Turns a head's view into the probability that an action is done within the coming half hour.
///
/// If anything is done, an action of share s is among the m different ones with 1 − (1 − s)^m; times the probability
/// that anything is done, that is a first estimate. A logistic regression on how such estimates turned out corrects it.
struct Confidence: Sendable, Equatable {
  /// What is known of eight actions at one moment.
  struct View {
    /// Their probabilities to be the first, if anything is done.
    let shares: Lanes
    /// On which share of days each is done in that half hour.
    let dayShares: Lanes
    /// After which share of the routine's events each is done that long after it.
    let eventShares: Lanes
    /// How many different actions are done if any is.
    let doneMean: Float
    /// That anything is done.
    let activity: Likelihood
  }

  /// A probability with the logarithm of its odds.
  struct Likelihood {
    let probability: Float
    let logOdds: Float

    init(_ probability: Float) {
      self.probability = probability
      logOdds = Confidence.logOdds(Lanes(repeating: probability))[0]
    }
  }

  private var model = OnlineLogistic(weights: [0, 1, 0, 0, 0.5, 0.6, 0, 0], variance: 0.1)

  /// The features of one of a view's actions.
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
    // 1 / (1 + e^−x), from an exponential that takes negative numbers only.
    let isPositive = score .> 0
    let power = exponential(ofNegatives: (-score).replacing(with: score, where: score .< 0))
    return (power / (1 + power)).replacing(with: 1 / (1 + power), where: isPositive)
  }

  /// What the regression is told of eight actions, all as log-odds.
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

    /// Shares up to which there is no habit.
    private static let dayFloor = Likelihood(0.4)
    private static let eventFloor = Likelihood(0.05)

    /// By how much the log-odds of a share exceed those of `floor`: a smaller share is no habit.
    @inline(__always) private static func habit(_ shares: Lanes, above floor: Likelihood) -> Lanes {
      // Most often there are none.
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
