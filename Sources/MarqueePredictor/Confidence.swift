/// Converts a head's shares into the probability that an action is done within the coming half hour.
///
/// If anything is done, an action with share *s* is among *m* different ones with probability 1 − (1 − *s*)^*m*. This
/// times the probability that anything is done is a first estimate, which a logistic regression then calibrates.
struct Confidence: Sendable, Equatable {
  /// The inputs for eight actions at one moment.
  struct View {
    /// The probability that each action is the first, if anything is done.
    let shares: Lanes
    /// The total weight of the recent days from each action's first one on, and of those on which it was done in that
    /// half hour.
    let dayTotals: Lanes
    let dayDone: Lanes
    /// How sharply the time of day determines each action.
    let sharpness: Lanes
    /// How sharply an event determines each action.
    let eventSharpness: Lanes
    /// The number of occurrences of each action.
    let counts: Lanes
    /// The logarithm of the discount for an action with few occurrences.
    let discount: Lanes
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

  private var model = OnlineLogistic(weights: [0, 1, 0, 0, 1, 1, 1, 0], variance: 0.1)

  /// Returns the features of one of the view's actions.
  static func features(_ view: View, lane: Int) -> Lanes {
    let evidence = Evidence(view)
    return [
      evidence.rest[lane], evidence.claim[lane], evidence.given[lane], evidence.activity[lane], evidence.days[lane],
      evidence.events[lane], evidence.discount[lane], 0,
    ]
  }

  func probabilities(_ view: View) -> Lanes {
    let weights = model.weights
    let evidence = Evidence(view)
    var score = evidence.rest * weights[0] + evidence.claim * weights[1] + evidence.given * weights[2]
    score += evidence.activity * weights[3] + evidence.days * weights[4]
    score += evidence.events * weights[5] + evidence.discount * weights[6]
    // 1 / (1 + e^−x), using an exponential that accepts only non-positive arguments.
    let isPositive = score .> 0
    let power = exponential(ofNegatives: (-score).replacing(with: score, where: score .< 0))
    return (power / (1 + power)).replacing(with: 1 / (1 + power), where: isPositive)
  }

  /// The features of the regression for eight actions, as log-odds.
  ///
  /// For an action with a sharp time, the fraction of days with it in this very half hour replaces the estimate from
  /// shares, which smooth times out.
  private struct Evidence {
    /// The weight of the estimate from shares.
    let rest: Lanes
    let claim: Lanes
    let given: Lanes
    let activity: Lanes
    let days: Lanes
    let events: Lanes
    /// The uncertainty of an action with few occurrences.
    let discount: Lanes

    @inline(__always) init(_ view: View) {
      let others = logarithm(greater(1 - view.shares, Lanes(repeating: 1e-6)))
      let given = 1 - exponential(ofNegatives: lesser(others * view.doneMean, .zero))
      let following = Self.trust(view.eventSharpness)
      let sharp = Self.trust(view.sharpness) * (1 - following)
      rest = (1 - following) * (1 - Self.trust(view.sharpness))
      claim = Confidence.logOdds(given * view.activity.probability) * rest
      self.given = Confidence.logOdds(given) * rest
      activity = rest * view.activity.logOdds
      // Most actions have neither a sharp time nor an event; no logarithm is computed for eight of them.
      days =
        greatest(sharp) > 0
        ? logarithm((view.dayDone + 0.5) / (view.dayTotals - view.dayDone + 0.5)) * sharp : .zero
      // Without the event, the probability is bounded by the number of occurrences.
      events =
        greatest(following) > 0
        ? Confidence.logOdds(greater(view.eventShares, 0.5 / (1 + view.counts))) * following : .zero
      discount = view.discount * rest
    }

    /// Returns the weight, from 0 to 1, that habits of a sharpness have.
    @inline(__always) private static func trust(_ sharpness: Lanes) -> Lanes {
      lesser(greater(sharpness * 1.5 - 0.25, .zero), Lanes(repeating: 1))
    }
  }

  /// Returns the discount for actions with these numbers of occurrences, as a logarithm.
  @inline(__always) static func discount(_ counts: Lanes) -> Lanes {
    logarithm((counts + 0.1) / (counts + 0.5))
  }

  mutating func learn(_ features: Lanes, happened: Bool, times: Float = 1) {
    model.learn(features, happened: happened, times: times)
  }

  @inline(__always) fileprivate static func logOdds(_ probabilities: Lanes) -> Lanes {
    let limited = lesser(greater(probabilities, Lanes(repeating: 1e-4)), Lanes(repeating: 1 - 1e-4))
    return logarithm(limited / (1 - limited))
  }
}
