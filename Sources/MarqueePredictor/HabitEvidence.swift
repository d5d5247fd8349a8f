/// The past uses that support a prediction, as counts that a user can verify.
public struct HabitEvidence: Sendable, Equatable {
  /// The maximum number of days counted.
  public static let dayCountMax = 10
  /// The maximum number of uses of the previous action counted.
  public static let followCountMax = 10

  /// The start of the half hour of local time that is counted, in seconds since midnight: the predicted one.
  public let startSecond: Int
  /// Whether days off (Saturdays, Sundays and holidays) are counted, or working days.
  ///
  /// They are of the kind of the moment's day, or of the other one if only on those the action was done.
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
  /// Returns the past uses that support `action` at `moment`, such as "08:25–08:55 on 9 of the last 10 working days".
  ///
  /// The days are counted for the half hour that ``soon(_:at:)`` predicts, which begins at the moment's step.
  public func evidence(for action: ActionID, at moment: Moment) -> HabitEvidence {
    let moment = moment.step
    let isDayOff = moment.isDayOff
    var days = log.days(of: action, inWindowAt: moment, isDayOff: isDayOff)
    if days.done == 0 {
      let others = log.days(of: action, inWindowAt: moment, isDayOff: !isDayOff)
      if others.done > 0 { days = others }
    }
    let follows = sequence.follows(of: action)
    return HabitEvidence(
      startSecond: moment.second, isDayOff: days.isDayOff, dayCount: days.count,
      doneDayCount: days.done, daysSinceLast: log.lastDay(of: action).map { max(0, moment.day - $0) },
      previousCount: follows.count, followedCount: follows.done,
      routineShare: routineShare(of: action.number, at: moment))
  }

  private func routineShare(of action: Int, at moment: Moment) -> Double? {
    let time = max(moment.time, last?.time ?? moment.time)
    var workspace = Workspace(rowCount: 2, chunkCount: max(chunkCount, action / 8 + 1))
    defer { workspace.deallocate() }
    let shares = workspace.row()
    shares.clear()
    let isAfterRoutine = routine.addEventShares(to: shares, at: moment, time: time, scratch: workspace.row())
    return isAfterRoutine ? Double(shares[action]) : nil
  }
}

extension UseLog {
  private static let windowMinutes = Int32(Predictor.windowSeconds / 60)

  /// Returns the day of a minute, which may be before 1970.
  private static func day(_ minute: Int32) -> Int {
    Int(minute >= 0 ? minute / dayMinutes : -((dayMinutes - 1 - minute) / dayMinutes))
  }

  func lastDay(of action: ActionID) -> Int? {
    actions.lastIndex(of: UInt16(action.number)).map { Self.day(minutes[$0]) }
  }

  /// The latest days of one kind with any use.
  struct CountedDays {
    let isDayOff: Bool
    var count = 0
    /// The number of the days on which the action was used in the half hour.
    var done = 0
  }

  /// Returns the number of the latest days of one kind with any use, and on how many of them the action was used in the
  /// half hour from the time of `moment` on, which can end after midnight.
  func days(of action: ActionID, inWindowAt moment: Moment, isDayOff: Bool) -> CountedDays {
    let start = Int32(moment.second / 60)
    let end = start + Self.windowMinutes
    var found = CountedDays(isDayOff: isDayOff)
    var (current, isDone): (Int?, Bool) = (nil, false)
    var dayBeforeMidnight: Int?
    // The day of the latest visited use, its first minute, and whether it is one of the counted days.
    var (day, first, isCounted) = (Int.max, Int32.max, false)
    minutes.withUnsafeBufferPointer { minutes in
      actions.withUnsafeBufferPointer { actions in
        for index in minutes.indices.reversed() {
          if minutes[index] < first || minutes[index] - first >= Self.dayMinutes {
            day = Self.day(minutes[index])
            first = Int32(day) * Self.dayMinutes
            isCounted = day < moment.day && Moment(day: day, second: 0).isDayOff == isDayOff
          }
          let minute = minutes[index] - first
          let isOfAction = actions[index] == action.number
          if isOfAction, minute + Self.dayMinutes < end { dayBeforeMidnight = day - 1 }
          guard isCounted else { continue }
          if day != current {
            guard found.count < HabitEvidence.dayCountMax else { return }
            if isDone { found.done += 1 }
            (current, isDone) = (day, day == dayBeforeMidnight)
            found.count += 1
          }
          if isOfAction, minute >= start, minute < end { isDone = true }
        }
      }
    }
    if isDone { found.done += 1 }
    return found
  }
}

extension ActionSequence {
  /// Returns the number of the latest earlier uses of the last action, and how many of them `action` followed; none if
  /// it is the last action itself, whose repetitions support no prediction.
  func follows(of action: ActionID) -> (count: Int, done: Int) {
    guard let last = actions.last, last != action.number else { return (0, 0) }
    let countMax = HabitEvidence.followCountMax
    // The last action followed the earlier uses of a run itself.
    var (count, done) = (min(Int(repetitionCounts[actions.count - 1]), countMax), 0)
    for index in actions.indices.dropLast().reversed() where actions[index] == last && count < countMax {
      if actions[index + 1] == action.number { done += 1 }
      count = min(count + 1 + Int(repetitionCounts[index]), countMax)
    }
    return (count, done)
  }
}
