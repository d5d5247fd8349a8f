import MarqueePredictor

/// The front of a replayed stack that always shows the member that is most likely to be used, without gates.
///
/// The predictor learns the plan's history and then every use when it happens; the front is chosen again after every
/// use and at every five-minute step.
struct FreeRotation {
  private let plan: ReplayPlan
  private var predictor = Predictor()
  private var place: Int?
  private(set) var fronts: [ReplayScores.Front]

  init(_ plan: ReplayPlan) {
    self.plan = plan
    fronts = [ReplayScores.Front(at: .min, item: plan.items[0])]
    for use in plan.history { learn(use) }
    rotate()
  }

  private mutating func learn(_ use: ReplayPlan.Use) {
    // Like the devices of a backtest, the predictor knows places from the start of the replay on.
    if use.at >= plan.start { place = use.place }
    predictor.learn(ActionID(use.item), group: use.group, at: Self.moment(use.at, place: place))
  }

  private mutating func rotate() {
    let step = Int64(Predictor.stepSeconds) * 1_000
    var time = plan.start
    for use in plan.uses {
      while time < use.at {
        choose(at: time)
        time += step
      }
      learn(use)
      choose(at: use.at)
    }
  }

  private mutating func choose(at time: Int64) {
    let forecast = predictor.soon(.everything, at: Self.moment(time, place: place))
    guard let front = fronts.last?.item else { return }
    var best = front
    for item in plan.items
    where forecast.probability(of: ActionID(item)) > forecast.probability(of: ActionID(best)) {
      best = item
    }
    if best != front { fronts.append(ReplayScores.Front(at: time, item: best)) }
  }

  private static func moment(_ time: Int64, place: Int?) -> Moment {
    let seconds = Int(time / 1_000)
    let day = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
    return Moment(day: day, second: seconds - day * 86_400, place: place)
  }
}
