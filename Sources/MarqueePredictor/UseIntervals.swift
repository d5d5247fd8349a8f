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

  @inline(__always) private static func cell(_ age: UInt8, share: Float) -> Int {
    Int(age) * shareCount + shareIndex(share)
  }

  /// How long ago each action was done, by powers of two: what chances at `time` rest on.
  func ages(at time: Int) -> [UInt8] { lastUse.map { UInt8(Self.ageIndex(time - $0)) } }

  /// Counts that of all `candidates`, with their shares of use, `action` was used at `time`.
  mutating func use(_ action: Int, candidates: [Bool], shares: Column, time: Int) {
    let ages = ages(at: time)
    for candidate in candidates.indices where candidates[candidate] {
      exposures[Self.cell(ages[candidate], share: shares[candidate])] += 1
    }
    if candidates.indices.contains(action), candidates[action] {
      hits[Self.cell(ages[action], share: shares[action])] += 1
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
  var hazards: [Float] {
    var chances = hits
    for share in 0..<Self.shareCount {
      let prior = 2 * Float(bitPattern: UInt32(127 - share) << 23)
      for cell in stride(from: share, to: chances.count, by: Self.shareCount) {
        chances[cell] = (chances[cell] + prior) / (exposures[cell] + 2)
      }
    }
    return chances
  }

  /// Writes the chance of each action by its age, among all that are as frequent: one of ``hazards``.
  func write(_ hazards: [Float], to column: inout Column, shares: Column, ages: [UInt8]) {
    for action in ages.indices { column[action] = hazards[Self.cell(ages[action], share: shares[action])] }
  }

  /// Writes the chance of each action in each minute of its age, by its own intervals; `column` holds the priors.
  func writeOwnRates(to column: inout Column, ages: [UInt8]) {
    for action in ages.indices {
      let age = Int(ages[action])
      let first = action * (Self.ageCount + 1) + age
      let ended = reached[first] - reached[first + 1]
      // The width of the age's class: a power of two, so dividing by it is exact.
      let width = Float(bitPattern: UInt32(127 + age) << 23)
      column[action] = (ended + 2 * column[action]) / ((reached[first] + 2) * width)
    }
  }

  var byteCount: Int { lastUse.capacity * 8 + reached.capacity * 4 + Self.ageCount * Self.shareCount * 8 }
}
