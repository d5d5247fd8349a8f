/// A vector with one number per action, stored in SIMD chunks of eight.
struct ActionVector: Sendable, Equatable {
  var lanes: [Lanes] = []

  init(chunkCount: Int = 0) {
    lanes = [Lanes](repeating: .zero, count: chunkCount)
  }

  subscript(_ action: Int) -> Float {
    @inline(__always) get { lanes[action >> 3][action & 7] }
    @inline(__always) set { lanes[action >> 3][action & 7] = newValue }
  }

  /// Assigns a vector of the same size, multiplied by a factor.
  @inline(__always) mutating func assign(_ other: ActionVector, times factor: Float = 1) {
    for chunk in lanes.indices { lanes[chunk] = other.lanes[chunk] * factor }
  }

  /// Sets all numbers to 0.
  mutating func clear() {
    for chunk in lanes.indices { lanes[chunk] = .zero }
  }

  /// Extends the vector to at least `chunkCount` chunks of eight actions.
  mutating func grow(toChunks chunkCount: Int) {
    while lanes.count < chunkCount { lanes.append(.zero) }
  }
}
