/// How long actions stay away before they come back: of each by itself, and of all that are as frequent.
///
/// Ages are counted in powers of two of a minute, so the chance that an action comes back now is
/// uses at that age ÷ uses that reached that age.
struct UseIntervals: Sendable, Equatable {
  private static let ageCount = 16
  private static let shareCount = 10

  private(set) var lastUse: [Int] = []
  /// Of each action, how many of its intervals reached each age.
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

  /// The power of two of an age in minutes, as an index.
  @inline(__always) private static func ageIndex(_ seconds: Int) -> Int {
    let minutes = 1 + Float(max(0, seconds)) / 60
    return min(Int(minutes.bitPattern >> 23) - 127, ageCount - 1)
  }

  /// The power of two of a share below 1, as an index.
  @inline(__always) private static func shareIndex(_ share: Float) -> Int {
    min(max(0, 126 - Int(share.bitPattern >> 23)), shareCount - 1)
  }

  private func cell(_ action: Int, share: Float, at time: Int) -> Int {
    Self.ageIndex(time - lastUse[action]) * Self.shareCount + Self.shareIndex(share)
  }

  /// The chances at one time that actions come back, and what they rest on.
  struct Returns {
    /// Each one's chance by its age, among all that are as frequent.
    fileprivate(set) var pooled: Column
    /// The same in each minute of its age, by its own intervals.
    fileprivate(set) var own: Column
    /// What is expected of each action while more is not known.
    fileprivate let base: Column
    /// The powers of two of the actions' shares of use.
    fileprivate let shareIndexes: [UInt8]
    fileprivate let hazards: [Float]
    fileprivate var time: Int
    /// When each action's age comes to its next power of two.
    fileprivate var ageEnds: [Int]
  }

  /// The chances of actions with such shares of use, which still have to be brought to a time.
  func returns(shares: Column, base: Column) -> Returns {
    Returns(
      pooled: base, own: base, base: base, shareIndexes: lastUse.indices.map { UInt8(Self.shareIndex(shares[$0])) },
      hazards: hazards, time: .min, ageEnds: [Int](repeating: .min, count: lastUse.count))
  }

  /// Brings chances since which nothing was learned to another time; says whether any is another one then.
  func advance(_ returns: inout Returns, to time: Int) -> Bool {
    if time < returns.time { returns.ageEnds = [Int](repeating: .min, count: lastUse.count) }
    returns.time = time
    var hasChanged = false
    returns.ageEnds.withUnsafeMutableBufferPointer { ends in
      for action in ends.indices where ends[action] <= time {
        let age = Self.ageIndex(time - lastUse[action])
        // A minute is age 0, and each age lasts twice as long as the one before.
        ends[action] = age == Self.ageCount - 1 ? .max : lastUse[action] + 60 * ((2 << age) - 1)
        returns.pooled[action] = returns.hazards[age * Self.shareCount + Int(returns.shareIndexes[action])]
        returns.own[action] = ownRate(action, age: age, prior: returns.base[action])
        hasChanged = true
      }
    }
    return hasChanged
  }

  /// The chance of an action in each minute of its age, by its own intervals.
  @inline(__always) private func ownRate(_ action: Int, age: Int, prior: Float) -> Float {
    let first = action * (Self.ageCount + 1) + age
    let ended = reached[first] - reached[first + 1]
    // The width of the age's class: a power of two, so dividing by it is exact.
    let width = Float(bitPattern: UInt32(127 + age) << 23)
    return (ended + 2 * prior) / ((reached[first] + 2) * width)
  }

  /// Counts that of all `candidates`, with their shares of use, `action` was used at `time`.
  mutating func use(_ action: Int, candidates: [Bool], shares: Column, time: Int) {
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

  /// The chance that an action comes back, by its age and its share of use.
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
