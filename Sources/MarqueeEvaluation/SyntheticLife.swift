import MarqueePredictor

/// A synthetic person with one habit at about 12:05, and possibly 14 other actions a day at uniformly distributed times
/// from 08:00 to 23:00, of ``otherCount`` equally frequent ones.
///
/// The same seed gives the same person on every machine.
struct SyntheticLife {
  /// 5 January 2026, a Monday.
  static let firstDay = 20_458
  static let habitMinute = 12 * 60 + 5
  static let habit = ActionID(0)
  static let otherCount = 8

  private(set) var predictor = Predictor()
  private(set) var day = Self.firstDay
  /// The number of days on which the habit was done.
  private(set) var occurrences = 0
  private var generator: SplitMix
  private let spread: Int
  private let isWeekdays: Bool
  private let isBusy: Bool

  init(seed: UInt64, spread: Int, isWeekdays: Bool, isBusy: Bool) {
    generator = SplitMix(seed: seed)
    (self.spread, self.isWeekdays, self.isBusy) = (spread, isWeekdays, isBusy)
  }

  /// Whether the habit is done on the present day.
  var isHabitDay: Bool { !isWeekdays || !Moment(day: day, second: 0).isDayOff }

  /// Learns the actions of the present day, and begins the next.
  mutating func live() {
    var uses: [(second: Int, action: ActionID)] = []
    if isHabitDay {
      uses.append((Self.habitMinute * 60 + Int(generator.normal() * Double(spread) * 60), Self.habit))
      occurrences += 1
    }
    if isBusy {
      for _ in 0..<14 {
        uses.append((8 * 3_600 + generator.below(15 * 3_600), ActionID(1 + generator.below(Self.otherCount))))
      }
    }
    for use in uses.sorted(by: { ($0.second, $0.action.number) < ($1.second, $1.action.number) }) {
      predictor.learn(use.action, at: Moment(day: day, second: use.second))
    }
    day += 1
  }

  /// Returns the claimed probability that the habit is done in the half hour from a minute of the present day.
  func claim(at minute: Int, _ basis: Predictor.Basis) -> Double {
    predictor.soon(basis, at: Moment(day: day, second: minute * 60)).probability(of: Self.habit)
  }
}
