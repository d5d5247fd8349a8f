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

    /// Raises numbers to the fractions of the events; see ``RoutineCounts/addEventShares(to:at:time:scratch:)``.
    func addEventShares(to vector: ActionRow, age: Int, time: Int, scratch: ActionRow) {
      let events = occurrences(at: time) + 1
      let limit = (events - 0.5) / events
      // The bins that the half hour overlaps are consecutive.
      let first = age / RoutineCounts.binSeconds
      let bins = first...(age + Predictor.windowSeconds - 1) / RoutineCounts.binSeconds
      entries.withUnsafeBufferPointer { entries in
        for index in entries.indices where bins ~= entries[index].bin { scratch[entries[index].action] = 0 }
        for index in entries.indices where bins ~= entries[index].bin {
          let entry = entries[index]
          let start = entry.bin * RoutineCounts.binSeconds
          let end = min(start + RoutineCounts.binSeconds, age + Predictor.windowSeconds)
          let share = Float(end - max(start, age)) / Float(RoutineCounts.binSeconds)
          scratch[entry.action] += entry.count * RoutineCounts.decayFactor(time - entry.time) * share / events
        }
        for index in entries.indices where bins ~= entries[index].bin {
          let action = entries[index].action
          vector[action] = max(vector[action], min(scratch[action], limit))
        }
      }
    }
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

  private static let binCount = reachSeconds / binSeconds

  /// Whether there is a learned event within reach.
  func hasEvent(at moment: Moment) -> Bool {
    var isFound = false
    forEachKind(at: moment) { _, _ in isFound = true }
    return isFound
  }

  /// Adds the kernel-weighted counts at the moment's distance from its events.
  func add(to vector: ActionRow, at moment: Moment, time: Int) {
    forEachKind(at: moment) { event, kind in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.binCount) { weights in
        Self.writeWeights(to: weights, age: event.age)
        kinds[kind].entries.withUnsafeBufferPointer { entries in
          for index in entries.indices where weights[entries[index].bin] > 0 {
            let entry = entries[index]
            vector[entry.action] += entry.count * weights[entry.bin] * Self.decayFactor(time - entry.time)
          }
        }
      }
    }
  }

  /// Sets `weights` to the kernel weight of each bin at a time since the event, and to 0 for those out of reach.
  private static func writeWeights(to weights: UnsafeMutableBufferPointer<Float>, age: Int) {
    for bin in 0..<binCount {
      let distance = Double(bin * binSeconds + binSeconds / 2 - age) / spread
      weights[bin] = abs(distance) < 3 ? Float(exponential(-0.5 * distance * distance)) : 0
    }
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
      kinds[kind].addEventShares(to: vector, age: event.age, time: time, scratch: scratch)
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
