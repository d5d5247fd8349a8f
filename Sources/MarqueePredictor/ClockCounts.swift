/// When in the day and week each action happened: fading counts per half hour and weekday.
///
/// Each half hour keeps only the actions that ever happened in it, so memory grows with habits, not with actions. All
/// lie side by side, in the order of the half hours, since those around a time are what is asked for.
struct ClockCounts: Sendable, Equatable {
  static let binCount = 48
  static let binSeconds = 1_800
  /// How far uses count for times of day around them: the standard deviation of the kernel.
  private static let spread = 2_700.0
  private static let reach = 4
  private static let slowHalfLife = 45.0 * 86_400
  private static let fastHalfLife = 5.0 * 86_400

  private var actions: [UInt16] = []
  /// Lanes 0 to 6 are the weekdays and fade slowly; lane 7 is every day and fades fast.
  private var counts: [Lanes] = []
  /// Where each half hour's actions begin, and last of all where they end.
  private var starts = [Int](repeating: 0, count: Self.binCount + 1)
  private var slowReference: Int?
  private var fastReference = 0
  /// The days on which anything was done, in the lanes and scales of the counts; the last one is not in yet.
  private var days = Lanes.zero
  private var openDay: Moment?

  /// Counts of all actions around a time of day, per weekday, in units of one use at that moment.
  struct Near {
    fileprivate(set) var counts: [Lanes]
    /// Whether any action of each chunk was used around that time at all.
    fileprivate(set) var isUsed: [Bool]

    /// No use of so many times eight actions.
    init(chunkCount: Int) {
      counts = [Lanes](repeating: .zero, count: chunkCount * 8)
      isUsed = [Bool](repeating: false, count: chunkCount)
    }

    /// Adds the uses that a row of half hours has, in units of their own and each half hour by its weight.
    fileprivate mutating func add(_ clock: ClockCounts, from first: Int, times weights: [Float], units: Lanes) {
      counts.withUnsafeMutableBufferPointer { counts in
        for (offset, weight) in weights.enumerated() {
          let weight = units * weight
          for place in clock.range(first + offset) {
            let action = Int(clock.actions[place])
            counts[action] += clock.counts[place] * weight
            isUsed[action >> 3] = true
          }
        }
      }
    }

    fileprivate mutating func clear() {
      for chunk in isUsed.indices where isUsed[chunk] {
        for lane in 0..<8 { counts[chunk * 8 + lane] = .zero }
        isUsed[chunk] = false
      }
    }

    /// Adds the uses by the weights of their lanes to what the column holds.
    func add(to column: inout Column, weights: Lanes) {
      counts.withUnsafeBufferPointer { counts in
        for chunk in isUsed.indices where isUsed[chunk] {
          column.lanes[chunk] += totals(counts, from: chunk * 8, times: weights)
        }
      }
    }

    /// Adds the uses of the last days, whichever they are, to what the column holds.
    func addLatest(to column: inout Column) {
      for chunk in isUsed.indices where isUsed[chunk] {
        var sums = Lanes.zero
        for lane in 0..<8 { sums[lane] = counts[chunk * 8 + lane][7] }
        column.lanes[chunk] += sums
      }
    }
  }

  /// The weights of `weekday` itself, of days of its kind (working, off), and of the others.
  static func weights(weekday: Int, sameKind: Float, otherKind: Float) -> Lanes {
    var weights = Lanes.zero
    for day in 0..<7 {
      weights[day] = (day >= 5) == (weekday >= 5) ? sameKind : otherKind
    }
    weights[weekday] = 1
    return weights
  }

  mutating func add(_ amount: Float, to action: Int, at moment: Moment, time: Int) {
    let (slow, fast) = scales(at: time)
    if let openDay, openDay.day != moment.day {
      days[openDay.weekday] += slow
      days[7] += fast
    }
    openDay = moment
    let place = place(of: UInt16(action), in: moment.second / Self.binSeconds)
    counts[place][moment.weekday] += amount * slow
    counts[place][7] += amount * fast
  }

