/// The actions in order, without repeats, and for each pair of neighbours where the same pair came before.
struct ActionSequence: Sendable, Equatable {
  private(set) var actions: [UInt16] = []
  /// For each place, the last earlier place where the same action followed the same one; −1 if none did.
  private(set) var samePair: [Int32] = []

  mutating func append(_ action: Int, samePair before: Int32) {
    actions.appendSparingly(UInt16(action))
    samePair.appendSparingly(before)
  }

  var byteCount: Int { actions.capacity * 2 + samePair.capacity * 4 }
}
