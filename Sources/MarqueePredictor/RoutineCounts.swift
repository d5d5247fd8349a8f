/// Exponentially decayed counts of each action by the time since a routine event, in quarters of an hour.
///
/// They capture habits that keep a fixed distance from waking up or a workout, even if the clock time varies.
struct RoutineCounts: Sendable, Equatable {
  static let reachSeconds = 3 * 3_600
  private static let binSeconds = 900
  private static let spread = 900.0
  private static let halfLife = Predictor.droppedHalfLife
  /// The minimum time between two events of one kind, in seconds; closer ones count as one.
  private static let pauseMin = 600
  /// The maximum number of event kinds. Further ones are treated as the last.
  private static let kindCountMax = 16

  private struct Entry: Sendable, Equatable {
    var action: Int
    var bin: Int
    var count: Float
    var time: Int
  }

  private struct Kind: Sendable, Equatable {
    let number: Int
    var entries: [Entry] = []
    /// The decayed number of occurrences at the time of the last one.
    var occurrences: Float = 0
    var lastTime: Int?
  }

  private var kinds: [Kind] = []

  mutating func add(_ amount: Float, to action: Int, at moment: Moment, time: Int) {
    guard let routine = moment.routine, routine.age < Self.reachSeconds else { return }
    let kind =
      kinds.firstIndex { $0.number == routine.kind }
      ?? {
        if kinds.count < Self.kindCountMax { kinds.append(Kind(number: routine.kind)) }
        return kinds.count - 1
      }()
    let start = time - routine.age
    let pause = start - (kinds[kind].lastTime ?? start)
    if kinds[kind].lastTime == nil || pause >= Self.pauseMin {
      kinds[kind].occurrences = kinds[kind].occurrences * Self.decayFactor(pause) + 1
      kinds[kind].lastTime = start
    }
    let bin = routine.age / Self.binSeconds
    if let place = kinds[kind].entries.firstIndex(where: { $0.action == action && $0.bin == bin }) {
      let entry = kinds[kind].entries[place]
      kinds[kind].entries[place].count = entry.count * Self.decayFactor(time - entry.time) + amount
      kinds[kind].entries[place].time = time
    } else {
      kinds[kind].entries.append(Entry(action: action, bin: bin, count: amount, time: time))
    }
  }

  /// Adds the kernel-weighted counts at the moment's distance from its routine event.
  ///
  /// - Returns: `false` if there is no learned routine event within reach.
  func add(to vector: inout ActionVector, at moment: Moment, time: Int) -> Bool {
    guard let routine = moment.routine, routine.age < Self.reachSeconds,
      let kind = kinds.first(where: { $0.number == routine.kind })
    else { return false }
    for entry in kind.entries {
      let distance = Double(entry.bin * Self.binSeconds + Self.binSeconds / 2 - routine.age) / Self.spread
      guard abs(distance) < 3 else { continue }
      let weight = Float(exponential(-0.5 * distance * distance))
      vector[entry.action] += entry.count * weight * Self.decayFactor(time - entry.time)
    }
    return true
  }

  /// Adds, for each action, the fraction of the routine's events after which it was used in the half hour that starts
  /// now.
  ///
  /// One additional event without any use is assumed, as a prior.
  ///
  /// - Returns: `false` if there is no learned routine event within reach.
  @discardableResult
  func addEventShares(to vector: inout ActionVector, at moment: Moment, time: Int) -> Bool {
    guard let routine = moment.routine, routine.age < Self.reachSeconds,
      let kind = kinds.first(where: { $0.number == routine.kind })
    else { return false }
    let events = kind.occurrences * Self.decayFactor(time - (kind.lastTime ?? time)) + 1
    for entry in kind.entries {
      let (start, end) = (entry.bin * Self.binSeconds, (entry.bin + 1) * Self.binSeconds)
      let overlap = min(end, routine.age + Predictor.windowSeconds) - max(start, routine.age)
      guard overlap > 0 else { continue }
      let share = Float(overlap) / Float(Self.binSeconds)
      vector[entry.action] += entry.count * Self.decayFactor(time - entry.time) * share / events
    }
    return true
  }

  private static func decayFactor(_ age: Int) -> Float {
    Float(powerOfTwo(-Double(max(0, age)) / halfLife))
  }

  var byteCount: Int { kinds.reduce(0) { $0 + 24 + $1.entries.capacity * 32 } }
}
