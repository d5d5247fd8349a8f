/// A set of experts, and the learned weights with which they are mixed, for one kind of prediction.
struct PredictionHead: Sendable, Equatable {
  /// The experts, at most sixteen: a multiple of four.
  let experts: [Expert]
  var mixer: Mixer

  private init(_ experts: KeyValuePairs<Expert, Float>, variance: Float = 0.03, gapVariance: Float?) {
    self.experts = experts.map(\.key)
    var weights = Mixer.Weights.zero
    for (row, expert) in experts.enumerated() { weights[row] = expert.value }
    mixer = Mixer(weights: weights, variance: variance, gapVariance: gapVariance)
  }

  /// Predicts which other action comes next.
  static let next = PredictionHead(
    [
      .day: 0.1, .weekdayTime: 0.3, .rank: 0.12, .successor: 0.18, .recentSuccessor: 0.06, .skipped: 0.05,
      .thirdOrder: 0.1, .gapShare: 0.05, .always: -0.1, .month: 0, .burst: 0, .place: 0.05, .hazard: 0.1,
      .ownInterval: 0.1, .group: 0.1, .routine: 0.15,
    ], gapVariance: 0.01)

  /// Predicts which action is done first in the coming half hour.
  static let soon = PredictionHead(
    [
      .day: 0.2, .weekdayTime: 0.3, .fastTime: 0.1, .rank: 0.05, .successor: 0.1, .recentSuccessor: 0.05, .place: 0,
      .thirdOrder: 0.05, .always: -0.1, .month: 0, .burst: 0, .hazard: 0.1, .ownInterval: 0.1, .group: 0.1,
      .routine: 0.3, .repeated: 0,
    ], gapVariance: 0.005)

  /// Predicts the same from time alone, with fewer experts, whose weights differ more between people.
  static let clock = PredictionHead(
    [
      .day: 0.3, .week: 0.1, .month: 0, .threeDays: 0, .dayKindTime: 0.2, .weekdayTime: 0.3, .fastTime: 0.1,
      .routine: 0.3,
    ], variance: 0.09, gapVariance: nil)

  var byteCount: Int { mixer.byteCount + experts.capacity }
}
