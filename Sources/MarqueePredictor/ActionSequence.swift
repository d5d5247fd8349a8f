/// The actions in order, immediate repetitions as counts, and for each pair of neighbors its previous occurrence.
struct ActionSequence: Sendable, Equatable {
  private(set) var actions: [UInt16] = []
  /// For each position, the previous position at which the same action followed the same one, or −1.
  private(set) var samePair: [Int32] = []
  /// For each position, the number of immediate repetitions of the action, at most `UInt8.max`.
  private(set) var repetitionCounts: [UInt8] = []

  mutating func append(_ action: Int, samePair before: Int32) {
    actions.appendSparingly(UInt16(action))
    samePair.appendSparingly(before)
    repetitionCounts.appendSparingly(0)
  }

  /// Counts a repetition of the last action.
  mutating func noteRepetition() {
    let last = repetitionCounts.count - 1
    if repetitionCounts[last] < .max { repetitionCounts[last] += 1 }
  }

  var byteCount: Int { actions.capacity * 2 + samePair.capacity * 4 + repetitionCounts.capacity }
}
