extension Array {
  /// Appends an element to a long history: it takes a quarter more room when it is full, where ``append(_:)`` takes as
  /// much again.
  mutating func appendSparingly(_ element: Element) {
    if count == capacity { reserveCapacity(count + Swift.max(16, count / 4)) }
    append(element)
  }
}
