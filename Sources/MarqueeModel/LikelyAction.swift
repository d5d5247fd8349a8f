/// A predicted action, with the probability that the user does it within the next half hour (rule P1).
public struct LikelyAction: Hashable, Sendable {
  /// The action.
  public let action: DonatedAction
  /// Its probability, from 0 to 1.
  public let probability: Double
  /// The statistics behind the prediction.
  public let reasons: HabitReasons
  /// The representation for the user (rules X1, X2).
  public let display: ActionDisplay

  /// Creates a predicted action. Without a representation, it is that of the action without the texts of its type.
  public init(
    action: DonatedAction, probability: Double, reasons: HabitReasons, display: ActionDisplay? = nil
  ) {
    self.action = action
    self.probability = probability
    self.reasons = reasons
    self.display = display ?? ActionDisplay(of: action)
  }
}
