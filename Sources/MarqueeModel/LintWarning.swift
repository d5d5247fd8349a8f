/// A warning about data that a provider sent and the server accepted (rules L).
public struct LintWarning: Hashable, Sendable {
  /// A stable code, such as `entries-unsorted`.
  public let code: String
  /// A description for developers.
  public let message: String
  /// The index of the affected entry, shortcut, intent, type or donation, in the order sent; `nil` if the warning
  /// concerns the request as a whole.
  public let index: Int?
  /// The values in the description, with distinct names.
  public let values: [FindingValue]

  /// Creates a warning.
  public init(code: String, message: String, index: Int? = nil, values: [FindingValue] = []) {
    self.code = code
    self.message = message
    self.index = index
    self.values = values
  }
}
