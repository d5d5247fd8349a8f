/// The recent mean number of actions per day.
struct UseRate: Sendable, Equatable {
  private static let halfLife = 7.0 * 86_400
  private static let daySeconds = 86_400.0
  private static let naturalLogarithmOf2 = 0.6931471805599453

  private var first: Int?
  private var last = 0
  /// The number of actions, decayed to the latest one.
  private var count = 0.0

  /// Counts an action. `time` must not decrease.
  mutating func note(at time: Int) {
    if first == nil { (first, last) = (time, time) }
    count = count * powerOfTwo(Double(last - time) / Self.halfLife) + 1
    last = time
  }

  /// The decayed number of actions divided by the decayed number of days from the first action to the latest one, which
  /// are at least one day; 0 without actions.
  var perDay: Double {
    guard let first else { return 0 }
    let age = max(Double(last - first), Self.daySeconds) / Self.halfLife
    let days = Self.halfLife / Self.daySeconds * (1 - powerOfTwo(-age)) / Self.naturalLogarithmOf2
    return count / days
  }
}
