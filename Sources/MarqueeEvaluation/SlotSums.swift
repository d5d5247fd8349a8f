/// The sums from which the predictor's figures for half hours are computed, by the offset of the question within the
/// half hours of the clock.
struct SlotSums: Additive {
  /// The number of offsets: full and half hours, and the quarters after them.
  static let offsetCount = HalfHourTask.windowSeconds / HalfHourTask.slotSeconds

  private struct Offset: Equatable {
    var activeCount = 0
    var hitCount = 0
    var topThreeCount = 0
    var reliability = Reliability()
  }

  private var offsets = [Offset](repeating: Offset(), count: offsetCount)

  mutating func add(top: [Int], confidence: Double?, done: [Int], second: Int) {
    let offset = second % HalfHourTask.windowSeconds / HalfHourTask.slotSeconds
    let isHit = top.first.map(done.contains) ?? false
    if !done.isEmpty {
      offsets[offset].activeCount += 1
      offsets[offset].hitCount += isHit ? 1 : 0
      offsets[offset].topThreeCount += top.prefix(3).count(where: done.contains)
    }
    if let confidence { offsets[offset].reliability.add(confidence, isTrue: isHit) }
  }

  static func += (one: inout Self, other: Self) {
    for index in one.offsets.indices {
      one.offsets[index].activeCount += other.offsets[index].activeCount
      one.offsets[index].hitCount += other.offsets[index].hitCount
      one.offsets[index].topThreeCount += other.offsets[index].topThreeCount
      one.offsets[index].reliability += other.offsets[index].reliability
    }
  }

  private func sum(_ offset: Int?) -> Offset {
    if let offset { return offsets[offset] }
    return offsets.reduce(into: Offset()) {
      $0.activeCount += $1.activeCount
      $0.hitCount += $1.hitCount
      $0.topThreeCount += $1.topThreeCount
      $0.reliability += $1.reliability
    }
  }

  /// Returns the number of questions with a claim, at one offset or at all.
  func claimCount(_ offset: Int? = nil) -> Int { sum(offset).reliability.count }

  /// Returns the number of half hours with any action, at one offset or at all.
  func activeCount(_ offset: Int? = nil) -> Int { sum(offset).activeCount }

  /// Returns the precision of the first action over half hours with any action.
  func precision1(_ offset: Int? = nil) -> Double? {
    let sum = sum(offset)
    return sum.activeCount == 0 ? nil : Double(sum.hitCount) / Double(sum.activeCount)
  }

  /// Returns the precision of the first three actions over half hours with any action.
  func precision3(_ offset: Int? = nil) -> Double? {
    let sum = sum(offset)
    return sum.activeCount == 0 ? nil : Double(sum.topThreeCount) / Double(3 * sum.activeCount)
  }

  /// Returns the calibration error of the first action's probability.
  func calibrationError(_ offset: Int? = nil) -> Double? { sum(offset).reliability.error }
}
