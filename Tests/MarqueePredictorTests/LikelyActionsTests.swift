import Testing

@testable import MarqueePredictor

@Suite struct LikelyActionsTests {
  /// A history of some habits with a fixed time, others that follow an event, and actions at random.
  private static func predictor(seed: UInt64, actionCount: Int) -> (predictor: Predictor, end: Int) {
    var state = seed
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    var predictor = Predictor()
    for day in 20_000..<20_030 {
      let waking = day * 86_400 + 21_600 + next(7_200)
      var uses = (0..<next(30)).map { _ in (time: day * 86_400 + next(86_000), action: next(actionCount)) }
      for habit in 0..<4 { uses.append((day * 86_400 + 28_800 + habit * 9_000 + next(300), habit)) }
      uses.append((waking + 600 + next(300), 4))
      for use in uses.sorted(by: { ($0.time, $0.action) < ($1.time, $1.action) }) {
        let routine = use.time >= waking ? Moment.Routine(kind: 1, age: use.time - waking) : nil
        let moment = Moment(day: day, second: use.time - day * 86_400, place: use.time / 20_000 % 3, routine: routine)
        predictor.learn(ActionID(use.action), group: use.action % 4, at: moment)
      }
    }
    return (predictor, 20_030 * 86_400)
  }

  @Test(
    "P1 The likely actions of a sequence of moments are those of its forecasts, bit for bit",
    arguments: [(1, 6), (2, 20), (3, 20), (4, 90), (5, 90), (6, 300)] as [(UInt64, Int)])
  func matchesForecasts(seed: UInt64, actionCount: Int) {
    let (predictor, end) = Self.predictor(seed: seed, actionCount: actionCount)
    var foundCount = 0
    for basis in Predictor.Basis.allCases {
      for least in [1e-5, 0.003, 1.0 / 32, 0.2, 0.9, 0.999_99] {
        // Steps of a day, a clock that goes back, and a month later.
        let times = stride(from: end, to: end + 86_400, by: 900) + [end + 40_000, end + 30 * 86_400]
        let moments = times.map { time in
          Moment(day: time / 86_400, second: time % 86_400, place: 1, routine: .init(kind: 1, age: time % 7_000))
        }
        var expected: [[ActionProbability]] = []
        predictor.soon(basis, from: moments[0]) { forecast in
          var found: [ActionProbability] = []
          forecast.forEachAction(atLeast: least) { action, probability in
            if action.number % 5 != 2 { found.append(ActionProbability(action: action, probability: probability)) }
          }
          expected.append(found)
          return expected.count < moments.count ? moments[expected.count] : nil
        }
        var count = 0
        predictor.likelyActions(basis, from: moments[0], atLeast: least, where: { $0.number % 5 != 2 }) { found in
          #expect(found == expected[count], "\(basis), at least \(least), moment \(count)")
          foundCount += found.count
          count += 1
          return count < moments.count ? moments[count] : nil
        }
        #expect(count == moments.count)
      }
    }
    #expect(foundCount > 500, "\(foundCount)")
  }

  @Test("P4 A predictor without actions finds none")
  func withoutActions() {
    var count = 0
    let first = Moment(day: 0, second: 0)
    Predictor().likelyActions(.everything, from: first, atLeast: 0.1, where: { _ in true }) { found in
      #expect(found.isEmpty)
      count += 1
      return count < 3 ? Moment(day: count, second: 0) : nil
    }
    #expect(count == 3)
  }
}
