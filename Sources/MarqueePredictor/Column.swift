/// One number for each action, stored in lanes of eight.
struct Column: Sendable, Equatable {
  var lanes: [Lanes] = []

  init(chunkCount: Int = 0) {
    lanes = [Lanes](repeating: .zero, count: chunkCount)
  }

  subscript(_ action: Int) -> Float {
    @inline(__always) get { lanes[action >> 3][action & 7] }
    @inline(__always) set { lanes[action >> 3][action & 7] = newValue }
  }

  /// Takes on what `other`, which has as many actions, says, times a factor.
  @inline(__always) mutating func assign(_ other: Column, times factor: Float = 1) {
    for chunk in lanes.indices { lanes[chunk] = other.lanes[chunk] * factor }
  }

  /// Sets all numbers to 0.
  mutating func clear() {
    for chunk in lanes.indices { lanes[chunk] = .zero }
  }

  /// Makes room for `chunkCount` times eight actions; never shrinks.
  mutating func grow(toChunks chunkCount: Int) {
    while lanes.count < chunkCount { lanes.append(.zero) }
  }
}
