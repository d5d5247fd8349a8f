/// Which actions followed which: one row of counts for each action, holding only what did follow.
struct Successors: Sendable, Equatable {
  /// Lanes 0 to 4 count by the time between the two actions.
  typealias Counts = SIMD8<UInt16>

  /// The lane of followers whose older counts shrink with each new one, in 256ths.
  private static let recentLane = 5
  /// The lane of actions two steps after.
  static let skipped = 6

  struct Row: Sendable, Equatable {
    fileprivate(set) var actions: [UInt16] = []
    fileprivate(set) var counts: [Counts] = []
    /// Where in the sequence the pair last ended; −1 if it only ever happened two steps apart.
    fileprivate var lastEnds: [Int32] = []

    fileprivate mutating func place(of action: Int) -> Int {
      if let place = actions.firstIndex(of: UInt16(action)) { return place }
      actions.append(UInt16(action))
      counts.append(.zero)
      lastEnds.append(-1)
      return actions.count - 1
    }

    fileprivate mutating func increase(_ lane: Int, at place: Int) {
      counts[place][lane] = min(counts[place][lane], .max - 1) + 1
    }
  }

  /// The uses that followed at any gap.
  @inline(__always) static func direct(_ counts: Counts) -> Float {
    Float(Int(counts[0]) + Int(counts[1]) + Int(counts[2]) + Int(counts[3]) + Int(counts[4]))
  }

  /// The latest uses that followed.
  @inline(__always) static func recent(_ counts: Counts) -> Float {
    Float(counts[recentLane]) * (1 / 256)
  }

  private(set) var rows: [Row] = []

  mutating func grow(to actionCount: Int) {
    while rows.count < actionCount { rows.append(Row()) }
  }

  /// Counts `next` after `previous`; `end` is its place in the sequence.
  ///
  /// Returns the place of the same pair before.
  mutating func add(_ next: Int, after previous: Int, gap: Int, end: Int) -> Int32 {
    for index in rows[previous].counts.indices {
      // About four fifths of each count stay.
      let count = UInt32(rows[previous].counts[index][Self.recentLane])
      rows[previous].counts[index][Self.recentLane] = UInt16((count * 205) >> 8)
    }
    let place = rows[previous].place(of: next)
    rows[previous].increase(gap, at: place)
    rows[previous].counts[place][Self.recentLane] += 256
    let before = rows[previous].lastEnds[place]
    rows[previous].lastEnds[place] = Int32(end)
    return before
  }

  /// Counts `next` as following two steps after `action`.
  mutating func addSkipped(_ next: Int, after action: Int) {
    let place = rows[action].place(of: next)
    rows[action].increase(Self.skipped, at: place)
  }

  var byteCount: Int {
    rows.reduce(0) { $0 + 24 + $1.actions.capacity * 2 + $1.counts.capacity * 16 + $1.lastEnds.capacity * 4 }
  }
}
