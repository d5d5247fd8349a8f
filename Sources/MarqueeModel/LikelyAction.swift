/// A predicted action, with the probability that the user does it within the next half hour (rule P1).
public struct LikelyAction: Hashable, Sendable {
  /// The action.
  public let action: DonatedAction
  /// Its probability, from 0 to 1.
  public let probability: Double
  /// The statistics behind the prediction.
  public let reasons: HabitReasons

  /// Creates a predicted action.
  public init(action: DonatedAction, probability: Double, reasons: HabitReasons) {
    self.action = action
    self.probability = probability
    self.reasons = reasons
  }
}
