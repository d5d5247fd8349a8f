import MarqueePredictor

/// A made-up person: habits at their times, among other actions that come and go.
struct Life {
  /// 5 January 2026, a Monday.
  static let firstDay = 20_458

  static let weather = ActionID(0)
  /// Actions that fill the days, in an order that a simple rule shuffles.
  static let fillers = (1...6).map(ActionID.init)

  var predictor = Predictor()
  private var mixer: UInt64 = 1

  static func moment(
    _ day: Int, _ hour: Int, _ minute: Int = 0, wokeAt wake: Int? = nil, isHoliday: Bool = false
  ) -> Moment {
    let second = hour * 3_600 + minute * 60
    return Moment(
      day: firstDay + day, second: second, routine: wake.map { .init(kind: 1, age: second - $0 * 60) },
      isHoliday: isHoliday)
  }

  /// Lives a day: one filler an hour from 9 to 21, and before that what `morning` says.
  mutating func live(day: Int, morning: [(ActionID, Moment)] = []) {
    for (action, moment) in morning { predictor.learn(action, at: moment) }
    for hour in 9...21 {
      mixer = mixer &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      predictor.learn(
        Self.fillers[Int(mixer >> 33) % Self.fillers.count], at: Self.moment(day, hour, Int(mixer >> 50) % 60))
    }
  }

  /// The probability of checking the weather, from time alone.
  func weatherChance(at moment: Moment) -> Double {
    predictor.soon(.timeAlone, at: moment).probability(of: Self.weather)
  }
}
