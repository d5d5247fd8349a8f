/// The ways to guess the next action; each gives every candidate a share.
enum Expert: Int, Sendable {
  /// How often lately, with half-lives of a day, three days, a week, 30 days, 20 minutes, and not fading.
  case day, threeDays, week, month, burst, always
  /// How often at this time: on working days or days off; on this weekday; in the last days.
  case dayKindTime, weekdayTime, fastTime
  /// How often as long after the last routine event as now.
  case routine
  /// By the order of last use.
  case rank
  /// After the previous action: at such a gap, lately, two steps later, and after the last three.
  case successor, recentSuccessor, skipped, thirdOrder
  /// At such a gap, at this place, and by the group of actions.
  case gapShare, place, group
  /// By the time since each action's own last use: compared with all, and with its own intervals.
  case hazard, ownInterval
  /// The previous action once more.
  case repeated
}
