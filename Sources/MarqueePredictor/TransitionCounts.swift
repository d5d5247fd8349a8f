/// Transition counts between actions: one sparse row per action.
struct TransitionCounts: Sendable, Equatable {
  /// Lanes 0 to 4 are counts by gap.
  typealias Counts = SIMD8<UInt16>

  /// The lane of recent transitions, whose counts decay with each new one, in units of 1/256.
  fileprivate static let recentLane = 5
  /// The lane of transitions over two steps.
  static let skipped = 6

  struct Row: Sendable, Equatable {
    fileprivate(set) var actions: [UInt16] = []
    fileprivate(set) var counts: [Counts] = []
    /// The position in the sequence at which the pair last ended, or −1 if it only occurred two steps apart.
    fileprivate var lastEnds: [Int32] = []

    fileprivate mutating func place(of action: Int) -> Int {
      if let place = actions.firstIndex(of: UInt16(action)) { return place }
      actions.append(UInt16(action))
      counts.append(.zero)
      lastEnds.append(-1)
      return actions.count - 1
    }

    /// Adds a number of each successor, multiplied by a factor, to `vector`.
    @inline(__always) func add(to vector: ActionRow, times factor: Float = 1, _ number: (Counts) -> Float) {
      actions.withUnsafeBufferPointer { actions in
        counts.withUnsafeBufferPointer { counts in
          for index in actions.indices { vector[Int(actions[index])] += number(counts[index]) * factor }
        }
      }
    }

    fileprivate mutating func decayRecent() {
      counts.withUnsafeMutableBufferPointer { counts in
        for index in counts.indices {
          // Keeps 205/256, about four fifths, of each count.
          counts[index][TransitionCounts.recentLane] = UInt16(
            (UInt32(counts[index][TransitionCounts.recentLane]) * 205) >> 8)
        }
      }
    }

    fileprivate mutating func increase(_ lane: Int, at place: Int) {
      counts[place][lane] = min(counts[place][lane], .max - 1) + 1
    }
  }

  /// Returns the number of transitions at any gap.
  @inline(__always) static func direct(_ counts: Counts) -> Float {
    Float(Int(counts[0]) + Int(counts[1]) + Int(counts[2]) + Int(counts[3]) + Int(counts[4]))
  }

  /// Returns the decayed number of recent transitions.
  @inline(__always) static func recent(_ counts: Counts) -> Float {
    Float(counts[recentLane]) * (1 / 256)
  }

  private(set) var rows: [Row] = []

  mutating func grow(to actionCount: Int) {
    while rows.count < actionCount { rows.append(Row()) }
  }

  /// Counts the transition from `previous` to `next`, which is at position `end` of the sequence.
  ///
  /// - Returns: The position at which the same pair last ended, or −1.
  mutating func add(_ next: Int, after previous: Int, gap: Int, end: Int) -> Int32 {
    rows[previous].decayRecent()
    let place = rows[previous].place(of: next)
    rows[previous].increase(gap, at: place)
    rows[previous].counts[place][Self.recentLane] += 256
    let before = rows[previous].lastEnds[place]
    rows[previous].lastEnds[place] = Int32(end)
    return before
  }

  /// Counts `next` as following `action` two steps later.
  mutating func addSkipped(_ next: Int, after action: Int) {
    let place = rows[action].place(of: next)
    rows[action].increase(Self.skipped, at: place)
  }

  var byteCount: Int {
    rows.reduce(0) { $0 + 24 + $1.actions.capacity * 2 + $1.counts.capacity * 16 + $1.lastEnds.capacity * 4 }
  }
}
