/// The experts, each of which assigns every candidate a share.
enum Expert: Int, Sendable {
  /// By recent frequency, with half-lives of a day, three days, a week, 30 days and 20 minutes, and without decay.
  case day, threeDays, week, month, burst, always
  /// By frequency at this time of day: on days of this kind (working, off), on this weekday, or on recent days.
  case dayKindTime, weekdayTime, fastTime
  /// By frequency at this distance from the last routine event.
  case routine
  /// By the recency rank of the last use.
  case rank
  /// By what followed the previous action: at this gap, recently, two steps later, and after the last three actions.
  case successor, recentSuccessor, skipped, thirdOrder
  /// By frequency at this gap, at this place, and by what follows the previous action's group.
  case gapShare, place, group
  /// By the time since each action's own last use, compared with similar actions or with its own intervals.
  case hazard, ownInterval
  /// The previous action again.
  case repeated

  /// Whether the shares change with every time step.
  var isOfTime: Bool {
    switch self {
    case .dayKindTime, .weekdayTime, .fastTime, .routine, .burst: true
    default: false
    }
  }
}
