/// A failure found by an attack.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``Finding`` unless a condition is true.
func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws {
  if !isSo { throw Finding(words()) }
}
