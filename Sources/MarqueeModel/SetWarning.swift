/// What is worth telling a provider about a set of relevant shortcuts, relevant intents, intent types or donations that
/// was accepted all the same (rules L).
public struct SetWarning: Hashable, Sendable {
  /// A stable code, such as `only-watch-face`.
  public let code: String
  /// What was found, for people.
  public let message: String
  /// The index of what is meant in its set, in the order sent; `nil` when the whole set is meant.
  public let index: Int?

  /// A warning.
  public init(code: String, message: String, index: Int? = nil) {
    self.code = code
    self.message = message
    self.index = index
  }
}
