/// Exponentially decayed counts of each action by half hour and weekday.
///
/// Each half hour stores only the actions that occurred in it, so memory grows with habits rather than with actions.
/// The half hours are stored contiguously and in order, since lookups read neighboring ones.
struct ClockCounts: Sendable, Equatable {
  static let binCount = 48
  static let binSeconds = 1_800
  /// The standard deviation of the kernel over the time of day, in seconds.
  private static let spread = 2_700.0
  private static let reach = 4
  private static let slowHalfLife = 45.0 * 86_400
  private static let fastHalfLife = 5.0 * 86_400

  private var actions: [UInt16] = []
  /// Lanes 0 to 6 are the weekdays, decayed slowly; lane 7 is all days, decayed quickly.
  private var counts: [Lanes] = []
  /// The start index of each half hour in ``actions``, followed by the end index of the last.
  private var starts = [Int](repeating: 0, count: Self.binCount + 1)
  private var slowReference: Int?
  private var fastReference = 0

  /// The kernel-weighted counts of all actions around a time of day, by weekday, in units of one use now.
  struct Near {
    /// The number of rows of a workspace that the counts use.
    static let rowCount = 9

    /// The counts of each action. Those of a chunk of eight actions are unspecified until it is used.
    private let counts: UnsafeMutableBufferPointer<Lanes>
    /// Whether any action of each chunk was used around that time.
    private let isUsed: UnsafeMutableBufferPointer<Bool>

    /// Creates empty counts.
    init(in workspace: inout Workspace) {
      counts = workspace.numbers(8 * workspace.chunkCount, of: Lanes.self)
      isUsed = workspace.numbers(workspace.chunkCount, of: Bool.self)
      isUsed.update(repeating: false)
    }

    /// Adds the counts of consecutive half hours, each multiplied by its weight and by `units` per lane.
    fileprivate func add(_ clock: ClockCounts, from first: Int, times weights: [Float], units: Lanes) {
      clock.actions.withUnsafeBufferPointer { actions in
        clock.counts.withUnsafeBufferPointer { added in
          for (offset, weight) in weights.enumerated() {
            let weight = units * weight
            for place in clock.range(first + offset) {
              let action = Int(actions[place])
              use(action >> 3)
              counts[action] += added[place] * weight
            }
          }
        }
      }
    }

    /// Sets the counts of a chunk to 0 unless it was used before.
    @inline(__always) private func use(_ chunk: Int) {
      guard !isUsed[chunk] else { return }
      for lane in 0..<8 { counts[chunk * 8 + lane] = .zero }
      isUsed[chunk] = true
    }

    fileprivate func clear() { isUsed.update(repeating: false) }

    /// Adds the counts to `vector`, with the given weight of each weekday.
    func add(to vector: ActionRow, weights: Lanes) {
      for chunk in vector.chunks where isUsed[chunk] {
        vector[chunk: chunk] += totals(UnsafeBufferPointer(counts), from: chunk * 8, times: weights)
      }
    }

    /// Adds the quickly decayed counts of all days to `vector`.
    func addLatest(to vector: ActionRow) {
      for chunk in vector.chunks where isUsed[chunk] {
        var sums = Lanes.zero
        for lane in 0..<8 { sums[lane] = counts[chunk * 8 + lane][7] }
        vector[chunk: chunk] += sums
      }
    }
  }

  /// Returns the weights of all weekdays: 1 for `weekday`, and the given ones for days of the same kind (working, off)
  /// and of the other kind.
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
    let place = place(of: UInt16(action), in: moment.second / Self.binSeconds)
    counts[place][moment.weekday] += amount * slow
    counts[place][7] += amount * fast
  }

  /// Returns the index range of a half hour's actions; half hours wrap around at midnight.
  private func range(_ bin: Int) -> Range<Int> {
    let bin = bin < 0 ? bin + Self.binCount : bin % Self.binCount
    return starts[bin]..<starts[bin + 1]
  }

  /// Returns the index of an action's counts in a half hour, inserting zero counts if necessary.
  private mutating func place(of action: UInt16, in bin: Int) -> Int {
    let range = range(bin)
    if let place = actions[range].firstIndex(of: action) { return place }
    actions.insert(action, at: range.upperBound)
    counts.insert(.zero, at: range.upperBound)
    for later in (bin + 1)..<starts.count { starts[later] += 1 }
    return range.upperBound
  }

  /// Returns the kernel weights of the neighboring half hours, given the offset in seconds within the current one.
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

  /// The kernel weights at the starts of steps, precomputed.
  private static let stepWeights = (0..<binSeconds / Predictor.stepSeconds).map {
    kernel(around: $0 * Predictor.stepSeconds)
  }

  /// Sets `near` to the counts around a time of day.
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

  /// Returns the weight of a use at `time`, rescaling the counts before they overflow.
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
    self.slowReference = time
    fastReference = time
    return (1, 1)
  }

  /// The memory used, in bytes.
  var byteCount: Int { starts.capacity * 8 + actions.capacity * 2 + counts.capacity * 32 }
}
