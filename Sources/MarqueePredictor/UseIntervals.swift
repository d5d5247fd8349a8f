/// The return rates of actions by the time since their last use: of each action by itself, and pooled by frequency.
///
/// Ages are classes of powers of two of a minute. The rate at an age is the number of returns divided by the number of
/// intervals that reached it.
struct UseIntervals: Sendable, Equatable {
  private static let ageCount = 16
  private static let shareCount = 10
  /// The share of an action's own intervals that must have ended by an age for the action to be predicted at it.
  private static let shortShare: Float = 0.03

  private(set) var lastUse: [Int] = []
  /// The number of each action's intervals that reached each age.
  private var reached: [Float] = []
  private var hits = [Float](repeating: 0, count: Self.ageCount * Self.shareCount)
  private var exposures = [Float](repeating: 0, count: Self.ageCount * Self.shareCount)

  static let neverUsed = Int.min / 2

  mutating func grow(to actionCount: Int) {
    while lastUse.count < actionCount {
      lastUse.append(Self.neverUsed)
      reached.append(contentsOf: repeatElement(0, count: Self.ageCount + 1))
    }
  }

  /// Returns the age class of a time in seconds: the binary logarithm of its minutes.
  @inline(__always) private static func ageIndex(_ seconds: Int) -> Int {
    let minutes = 1 + Float(max(0, seconds)) / 60
    return min(Int(minutes.bitPattern >> 23) - 127, ageCount - 1)
  }

  /// Returns the class of a share below 1: the negated binary logarithm.
  @inline(__always) private static func shareIndex(_ share: Float) -> Int {
    min(max(0, 126 - Int(share.bitPattern >> 23)), shareCount - 1)
  }

  private func cell(_ action: Int, share: Float, at time: Int) -> Int {
    Self.ageIndex(time - lastUse[action]) * Self.shareCount + Self.shareIndex(share)
  }

  /// The return rates of all actions at one time, with the inputs needed to update them.
  struct Returns {
    /// The return rate by age, pooled over actions of similar frequency.
    fileprivate(set) var pooled: ActionVector
    /// The return rate per minute by age, from the action's own intervals.
    fileprivate(set) var own: ActionVector
    /// The prior share of each action.
    fileprivate let base: ActionVector
    /// The share class of each action.
    fileprivate let shareIndexes: [UInt8]
    fileprivate let hazards: [Float]
    fileprivate var time: Int
    /// When each action reaches its next age class.
    fileprivate var ageEnds: [Int]
  }

  /// Returns the return rates for the given shares of use, which ``advance(_:to:)`` must bring to a time.
  func returns(shares: ActionVector, base: ActionVector) -> Returns {
    Returns(
      pooled: base, own: base, base: base, shareIndexes: lastUse.indices.map { UInt8(Self.shareIndex(shares[$0])) },
      hazards: hazards, time: .min, ageEnds: [Int](repeating: .min, count: lastUse.count))
  }

  /// Advances return rates to another time, and returns whether any rate changed. Nothing may have been learned in
  /// between.
  func advance(_ returns: inout Returns, to time: Int) -> Bool {
    if time < returns.time { returns.ageEnds = [Int](repeating: .min, count: lastUse.count) }
    returns.time = time
    var hasChanged = false
    returns.ageEnds.withUnsafeMutableBufferPointer { ends in
      for action in ends.indices where ends[action] <= time {
        let age = Self.ageIndex(time - lastUse[action])
        // Age class 0 lasts one minute, and each further class twice as long as the previous one.
        ends[action] = age == Self.ageCount - 1 ? .max : lastUse[action] + 60 * ((2 << age) - 1)
        returns.pooled[action] = returns.hazards[age * Self.shareCount + Int(returns.shareIndexes[action])]
        returns.own[action] = ownRate(action, age: age, prior: returns.base[action])
        hasChanged = true
      }
    }
    return hasChanged
  }

  /// Returns the return rate per minute of an action at an age, from its own intervals.
  @inline(__always) private func ownRate(_ action: Int, age: Int, prior: Float) -> Float {
    let first = action * (Self.ageCount + 1) + age
    let ended = reached[first] - reached[first + 1]
    // The width of the age class is a power of two, so the division is exact.
    let width = Float(bitPattern: UInt32(127 + age) << 23)
    return (ended + 2 * prior) / ((reached[first] + 2) * width)
  }

  /// Counts that `action`, out of all `candidates` with their shares of use, was used at `time`.
  mutating func use(_ action: Int, candidates: [Bool], shares: ActionVector, time: Int) {
    for candidate in candidates.indices where candidates[candidate] {
      exposures[cell(candidate, share: shares[candidate], at: time)] += 1
    }
    if candidates.indices.contains(action), candidates[action] {
      hits[cell(action, share: shares[action], at: time)] += 1
    }
  }

  /// Counts the end of the action's own interval.
  mutating func note(_ action: Int, at time: Int) {
    if lastUse[action] != Self.neverUsed {
      let first = action * (Self.ageCount + 1)
      for age in 0...Self.ageIndex(time - lastUse[action]) { reached[first + age] += 1 }
    }
    lastUse[action] = time
  }

  /// Sets the probabilities of actions to 0 whose own intervals hardly ever ended as early as in the coming half hour
  /// (rule P4).
  func suppress(_ probabilities: inout [Lanes], time: Int) {
    for action in lastUse.indices where probabilities[action >> 3][action & 7] > 0 {
      let first = action * (Self.ageCount + 1)
      let age = Self.ageIndex(time - lastUse[action] + Predictor.windowSeconds)
      let ended = reached[first] - reached[first + age + 1]
      if ended < Self.shortShare * reached[first] { probabilities[action >> 3][action & 7] = 0 }
    }
  }

  /// The return rate by age class and share class.
  private var hazards: [Float] {
    var chances = hits
    for share in 0..<Self.shareCount {
      let prior = 2 * Float(bitPattern: UInt32(127 - share) << 23)
      for cell in stride(from: share, to: chances.count, by: Self.shareCount) {
        chances[cell] = (chances[cell] + prior) / (exposures[cell] + 2)
      }
    }
    return chances
  }

  var byteCount: Int { lastUse.capacity * 8 + reached.capacity * 4 + Self.ageCount * Self.shareCount * 8 }
}
