/// The past uses that support a prediction, as counts that a user can verify.
public struct HabitEvidence: Sendable, Equatable {
  /// The maximum number of days counted.
  public static let dayCountMax = 10
  /// The maximum number of uses of the previous action counted.
  public static let followCountMax = 10

  /// The start of the half hour of local time that is counted, in seconds since midnight.
  public let slotSecond: Int
  /// Whether days off (Saturdays, Sundays and holidays) are counted, or working days.
  public let isDayOff: Bool
  /// The number of the latest days of this kind before this one with any activity.
  public let dayCount: Int
  /// The number of these days on which the action was done in the half hour.
  public let doneDayCount: Int
  /// The number of days since the action was last done, or `nil` if it never was.
  public let daysSinceLast: Int?
  /// The number of the latest earlier uses of the previous action.
  public let previousCount: Int
  /// The number of these uses that the action followed.
  public let followedCount: Int
  /// The recency-weighted fraction of such routine events after which the action was done in the half hour at this
  /// distance, or `nil` without a routine event in the last three hours.
  public let routineShare: Double?
}

extension Predictor {
  /// Returns the past uses that support `action` at `moment`, such as "08:30–09:00 on 9 of the last 10 working days".
  public func evidence(for action: ActionID, at moment: Moment) -> HabitEvidence {
    let slot = moment.second / Self.windowSeconds
    let days = log.days(of: action, slot: slot, before: moment.day, isDayOff: moment.isDayOff)
    let follows = sequence.follows(of: action)
    var shares = ActionVector(chunkCount: max(chunkCount, action.number / 8 + 1))
    let time = max(moment.time, last?.time ?? moment.time)
    let isAfterRoutine = routine.addEventShares(to: &shares, at: moment, time: time)
    return HabitEvidence(
      slotSecond: slot * Self.windowSeconds, isDayOff: moment.isDayOff, dayCount: days.count,
      doneDayCount: days.done, daysSinceLast: log.lastDay(of: action).map { max(0, moment.day - $0) },
      previousCount: follows.count, followedCount: follows.done,
      routineShare: isAfterRoutine ? Double(shares[action.number]) : nil)
  }
}

extension UseLog {
  private static let slotMinutes = Int32(Predictor.windowSeconds / 60)

  /// Returns the day of a minute, which may be before 1970.
  private static func day(_ minute: Int32) -> Int {
    Int(minute >= 0 ? minute / dayMinutes : -((dayMinutes - 1 - minute) / dayMinutes))
  }

  func lastDay(of action: ActionID) -> Int? {
    actions.lastIndex(of: UInt16(action.number)).map { Self.day(minutes[$0]) }
  }

  /// Returns the number of the latest days of one kind with any use, and on how many of them the action was used in the
  /// half hour `slot`.
  func days(of action: ActionID, slot: Int, before day: Int, isDayOff: Bool) -> (count: Int, done: Int) {
    var (count, done) = (0, 0)
    var (current, isDone): (Int?, Bool) = (nil, false)
    for index in minutes.indices.reversed() {
      let useDay = Self.day(minutes[index])
      guard useDay < day, Moment(day: useDay, second: 0).isDayOff == isDayOff else { continue }
      if useDay != current {
        guard count < HabitEvidence.dayCountMax else { break }
        if isDone { done += 1 }
        (current, isDone) = (useDay, false)
        count += 1
      }
      let minute = minutes[index] - Int32(useDay) * Self.dayMinutes
      if actions[index] == action.number, Int(minute / Self.slotMinutes) == slot { isDone = true }
    }
    return (count, done + (isDone ? 1 : 0))
  }
}

extension ActionSequence {
  /// Returns the number of the latest earlier uses of the last action, and how many of them `action` followed.
  func follows(of action: ActionID) -> (count: Int, done: Int) {
    guard let last = actions.last else { return (0, 0) }
    var (count, done) = (0, 0)
    for index in actions.indices.dropLast().reversed() where actions[index] == last {
      count += 1
      if actions[index + 1] == action.number { done += 1 }
      if count == HabitEvidence.followCountMax { break }
    }
    return (count, done)
  }
}
