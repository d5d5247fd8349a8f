/// Exponentially decayed counts of each action by the time since an event, in quarters of an hour.
///
/// They capture habits that keep a fixed distance from waking up, an arrival or a Focus change, even if the clock time
/// varies.
struct RoutineCounts: Sendable, Equatable {
  static let reachSeconds = 3 * 3_600
  private static let binSeconds = 900
  private static let spread = 900.0
  private static let halfLife = Predictor.droppedHalfLife
  /// The minimum time between two events of one kind, in seconds; closer ones count as one.
  private static let pauseMin = 600
  /// The maximum number of event kinds. A further one replaces the rarest.
  private static let kindCountMax = 64

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

    /// The decayed number of occurrences at `time`.
    func occurrences(at time: Int) -> Float { occurrences * RoutineCounts.decayFactor(time - (lastTime ?? time)) }
  }

  private var kinds: [Kind] = []

  mutating func add(_ amount: Float, to action: Int, at moment: Moment, time: Int) {
    moment.forEachEvent { event in
      guard event.age < Self.reachSeconds else { return }
      let kind = index(of: event.kind, at: time)
      note(time - event.age, of: kind)
      let bin = event.age / Self.binSeconds
      if let place = kinds[kind].entries.firstIndex(where: { $0.action == action && $0.bin == bin }) {
        let entry = kinds[kind].entries[place]
        kinds[kind].entries[place].count = entry.count * Self.decayFactor(time - entry.time) + amount
        kinds[kind].entries[place].time = time
      } else {
        kinds[kind].entries.append(Entry(action: action, bin: bin, count: amount, time: time))
      }
    }
  }

  /// Returns the index of a kind, which replaces the one with the fewest recent occurrences if there are too many.
  private mutating func index(of number: Int, at time: Int) -> Int {
    if let index = kinds.firstIndex(where: { $0.number == number }) { return index }
    guard kinds.count == Self.kindCountMax else {
      kinds.append(Kind(number: number))
      return kinds.count - 1
    }
    var rarest = 0
    for index in kinds.indices where kinds[index].occurrences(at: time) < kinds[rarest].occurrences(at: time) {
      rarest = index
    }
    kinds[rarest] = Kind(number: number)
    return rarest
  }

  /// Counts an occurrence that started at `start`, unless it was counted before.
  private mutating func note(_ start: Int, of kind: Int) {
    let pause = start - (kinds[kind].lastTime ?? start)
    guard kinds[kind].lastTime == nil || pause >= Self.pauseMin else { return }
    kinds[kind].occurrences = kinds[kind].occurrences * Self.decayFactor(pause) + 1
    kinds[kind].lastTime = start
  }

  private func forEachKind(at moment: Moment, _ body: (_ event: Moment.Routine, _ kind: Int) -> Void) {
    moment.forEachEvent { event in
      guard event.age < Self.reachSeconds, let kind = kinds.firstIndex(where: { $0.number == event.kind }) else {
        return
      }
      body(event, kind)
    }
  }

  /// Adds the kernel-weighted counts at the moment's distance from its events.
  ///
  /// - Returns: `false` if there is no learned event within reach.
  func add(to vector: ActionRow, at moment: Moment, time: Int) -> Bool {
    var isFound = false
    forEachKind(at: moment) { event, kind in
      isFound = true
      for entry in kinds[kind].entries {
        let distance = Double(entry.bin * Self.binSeconds + Self.binSeconds / 2 - event.age) / Self.spread
        guard abs(distance) < 3 else { continue }
        let weight = Float(exponential(-0.5 * distance * distance))
        vector[entry.action] += entry.count * weight * Self.decayFactor(time - entry.time)
      }
    }
    return isFound
  }

  /// Raises each action's number to the fraction of the events of one kind after which it was used in the half hour
  /// that starts now, if that is higher.
  ///
  /// One additional event without any use is assumed, as a prior.
  ///
  /// - Parameter scratch: A row whose contents this replaces.
  /// - Returns: `false` if there is no learned event within reach.
  @discardableResult
  func addEventShares(to vector: ActionRow, at moment: Moment, time: Int, scratch: ActionRow) -> Bool {
    var isFound = false
    forEachKind(at: moment) { event, kind in
      isFound = true
      let events = kinds[kind].occurrences(at: time) + 1
      func overlap(_ entry: Entry) -> Int {
        let (start, end) = (entry.bin * Self.binSeconds, (entry.bin + 1) * Self.binSeconds)
        return min(end, event.age + Predictor.windowSeconds) - max(start, event.age)
      }
      let entries = kinds[kind].entries
      for entry in entries where overlap(entry) > 0 { scratch[entry.action] = 0 }
      for entry in entries {
        let overlap = overlap(entry)
        guard overlap > 0 else { continue }
        let share = Float(overlap) / Float(Self.binSeconds)
        scratch[entry.action] += entry.count * Self.decayFactor(time - entry.time) * share / events
      }
      let limit = (events - 0.5) / events
      for entry in entries where overlap(entry) > 0 {
        vector[entry.action] = max(vector[entry.action], min(scratch[entry.action], limit))
      }
    }
    return isFound
  }

  /// Returns by how much more often an action was done at this distance from an event than in the half hours around
  /// it, as a fraction of the events of that kind: near 1 for what follows an event, near 0 without relation to one.
  func sharpness(of action: Int, at moment: Moment, time: Int) -> Float {
    var best: Float = 0
    forEachKind(at: moment) { event, kind in
      var (near, flanks): (Float, Float) = (0, 0)
      let bin = event.age / Self.binSeconds
      for entry in kinds[kind].entries where entry.action == action {
        let count = entry.count * Self.decayFactor(time - entry.time)
        if abs(entry.bin - bin) <= 1 { near += count } else if abs(entry.bin - bin) <= 4 { flanks += count / 2 }
      }
      best = max(best, (near - flanks) / (kinds[kind].occurrences(at: time) + 0.5))
    }
    return min(1, best)
  }

  private static func decayFactor(_ age: Int) -> Float {
    Float(powerOfTwo(-Double(max(0, age)) / halfLife))
  }

  var byteCount: Int { kinds.reduce(0) { $0 + 24 + $1.entries.capacity * 32 } }
}
