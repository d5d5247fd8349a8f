/// The actions in order, without immediate repeats, and for each pair of neighbors its previous occurrence.
struct ActionSequence: Sendable, Equatable {
  private(set) var actions: [UInt16] = []
  /// For each position, the previous position at which the same action followed the same one, or −1.
  private(set) var samePair: [Int32] = []

  mutating func append(_ action: Int, samePair before: Int32) {
    actions.appendSparingly(UInt16(action))
    samePair.appendSparingly(before)
  }

  var byteCount: Int { actions.capacity * 2 + samePair.capacity * 4 }
}
