/// The history of all uses with their minutes, and the ranges of the recent days in it.
///
/// ``HabitEvidence`` and the window shares of habits are counted from it.
struct UseLog: Sendable, Equatable {
  /// The maximum number of recent days with any use whose windows are counted.
  static let dayCountMax = 64
  /// The fraction of a day's weight that remains after each further day with any use: half after 14 days (rule P4).
  private static let dayKept: Float = 0.95
  /// The weight of days of the other kind (working, off).
  private static let otherKind: Float = 0.2

  /// A day with any use.
  private struct Day: Sendable, Equatable {
    let day: Int32
    let isOff: Bool
    /// Whether the day's uses are in the order of their minutes, as they are unless the clock went back.
    var isSorted = true
    /// The index of the day's first use.
    let start: Int32
  }

  private(set) var actions: [UInt16] = []
  /// The minutes of local time since the start of 1970.
  private(set) var minutes: [Int32] = []
  /// The latest days with any use, in order. A use with an earlier date than the last day belongs to the last day.
  private var days: [Day] = []

  /// Appends a use. Of uses of one action in one minute that follow each other, only the first is stored.
  mutating func append(_ action: Int, at moment: Moment) {
    let minute = Int32(moment.time / 60)
    if days.last.map({ $0.day < moment.day }) ?? true {
      if days.count == Self.dayCountMax { days.removeFirst() }
      days.append(Day(day: Int32(moment.day), isOff: moment.isDayOff, start: Int32(actions.count)))
    } else if let last = minutes.last {
      guard last != minute || actions[actions.count - 1] != UInt16(action) else { return }
      if minute < last { days[days.count - 1].isSorted = false }
    }
    actions.appendSparingly(UInt16(action))
    minutes.appendSparingly(minute)
  }

  /// Sets `weights` to the weights of the recent days before a moment's day, and of others to 0.
  private func writeWeights(to weights: UnsafeMutableBufferPointer<Float>, at moment: Moment) {
    let isOff = moment.isDayOff
    var weight: Float = 1
    days.withUnsafeBufferPointer { days in
      for index in days.indices.reversed() {
        guard Int(days[index].day) < moment.day else {
          weights[index] = 0
          continue
        }
        weights[index] = days[index].isOff == isOff ? weight : Self.otherKind * weight
        weight *= Self.dayKept
      }
    }
  }

