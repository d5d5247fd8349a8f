/// What past use says about an action at a time of day, in numbers a person can check.
public struct HabitEvidence: Sendable, Equatable {
  /// How many days are counted at most.
  public static let dayCountMax = 10
  /// How many uses of the previous action are counted at most.
  public static let followCountMax = 10

  /// The start of the half hour of local time that is counted, in seconds since midnight.
  public let slotSecond: Int
  /// Whether Saturdays and Sundays are counted, or working days.
  public let isDayOff: Bool
  /// The latest such days before this one on which the device was used at all, and on how many of them the action was
  /// done in that half hour.
  public let dayCount: Int
  public let doneDayCount: Int
  /// Days since the action was last done; nil if it never was.
  public let daysSinceLast: Int?
  /// The latest uses of the previous action before this one, and how many of them the action followed.
  public let previousCount: Int
  public let followedCount: Int
}

extension Predictor {
  /// What speaks for `action` at `moment`: "08:30–09:00 on 9 of the last 10 working days".
  public func evidence(for action: ActionID, at moment: Moment) -> HabitEvidence {
    let slot = moment.second / Self.windowSeconds
    let days = log.days(of: action, slot: slot, before: moment.day, isDayOff: moment.isDayOff)
    let follows = sequence.follows(of: action)
    return HabitEvidence(
      slotSecond: slot * Self.windowSeconds, isDayOff: moment.isDayOff, dayCount: days.count,
      doneDayCount: days.done, daysSinceLast: log.lastDay(of: action).map { max(0, moment.day - $0) },
      previousCount: follows.count, followedCount: follows.done)
  }
}

extension UseLog {
  private static let slotMinutes = Int32(Predictor.windowSeconds / 60)
  private static let dayMinutes: Int32 = 1_440

  /// The day of a minute, also of minutes before 1970.
  private static func day(_ minute: Int32) -> Int {
    Int(minute >= 0 ? minute / dayMinutes : -((dayMinutes - 1 - minute) / dayMinutes))
  }

  func lastDay(of action: ActionID) -> Int? {
    actions.lastIndex(of: UInt16(action.number)).map { Self.day(minutes[$0]) }
  }

  /// The latest days of one kind with any use, and on how many the action was used in the half hour `slot`.
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
  /// Of the latest earlier uses of the last action, how many `action` followed.
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
