/// The history of all uses with their minutes, from which ``HabitEvidence`` is counted.
struct UseLog: Sendable, Equatable {
  private(set) var actions: [UInt16] = []
  /// The minutes of local time since the start of 1970.
  private(set) var minutes: [Int32] = []

  mutating func append(_ action: Int, at moment: Moment) {
    actions.appendSparingly(UInt16(action))
    minutes.appendSparingly(Int32(moment.time / 60))
  }

  var byteCount: Int { actions.capacity * 2 + minutes.capacity * 4 }
}