  /// Sets `vector` to the total weight of the days from each action's first day on.
  func countDays(_ vector: ActionRow, windows: Windows, firstDays: [Int32]) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: days.count + 1) { sums in
      sums[days.count] = 0
      for index in days.indices.reversed() { sums[index] = sums[index + 1] + windows.weights[index] }
      vector.clear()
      days.withUnsafeBufferPointer { days in
        for action in firstDays.indices {
          var index = 0
          while index < days.count, days[index].day < firstDays[action] { index += 1 }
          vector[action] = sums[index]
        }
      }
    }
  }

  /// The positions at which the windows of the recent days begin in the history, and scratch space, in the memory of a
  /// workspace.
  ///
  /// Nothing may be appended to the history while they are used.
  struct Windows {
    /// The number of lanes of a workspace that windows use, besides a row.
    static let laneCount = 2 * UseLog.dayCountMax * MemoryLayout<Float>.stride / MemoryLayout<Lanes>.stride

    fileprivate var day = Int.min
    fileprivate var isOff = false
    /// The weights of the days.
    fileprivate let weights: UnsafeMutableBufferPointer<Float>
    /// The index of each day's first use from ``second`` on.
    fileprivate let starts: UnsafeMutableBufferPointer<Int32>
    fileprivate var second = -1
    /// The number of the day on which each action was counted last, which increases from count to count.
    fileprivate let seen: UnsafeMutableBufferPointer<Int32>
    fileprivate var seenBase: Int32 = 0

    init(actionCount: Int, in workspace: inout Workspace) {
      weights = workspace.numbers(UseLog.dayCountMax, of: Float.self)
      starts = workspace.numbers(UseLog.dayCountMax, of: Int32.self)
      seen = workspace.numbers(actionCount, of: Int32.self)
      seen.update(repeating: -1)
    }
  }

  /// Moves windows to a moment's day, and returns whether the weights of the days changed.
  func move(_ windows: inout Windows, to moment: Moment) -> Bool {
    guard windows.day != moment.day || windows.isOff != moment.isDayOff else { return false }
    writeWeights(to: windows.weights, at: moment)
    (windows.day, windows.isOff) = (moment.day, moment.isDayOff)
    windows.second = -1
    return true
  }

  /// Sets `vector` to the total weight of the days on which each action was used in the half hour from `second`.
  ///
  /// Consecutive calls with increasing seconds advance the windows instead of searching, with the same result.
  func countWindows(_ vector: ActionRow, second: Int, windows: inout Windows) {
    vector.clear()
    let first = Int32(second / 60)
    let isLater = windows.second >= 0 && windows.second <= second
    if !isLater {
      for index in days.indices {
        windows.starts[index] = Int32(place(days[index].day * Self.dayMinutes + first, in: index))
      }
    }
    windows.second = second
    if windows.seenBase > .max - 2 * Int32(Self.dayCountMax) {
      windows.seen.update(repeating: -1)
      windows.seenBase = 0
    }
    let base = windows.seenBase
    windows.seenBase += Int32(Self.dayCountMax)
    days.withUnsafeBufferPointer { days in
      minutes.withUnsafeBufferPointer { minutes in
        actions.withUnsafeBufferPointer { actions in
          for index in days.indices where windows.weights[index] > 0 {
            let start = days[index].day * Self.dayMinutes + first
            let end = index + 1 < days.count ? Int(days[index + 1].start) : minutes.count
            var place = Int(windows.starts[index])
            while place < end, minutes[place] < start { place += 1 }
            windows.starts[index] = Int32(place)
            let (weight, number) = (windows.weights[index], base + Int32(index))
            while place < minutes.count, minutes[place] < start + Self.windowMinutes {
              let action = Int(actions[place])
              if windows.seen[action] != number {
                windows.seen[action] = number
                vector[action] += weight
              }
              place += 1
            }
          }
        }
      }
    }
  }

  private static let windowMinutes = Int32(Predictor.windowSeconds / 60)

  /// Returns by how much more often an action was done within half an hour of this time of day than in the hours
  /// before and after, as a fraction of the recent days: near 1 for a sharp habit, near 0 for one without a time.
  func sharpness(of number: Int, at moment: Moment, since firstDay: Int32) -> Float {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.dayCountMax) { weights in
      writeWeights(to: weights, at: moment)
      var (near, flanks, sum): (Float, Float, Float) = (0, 0, 0.5)
      let minute = Int32(moment.second / 60)
      for index in days.indices where weights[index] > 0 && days[index].day >= firstDay {
        sum += weights[index]
        let uses = uses(of: UInt16(number), around: days[index].day * Self.dayMinutes + minute, in: index)
        if uses.isNear { near += weights[index] }
        flanks += weights[index] * ((uses.isBefore ? 0.5 : 0) + (uses.isAfter ? 0.5 : 0))
      }
      return max(0, (near - flanks) / sum)
    }
  }

  /// Returns whether an action was used on a day within half an hour of a minute, and in the hours before and after.
  @inline(__always) private func uses(of action: UInt16, around middle: Int32, in index: Int)
    -> (isNear: Bool, isBefore: Bool, isAfter: Bool)
  {
    var (isNear, isBefore, isAfter) = (false, false, false)
    minutes.withUnsafeBufferPointer { minutes in
      actions.withUnsafeBufferPointer { actions in
        var place = place(middle - 90, in: index)
        while place < minutes.count, minutes[place] < middle + 90 {
          if actions[place] == action {
            let distance = minutes[place] - middle
            if distance < -30 { isBefore = true } else if distance < 30 { isNear = true } else { isAfter = true }
          }
          place += 1
        }
      }
    }
    return (isNear, isBefore, isAfter)
  }

  static let dayMinutes: Int32 = 1_440

  /// Returns the index of the first use of a day, or of the day before it, that is not before a minute.
  private func place(_ minute: Int32, in index: Int) -> Int {
    let isBefore = minute < days[index].day * Self.dayMinutes
    let day = isBefore ? index - 1 : index
    var low = Int(days[max(0, day)].start)
    var high = day + 1 < days.count ? Int(days[day + 1].start) : minutes.count
    guard days[max(0, day)].isSorted else {
      while low < high, minutes[low] < minute { low += 1 }
      return low
    }
    return minutes.withUnsafeBufferPointer { minutes in
      while low < high {
        let middle = (low + high) / 2
        if minutes[middle] < minute { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  var byteCount: Int { actions.capacity * 2 + minutes.capacity * 4 + days.capacity * 12 }
}
