/// What is worth telling a provider about what it sent and was accepted all the same (rules L).
public struct LintWarning: Hashable, Sendable {
  /// A stable code, such as `entries-unsorted`.
  public let code: String
  /// What was found, for people.
  public let message: String
  /// The index of the entry, shortcut, intent, type or donation meant, in the order sent; `nil` for the whole.
  public let index: Int?

  /// A warning.
  public init(code: String, message: String, index: Int? = nil) {
    self.code = code
    self.message = message
    self.index = index
  }
}
