extension Array {
  /// Appends an element, growing the capacity by a quarter when full, instead of doubling it as ``append(_:)`` does.
  ///
  /// For long histories, where unused capacity would matter.
  mutating func appendSparingly(_ element: Element) {
    if count == capacity { reserveCapacity(count + Swift.max(16, count / 4)) }
    append(element)
  }
}
