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
    return min(Int(minutes.bitPattern &>> 23) &- 127, ageCount - 1)
  }

  /// Returns the class of a share below 1: the negated binary logarithm.
  @inline(__always) private static func shareIndex(_ share: Float) -> Int {
    min(max(0, 126 &- Int(share.bitPattern &>> 23)), shareCount - 1)
  }

  /// The return rates of all actions at one time, with the inputs needed to update them.
  struct Returns {
    /// The return rate by age, pooled over actions of similar frequency.
    let pooled: ActionRow
    /// The return rate per minute by age, from the action's own intervals.
    let own: ActionRow
    /// The prior share of each action.
    fileprivate let base: ActionRow
    /// The share of use of each action.
    fileprivate let shares: ActionRow
    fileprivate var time: Int
    /// The cell of each action's age and share.
    fileprivate let cells: UnsafeMutableBufferPointer<UInt8>
    /// When each action reaches its next age class.
    fileprivate let ageEnds: UnsafeMutableBufferPointer<Int>
    /// The first of the ``ageEnds`` of each chunk.
    fileprivate let chunkEnds: UnsafeMutableBufferPointer<Int>
    /// The first of ``ageEnds``.
    fileprivate var firstEnd: Int
    /// 0 for actions that are not predicted because their own intervals hardly ever ended as early, 1 for others.
    fileprivate let kept: ActionRow
    /// When each number in ``kept`` can change.
    fileprivate let keptEnds: UnsafeMutableBufferPointer<Int>
    fileprivate var firstKeptEnd: Int
  }

  /// Returns the return rates for the given shares of use, which ``advance(_:to:)`` must bring to a time.
  func returns(shares: ActionRow, base: ActionRow, in workspace: inout Workspace) -> Returns {
    let (pooled, own) = (workspace.row(), workspace.row())
    pooled.assign(base)
    own.assign(base)
    let ends = workspace.numbers(lastUse.count, of: Int.self)
    let chunkEnds = workspace.numbers(workspace.chunkCount, of: Int.self)
    ends.update(repeating: .min)
    chunkEnds.update(repeating: .min)
    return Returns(
      pooled: pooled, own: own, base: base, shares: shares, time: .min,
      cells: workspace.numbers(lastUse.count, of: UInt8.self), ageEnds: ends, chunkEnds: chunkEnds, firstEnd: .min,
      kept: workspace.row(),
      keptEnds: workspace.numbers(lastUse.count, of: Int.self), firstKeptEnd: .min)
  }

  /// Advances return rates to another time, and returns whether any rate changed. Nothing may have been learned in
  /// between.
  func advance(_ returns: inout Returns, to time: Int) -> Bool {
    if time < returns.time {
      returns.ageEnds.update(repeating: .min)
      returns.chunkEnds.update(repeating: .min)
      (returns.firstEnd, returns.firstKeptEnd) = (.min, .min)
    }
    returns.time = time
    guard returns.firstEnd <= time else { return false }
    returns.firstEnd = hits.withUnsafeBufferPointer { hits in
      exposures.withUnsafeBufferPointer { exposures in
        advance(returns, to: time) { cell, prior in (hits[cell] + prior) / (exposures[cell] + 2) }
      }
    }
    return true
  }

  /// Computes the return rates of the actions that reached their next age class, and returns when the next one does.
  ///
  /// - Parameter pooledRate: Returns the pooled rate of a cell with a prior.
  @inline(__always) private func advance(
    _ returns: Returns, to time: Int, pooledRate: (_ cell: Int, _ prior: Float) -> Float
  ) -> Int {
    // Copies of the rows, which the compiler would otherwise load again for each action.
    let (ageEnds, chunkEnds) = (returns.ageEnds, returns.chunkEnds)
    let (cells, shares, base) = (returns.cells, returns.shares, returns.base)
    let (pooled, own) = (returns.pooled, returns.own)
    return lastUse.withUnsafeBufferPointer { lastUse in
      reached.withUnsafeBufferPointer { reached in
        var firstEnd = Int.max
        for chunk in chunkEnds.indices {
          var chunkEnd = chunkEnds[chunk]
          if chunkEnd <= time {
            chunkEnd = .max
            for action in 8 &* chunk..<min(8 &* chunk &+ 8, lastUse.count) {
              var end = ageEnds[action]
              if end <= time {
                let age = Self.ageIndex(time &- lastUse[action])
                // Age class 0 lasts one minute, and each further class twice as long as the previous one.
                end = age == Self.ageCount - 1 ? .max : lastUse[action] &+ 60 &* ((2 &<< age) &- 1)
                ageEnds[action] = end
                let share = Self.shareIndex(shares[action])
                let cell = age &* Self.shareCount &+ share
                cells[action] = UInt8(truncatingIfNeeded: cell)
                pooled[action] = pooledRate(cell, 2 * Self.powerOfTwo(-share))
                let first = action &* (Self.ageCount + 1) &+ age
                own[action] = Self.ownRate(
                  reached[first], ended: reached[first] - reached[first &+ 1], age: age, prior: base[action])
              }
              chunkEnd = min(chunkEnd, end)
            }
            chunkEnds[chunk] = chunkEnd
          }
          firstEnd = min(firstEnd, chunkEnd)
        }
        return firstEnd
      }
    }
  }

  /// Returns the return rate per minute of an action at an age, from its own intervals that reached the age, and those
  /// that ended at it.
  @inline(__always) private static func ownRate(_ reached: Float, ended: Float, age: Int, prior: Float) -> Float {
    // The width of the age class is a power of two, so the division is exact.
    (ended + 2 * prior) / ((reached + 2) * powerOfTwo(age))
  }

  @inline(__always) private static func powerOfTwo(_ exponent: Int) -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: 127 &+ exponent) &<< 23)
  }

  /// Counts that `action`, out of all known actions but `excluded`, was used, at the time of return rates.
  mutating func use(_ action: Int, isKnown: [Bool], excluding excluded: Int, returns: Returns) {
    exposures.withUnsafeMutableBufferPointer { exposures in
      isKnown.withUnsafeBufferPointer { isKnown in
        for candidate in isKnown.indices where isKnown[candidate] && candidate != excluded {
          exposures[Int(returns.cells[candidate])] += 1
        }
      }
    }
    if action != excluded { hits[Int(returns.cells[action])] += 1 }
  }

  /// Counts the end of the action's own interval.
  mutating func note(_ action: Int, at time: Int) {
    if lastUse[action] != Self.neverUsed {
      let first = action * (Self.ageCount + 1)
      for age in 0...Self.ageIndex(time - lastUse[action]) { reached[first + age] += 1 }
    }
    lastUse[action] = time
  }

  /// Sets the probabilities of actions to 0 whose own intervals hardly ever ended as early as in the half hour from the
  /// time of return rates (rule P4).
  func suppress(_ probabilities: ActionRow, _ returns: inout Returns) {
    if returns.firstKeptEnd <= returns.time { returns.firstKeptEnd = updateKept(returns) }
    for chunk in probabilities.chunks { probabilities[chunk: chunk] *= returns.kept[chunk: chunk] }
  }

  /// Updates ``Returns/kept``, and returns when it can change next.
  private func updateKept(_ returns: Returns) -> Int {
    if returns.firstKeptEnd == .min {
      returns.kept.clear()
      returns.keptEnds.update(repeating: .min)
    }
    return lastUse.withUnsafeBufferPointer { lastUse in
      reached.withUnsafeBufferPointer { reached in
        var firstEnd = Int.max
        for action in lastUse.indices {
          if returns.keptEnds[action] <= returns.time {
            let age = Self.ageIndex(returns.time &- lastUse[action] &+ Predictor.windowSeconds)
            let end = lastUse[action] &+ 60 &* ((2 &<< age) &- 1) &- Predictor.windowSeconds
            returns.keptEnds[action] = age == Self.ageCount - 1 ? .max : end
            returns.kept[action] = Self.isShort(action, age: age, reached) ? 0 : 1
          }
          firstEnd = min(firstEnd, returns.keptEnds[action])
        }
        return firstEnd
      }
    }
  }

  /// Whether an action's own intervals hardly ever ended as early as in the half hour from `time`, so that
  /// ``suppress(_:_:)`` sets its probability to 0.
  func isSuppressed(_ action: Int, at time: Int) -> Bool {
    let age = Self.ageIndex(time &- lastUse[action] &+ Predictor.windowSeconds)
    return reached.withUnsafeBufferPointer { Self.isShort(action, age: age, $0) }
  }

  @inline(__always) private static func isShort(_ action: Int, age: Int, _ reached: UnsafeBufferPointer<Float>) -> Bool
  {
    let first = action &* (ageCount + 1)
    let ended = reached[first] - reached[first &+ age &+ 1]
    return ended < shortShare * reached[first]
  }

  var byteCount: Int { lastUse.capacity * 8 + reached.capacity * 4 + Self.ageCount * Self.shareCount * 8 }
}
