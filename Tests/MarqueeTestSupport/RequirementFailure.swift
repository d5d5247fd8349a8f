/// A violated requirement, found by a run that is not a test function.
public struct RequirementFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``RequirementFailure`` unless a condition is true.
package func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws {
  if !isSo { throw RequirementFailure(words()) }
}
