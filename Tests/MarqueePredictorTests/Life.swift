import MarqueePredictor

/// A synthetic user: habits at fixed times, among other actions.
struct Life {
  /// 5 January 2026, a Monday.
  static let firstDay = 20_458

  static let weather = ActionID(0)
  /// Other actions that fill the days, in a pseudo-random order.
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

  /// Simulates a day: the `morning` actions, and then one other action per hour from 9 to 21.
  mutating func live(day: Int, morning: [(ActionID, Moment)] = []) {
    for (action, moment) in morning { predictor.learn(action, at: moment) }
    for hour in 9...21 {
      mixer = mixer &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      predictor.learn(
        Self.fillers[Int(mixer >> 33) % Self.fillers.count], at: Self.moment(day, hour, Int(mixer >> 50) % 60))
    }
  }

  /// Returns the probability of checking the weather, from time alone.
  func weatherChance(at moment: Moment) -> Double {
    predictor.soon(.timeAlone, at: moment).probability(of: Self.weather)
  }
}
