/// Predicts whether any action is done in the coming half hour.
struct ActivityModel: Sendable, Equatable {
  /// The features at a moment.
  struct Features {
    /// The features that depend on time alone.
    let clock: Lanes
    /// The same, with the time since the last action.
    let recent: Lanes
  }

  private static let slowKept: Float = 0.977
  private static let fastKept: Float = 0.9
  /// Active and idle counts by half hour, for working days and then days off; slowly decayed in lanes 0 and 1, quickly
  /// in lanes 2 and 3.
  private var cells = [SIMD4<Float>](repeating: .zero, count: 2 * ClockCounts.binCount)
  private var afterRoutine: [Int: [SIMD2<Float>]] = [:]
  private var recentShare: Float = 0.3
  private var clockModel = OnlineLogistic(weights: [0, 0.3, 0.2, 0, 0, 0, 0.5, 0.5], variance: 0.3)
  private var recentModel = OnlineLogistic(weights: [0, 0.3, 0.2, 0, 0, 0, 0.5, 0.5], variance: 0.3)

  /// Returns the features at a moment.
  ///
  /// - Parameters:
  ///   - dayRatio: The number of uses in the last day, divided by the daily mean of the last week.
  ///   - idle: The time since the last action, in seconds.
  func features(at moment: Moment, dayRatio: Float, idle: Int) -> Features {
    let near = near(at: moment)
    let slow = (near[0] + 0.3) / (near[0] + near[1] + 1)
    let fast = (near[2] + 0.3) / (near[2] + near[3] + 1)
    let own = cells[Self.cell(of: moment)]
    // The logarithms of all features are taken at once.
    var ratios = Lanes(repeating: 1)
    ratios[1] = OnlineLogistic.odds(slow)
    ratios[2] = OnlineLogistic.odds(fast)
    ratios[3] = OnlineLogistic.odds(recentShare)
    ratios[4] = 0.001 + dayRatio
    ratios[5] = Float(Double(idle) / 600 + 0.1)
    if let share = routineShare(at: moment) { ratios[6] = OnlineLogistic.odds(share) }
    ratios[7] = OnlineLogistic.odds((own[0] + 2 * slow) / (own[0] + own[1] + 2))
    var recent = logarithm(ratios)
    recent[0] = 1
    var clock = recent
    clock[5] = 0
    return Features(clock: clock, recent: recent)
  }

  func probability(_ features: Features, withRecency: Bool) -> Float {
    withRecency ? recentModel.probability(features.recent) : clockModel.probability(features.clock)
  }

  /// Learns whether any action was done in the half hour after `moment`.
  mutating func learn(_ features: Features, isActive: Bool, at moment: Moment) {
    clockModel.learn(features.clock, happened: isActive)
    recentModel.learn(features.recent, happened: isActive)
    recentShare += 0.006 * ((isActive ? 1 : 0) - recentShare)
    let kept = SIMD4<Float>(Self.slowKept, Self.slowKept, Self.fastKept, Self.fastKept)
    let cell = Self.cell(of: moment)
    cells[cell] = cells[cell] * kept + (isActive ? SIMD4(1, 0, 1, 0) : SIMD4(0, 1, 0, 1))
    guard let routine = moment.routine, let bin = Self.routineBin(routine) else { return }
    var bins = afterRoutine[routine.kind] ?? [SIMD2<Float>](repeating: .zero, count: Self.routineBinCount)
    bins[bin] = bins[bin] * Self.fastKept + (isActive ? SIMD2(1, 0) : SIMD2(0, 1))
    afterRoutine[routine.kind] = bins
  }

  private static func cell(of moment: Moment) -> Int {
    moment.second / ClockCounts.binSeconds + (moment.isDayOff ? ClockCounts.binCount : 0)
  }

  /// The offsets of the neighboring half hours that the kernel covers.
  private static let reach = -2...3

  /// Returns the kernel weights of the neighboring half hours at a second of the day.
  private static func weights(at second: Int) -> [Float] {
    let (step, rest) = second.quotientAndRemainder(dividingBy: Predictor.stepSeconds)
    return rest == 0 ? stepWeights[step] : kernel(at: second)
  }

  private static func kernel(at second: Int) -> [Float] {
    let (position, middle) = (Double(second) / Double(ClockCounts.binSeconds), second / ClockCounts.binSeconds)
    return reach.map { offset in
      let distance = Double(middle + offset) - position
      return Float(exponential(-0.5 * distance * distance))
    }
  }

  /// The kernel weights at the starts of steps, precomputed.
  private static let stepWeights = (0..<86_400 / Predictor.stepSeconds).map { kernel(at: $0 * Predictor.stepSeconds) }

  private func near(at moment: Moment) -> SIMD4<Float> {
    let middle = moment.second / ClockCounts.binSeconds
    let weights = Self.weights(at: moment.second)
    var near = SIMD4<Float>.zero
    for offset in Self.reach {
      let weight = weights[offset - Self.reach.lowerBound]
      let bin = (middle + offset + ClockCounts.binCount) % ClockCounts.binCount
      let (work, off) = (cells[bin], cells[bin + ClockCounts.binCount])
      let (same, other) = moment.isDayOff ? (off, work) : (work, off)
      near += (same + other * SIMD4(0.35, 0.35, 0.7, 0.7)) * weight
    }
    return near
  }

  private static let routineBinCount = RoutineCounts.reachSeconds / ClockCounts.binSeconds

  private static func routineBin(_ routine: Moment.Routine) -> Int? {
    let bin = routine.age / ClockCounts.binSeconds
    return bin < routineBinCount ? bin : nil
  }

  /// Returns the share of active half hours at the moment's distance from its routine event, or `nil` if none is known.
  private func routineShare(at moment: Moment) -> Float? {
    guard let routine = moment.routine, let bin = Self.routineBin(routine), let bins = afterRoutine[routine.kind]
    else { return nil }
    return (bins[bin][0] + 0.3) / (bins[bin][0] + bins[bin][1] + 1)
  }

  var byteCount: Int { cells.count * 16 + afterRoutine.count * (16 + Self.routineBinCount * 8) + 2 * 9 * 32 }
}
