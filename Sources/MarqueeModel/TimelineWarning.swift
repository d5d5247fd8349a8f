/// What is worth telling a provider about a timeline that was accepted all the same (rules L).
public struct TimelineWarning: Hashable, Sendable {
  /// A stable code, such as `entries-unsorted`.
  public let code: String
  /// What was found, for people.
  public let message: String
  /// The index of the entry meant, in the order sent; `nil` when the whole timeline is meant.
  public let entry: Int?

  /// A warning.
  public init(code: String, message: String, entry: Int? = nil) {
    self.code = code
    self.message = message
    self.entry = entry
  }
}