  /// The actions of a half hour; those of the next day follow the last one's.
  private func range(_ bin: Int) -> Range<Int> {
    let bin = bin < 0 ? bin + Self.binCount : bin % Self.binCount
    return starts[bin]..<starts[bin + 1]
  }

  /// Where the action's counts in a half hour are, which are made if there are none.
  private mutating func place(of action: UInt16, in bin: Int) -> Int {
    let range = range(bin)
    if let place = actions[range].firstIndex(of: action) { return place }
    actions.insert(action, at: range.upperBound)
    counts.insert(.zero, at: range.upperBound)
    for later in (bin + 1)..<starts.count { starts[later] += 1 }
    return range.upperBound
  }

  /// How much each of the bins around counts for a moment so many seconds after the start of its own.
  private static func weights(around second: Int) -> [Float] {
    let (step, rest) = second.quotientAndRemainder(dividingBy: Predictor.stepSeconds)
    return rest == 0 ? stepWeights[step] : kernel(around: second)
  }

  private static func kernel(around second: Int) -> [Float] {
    (-reach...reach).map { offset in
      let distance = Double(offset * binSeconds + binSeconds / 2 - second) / spread
      return Float(exponential(-0.5 * distance * distance))
    }
  }

  /// The kernel at the starts of steps, which is asked for most.
  private static let stepWeights = (0..<binSeconds / Predictor.stepSeconds).map {
    kernel(around: $0 * Predictor.stepSeconds)
  }

  /// Sets the counts to those around a time of day.
  func find(_ near: inout Near, second: Int, time: Int) {
    near.clear()
    guard let slowReference else { return }
    let slow = Float(powerOfTwo(Double(slowReference - time) / Self.slowHalfLife))
    let fast = Float(powerOfTwo(Double(fastReference - time) / Self.fastHalfLife))
    var units = Lanes(repeating: slow)
    units[7] = fast
    let middle = second / Self.binSeconds
    let weights = Self.weights(around: second - middle * Self.binSeconds)
    near.add(self, from: middle - Self.reach, times: weights, units: units)
  }

  /// Adds, for each action, the share of days like `weekday` on which it was used in the half hour from `second`.
  ///
  /// Days of the other kind (working, off) count a fifth. One more day without any use is assumed.
  func addDayShares(to column: inout Column, second: Int, weekday: Int, time: Int) {
    guard let slowReference else { return }
    let weights = Self.weights(weekday: weekday, sameKind: 1, otherKind: 0.2)
    let day = Float(powerOfTwo(min(100, Double(time - slowReference) / Self.slowHalfLife)))
    let scale = weights / (total(days * weights) + day)
    let bin = second / Self.binSeconds
    let second = second - bin * Self.binSeconds
    for (offset, overlap) in [(0, Self.binSeconds - second), (1, second)] where overlap > 0 {
      let weight = scale * (Float(overlap) / Float(Self.binSeconds))
      for index in range(bin + offset) { column[Int(actions[index])] += total(counts[index] * weight) }
    }
  }

  /// What a use at `time` counts for, after a reset of the scales where they would overflow.
  private mutating func scales(at time: Int) -> (slow: Float, fast: Float) {
    guard let slowReference else {
      slowReference = time
      fastReference = time
      return (1, 1)
    }
    let slowAge = Double(time - slowReference) / Self.slowHalfLife
    let fastAge = Double(time - fastReference) / Self.fastHalfLife
    guard slowAge > 40 || fastAge > 40 else {
      return (Float(powerOfTwo(slowAge)), Float(powerOfTwo(fastAge)))
    }
    var scale = Lanes(repeating: Float(powerOfTwo(-min(slowAge, 120))))
    scale[7] = Float(powerOfTwo(-min(fastAge, 120)))
    for index in counts.indices {
      let scaled = counts[index] * scale
      counts[index] = scaled.replacing(with: 0, where: scaled .< 1e-20)
    }
    days *= scale
    self.slowReference = time
    fastReference = time
    return (1, 1)
  }

  /// The bytes that the counts take.
  var byteCount: Int { starts.capacity * 8 + actions.capacity * 2 + counts.capacity * 32 }
}
