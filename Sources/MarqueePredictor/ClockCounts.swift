/// When in the day and week each action happened: fading counts per half hour and weekday.
///
/// Each half hour keeps only the actions that ever happened in it, so memory grows with habits, not with actions.
struct ClockCounts: Sendable, Equatable {
  static let binCount = 48
  static let binSeconds = 1_800
  /// How far uses count for times of day around them: the standard deviation of the kernel.
  private static let spread = 2_700.0
  private static let reach = 4
  private static let slowHalfLife = 45.0 * 86_400
  private static let fastHalfLife = 5.0 * 86_400

  private struct Bin: Sendable, Equatable {
    var actions: [UInt16] = []
    /// Lanes 0 to 6 are the weekdays and fade slowly; lane 7 is every day and fades fast.
    var counts: [Lanes] = []
  }

  private var bins = [Bin](repeating: Bin(), count: Self.binCount)
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

    fileprivate mutating func add(_ actions: [UInt16], _ uses: [Lanes], times weight: Lanes) {
      counts.withUnsafeMutableBufferPointer { counts in
        for index in actions.indices {
          let action = Int(actions[index])
          counts[action] += uses[index] * weight
          isUsed[action >> 3] = true
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
    let bin = moment.second / Self.binSeconds
    let place =
      bins[bin].actions.firstIndex(of: UInt16(action))
      ?? {
        bins[bin].actions.append(UInt16(action))
        bins[bin].counts.append(.zero)
        return bins[bin].actions.count - 1
      }()
    bins[bin].counts[place][moment.weekday] += amount * slow
    bins[bin].counts[place][7] += amount * fast
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
    for offset in -Self.reach...Self.reach {
      let bin = bins[(middle + offset + Self.binCount) % Self.binCount]
      near.add(bin.actions, bin.counts, times: units * weights[offset + Self.reach])
    }
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
      let bin = bins[(bin + offset) % Self.binCount]
      for index in bin.actions.indices { column[Int(bin.actions[index])] += total(bin.counts[index] * weight) }
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
    for bin in bins.indices {
      for index in bins[bin].counts.indices {
        let scaled = bins[bin].counts[index] * scale
        bins[bin].counts[index] = scaled.replacing(with: 0, where: scaled .< 1e-20)
      }
    }
    days *= scale
    self.slowReference = time
    fastReference = time
    return (1, 1)
  }

  /// The bytes that the counts take.
  var byteCount: Int {
    bins.reduce(0) { $0 + 16 + $1.actions.capacity * 2 + $1.counts.capacity * 32 }
  }
}
