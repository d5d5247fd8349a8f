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
    @inline(__always) fileprivate static func trust(_ sharpness: Lanes) -> Lanes {
      lesser(greater(sharpness * 1.5 - 0.25, .zero), Lanes(repeating: 1))
    }
  }

  /// Limits that show of most actions, without a logarithm, that their probability is below a minimum.
  ///
  /// The score of an action is a mean of three parts: of the estimate from shares, of the days, and of the events. It
  /// is below the minimum if all parts with any weight are.
  struct Bounds {
    /// The share up to which the estimate from shares is below the minimum.
    fileprivate var share: Float = -1
    /// The odds of a day with the action below which the days are.
    fileprivate var dayOdds: Float = -1
    /// The fraction of events below which the events are.
    fileprivate var eventShare: Float = -1

    /// Whether the estimate from shares is below the minimum for every share.
    var includesAllShares: Bool { share >= 1 }

    /// Returns 1 for actions that can reach the minimum, and 0 for others.
    @inline(__always) func reachable(_ view: View) -> Lanes {
      let following = Evidence.trust(view.eventSharpness)
      let sharp = Evidence.trust(view.sharpness)
      let rest = (1 - following) * (1 - sharp)
      let isRestBelow = (view.shares .<= share) .| (rest .<= 0)
      let odds = (view.dayTotals - view.dayDone + 0.5) * dayOdds
      let isDayBelow = (view.dayDone + 0.5 .< odds) .| (sharp .<= 0)
      let fractions = greater(view.eventShares, 0.5 / (1 + view.counts))
      let isEventBelow = (fractions .< eventShare) .| (following .<= 0)
      return Lanes(repeating: 1).replacing(with: 0, where: isRestBelow .& isDayBelow .& isEventBelow)
    }
  }

  /// The distance of bounds from the minimum, as log-odds, which exceeds all rounding errors of a score by far.
  private static let boundMargin: Float = 0.05
  /// The factor by which that distance lowers a small minimum probability.
  static let boundFactor = 0.95
  /// The shares that a bound can be: 1 and, from 0.15 on, each a seventh root of ten times the next.
  private static let boundShares: [Lanes] = [
    [1, 0.15, 0.108, 0.0777, 0.0559, 0.0402, 0.029, 0.0208],
    [0.015, 0.0108, 0.00777, 0.00559, 0.00402, 0.0029, 0.00208, 0.0015],
  ]

  /// Returns the bounds for a minimum probability of actions with at least ``Familiarity/occurrenceCountMin``
  /// occurrences.
  ///
  /// A part whose weights have an unusual sign has no bound, and none has one if the minimum or a weight is extreme.
  func bounds(atLeast least: Double, doneMean: Float, activity: Likelihood) -> Bounds {
    let weights = model.weights
    var bounds = Bounds()
    guard least > 2e-4, greatest(greater(weights, -weights)) < 100 else { return bounds }
    let odds = Lanes(repeating: OnlineLogistic.odds(Float(least)))
    let score = logarithm(odds)[0] - Self.boundMargin
    bounds.share = shareBound(score, doneMean: doneMean, activity: activity)
    if weights[4] > 0 { bounds.dayOdds = Float(exponential(Double(score / weights[4]))) }
    // Fractions are limited to odds of ten thousand.
    if weights[5] > 0, score / weights[5] > -9 {
      bounds.eventShare = Float(1 / (1 + exponential(-Double(score / weights[5]))))
    }
    return bounds
  }

  /// Returns the greatest of ``boundShares`` up to which the estimate from shares is below a score, or −1.
  private func shareBound(_ score: Float, doneMean: Float, activity: Likelihood) -> Float {
    let weights = model.weights
    let (claim, given) = (weights[1], weights[2])
    // The discount is negative, and that of few occurrences is the greatest.
    let few = Lanes(repeating: Float(Familiarity.occurrenceCountMin))
    let rest = weights[0] + weights[3] * activity.logOdds + min(0, weights[6]) * Self.discount(few)[0]
    // The estimate at a share of 0, where the log-odds are limited.
    let least = rest + (claim + given) * Self.logOdds(Lanes.zero)[0]
    guard claim + given >= 0, least < score else { return -1 }
    for shares in Self.boundShares {
      let others = logarithm(greater(1 - shares, Lanes(repeating: 1e-6)))
      let chances = 1 - exponential(ofNegatives: lesser(others * doneMean, .zero))
      let done = chances * activity.probability
      let scores = rest + Self.logOdds(done) * claim + Self.logOdds(chances) * given
      // The derivative by the chance has the sign of this linear function, which is not negative at 0 either.
      let slopes = (1 - chances) * claim + (1 - done) * given
      let isBound = (scores .< score) .& (slopes .>= 0)
      let bound = greatest(Lanes(repeating: -1).replacing(with: shares, where: isBound))
      if bound > 0 { return bound }
    }
    return -1
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
