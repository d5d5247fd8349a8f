/// A vector with one number per action, stored in SIMD chunks of eight.
struct ActionVector: Sendable, Equatable {
  var lanes: [Lanes] = []

  subscript(_ action: Int) -> Float {
    @inline(__always) get { lanes[action >> 3][action & 7] }
    @inline(__always) set { lanes[action >> 3][action & 7] = newValue }
  }

  /// Extends the vector to at least `chunkCount` chunks of eight actions.
  mutating func grow(toChunks chunkCount: Int) {
    while lanes.count < chunkCount { lanes.append(.zero) }
  }
}
