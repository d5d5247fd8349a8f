/// When a forecast will change enough to matter.
extension Predictor {
  /// How far ahead crossings are looked for at most, in seconds.
  public static let horizonMax = 7 * 86_400

  /// The first step after `moment` at which the action's probability from time alone exceeds `threshold`.
  ///
  /// Only what is learned by then can change the answer, so whoever waits for it need not look in between. Every step
  /// of local time up to `horizon` seconds ahead is evaluated: a day costs as much as 288 forecasts. Place and routine
  /// event are taken to stay as `moment` has them.
  public func nextCrossing(
    of action: ActionID, above threshold: Double, after moment: Moment, within horizon: Int
  ) -> Moment? {
    precondition((0...Self.horizonMax).contains(horizon), "a horizon of \(horizon) s")
    guard action.number < isKnown.count, isKnown[action.number] else { return nil }
    let end = moment.time + horizon
    var step = moment.step.moved(to: moment.step.time + Self.stepSeconds)
    while step.time <= end {
      if soon(.timeAlone, at: step).probability(of: action) > threshold { return step }
      step = step.moved(to: step.time + Self.stepSeconds)
    }
    return nil
  }
}
