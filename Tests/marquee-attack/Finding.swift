/// What an attack brought to light.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``Finding`` of these words unless what is required is so.
func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws {
  if !isSo { throw Finding(words()) }
}
