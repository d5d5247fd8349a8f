import MarqueePredictor

/// A synthetic user with 60 to 140 actions per day: a few frequent and many rare ones, some of which follow others or
/// belong to a time of day.
struct BusyPerson {
  struct Use: Equatable {
    let action: ActionID
    let group: Int
    let moment: Moment
  }

  let uses: [Use]

  /// Creates the first `count` actions of a history over a number of distinct actions.
  init(count: Int, actions: Int) {
    var chance = Chance()
    var uses: [Use] = []
    var (day, previous) = (16_000, 0)
    while uses.count < count {
      let times = (0..<60 + Int(chance.next() % 80)).map { _ in 25_000 + Int(chance.unit() * 58_000) }.sorted()
      for second in times.prefix(count - uses.count) {
        let share = chance.unit()
        var action = Int(Double(actions) * share * share * share)
        if chance.unit() < 0.4 {
          action = (previous * 7 + 3) % actions
        } else if chance.unit() < 0.3 {
          action = (second / 1_800) % actions
        }
        let moment = Moment(day: day, second: second, place: second < 60_000 ? 1 : 2)
        uses.append(Use(action: ActionID(action), group: action % 5, moment: moment))
        previous = action
      }
      day += 1
    }
    self.uses = uses
  }

  /// Returns a predictor that has learned the history.
  var predictor: Predictor {
    var predictor = Predictor()
    for use in uses { predictor.learn(use.action, group: use.group, at: use.moment) }
    return predictor
  }

  /// The next day at 11:06:40.
  var tomorrow: Moment {
    precondition(!uses.isEmpty, "the history is empty")
    return Moment(day: uses[uses.count - 1].moment.day + 1, second: 40_000, place: 1)
  }
}

/// A deterministic generator: Marsaglia's xorshift with 13, 7 and 17 (Journal of Statistical Software 8/14, 2003).
private struct Chance {
  private var state: UInt64 = 88_172_645_463_325_252

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// In `0 ..< 1`.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
