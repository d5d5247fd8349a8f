/// An action and its probability.
public struct ActionProbability: Sendable, Equatable {
  /// The action.
  public let action: ActionID
  /// The probability, from 0 to 1.
  public let probability: Double
}
