/// An action that was donated, and how likely the person does it within half an hour (rule P1).
public struct LikelyAction: Hashable, Sendable {
  /// The action.
  public let action: DonatedAction
  /// Its probability, from 0 to 1.
  public let probability: Double
  /// What that rests on.
  public let reasons: HabitReasons

  /// A likely action.
  public init(action: DonatedAction, probability: Double, reasons: HabitReasons) {
    self.action = action
    self.probability = probability
    self.reasons = reasons
  }
}
