import Testing

@testable import MarqueePredictor

@Suite struct PredictorTests {
  /// A random history from a seed: actions with preferred times, in order.
  private static func history(seed: UInt64, count: Int) -> [(action: ActionID, moment: Moment)] {
    var state = seed
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    var time = 20_000 * 86_400
    return (0..<count).map { _ in
      time += [40, 200, 1_500, 7_000, 30_000][next(5)] + next(300)
      let (day, second) = (time / 86_400, time % 86_400)
      let action = next(3) == 0 ? second / 8_000 : next(12)
      let routine = next(4) == 0 ? Moment.Routine(kind: next(3), age: next(9_000)) : nil
      return (ActionID(action), Moment(day: day, second: second, place: next(4), routine: routine))
    }
  }

  private static func learned(_ history: some Sequence<(action: ActionID, moment: Moment)>) -> Predictor {
    var predictor = Predictor()
    for use in history { predictor.learn(use.action, group: use.action.number % 3, at: use.moment) }
    return predictor
  }

  @Test("D5 R8 Replaying the remaining actions gives the same bits as never learning the others", arguments: [1, 2])
  func deletion(seed: UInt64) {
    let history = Self.history(seed: seed, count: 150)
    let remaining = history.enumerated().filter { $0.offset % 7 != 3 }.map(\.element)
    let (one, other) = (Self.learned(remaining), Self.learned(remaining))
    #expect(one == other)
    #expect(one != Self.learned(history))
    let moment = remaining[remaining.count - 1].moment
    for basis in Predictor.Basis.allCases { #expect(one.soon(basis, at: moment) == other.soon(basis, at: moment)) }
  }

  @Test("R8 A fixed history gives the expected bits, in every build and on every machine")
  func bits() {
    let history = Self.history(seed: 42, count: 300)
    let predictor = Self.learned(history)
    let moment = history[299].moment.moved(to: history[299].moment.time + 1_000)
    let forecasts = [predictor.next(at: moment)] + Predictor.Basis.allCases.map { predictor.soon($0, at: moment) }
    let bits = forecasts.map { forecast in
      (0..<predictor.actionCount).reduce(UInt64(0)) { hash, action in
        (hash ^ forecast.probability(of: ActionID(action)).bitPattern) &* 0x100_0000_01b3
      }
    }
    #expect(bits == [9_380_017_291_653_021_696, 726_777_927_915_536_384, 12_253_494_430_446_649_344])
  }

  @Test("P1 A forecast is constant within each five minutes of local time, and changes from one to another")
  func steps() {
    let history = Self.history(seed: 3, count: 200)
    let predictor = Self.learned(history)
    let start = history[199].moment.moved(to: (history[199].moment.time / 300 + 2) * 300)
    for basis in Predictor.Basis.allCases {
      let forecasts = [0, 1, 137, 299].map { predictor.soon(basis, at: start.moved(to: start.time + $0)) }
      #expect(forecasts.allSatisfy { $0 == forecasts[0] })
      #expect(predictor.soon(basis, at: start.moved(to: start.time + 300)) != forecasts[0])
    }
  }

  @Test("P1 Forecasts of a sequence of moments equal those of each moment by itself", arguments: [10, 11])
  func walk(seed: UInt64) {
    let history = Self.history(seed: seed, count: 250)
    let predictor = Self.learned(history)
    let first = history[249].moment
    // An hour in steps, then longer pauses, a clock that goes back, and another place.
    let times = (0..<12).map { $0 * 300 } + [9_000, 40_000, 36_400, 36_700, 37_000, 1_000_000, 9_000_000]
    var moments = times.map { first.moved(to: first.time + $0) }
    let last = moments[moments.count - 1].moved(to: first.time + 9_000_300)
    moments.append(Moment(day: last.day, second: last.second, place: 3, routine: .init(kind: 1, age: 60)))
    for basis in Predictor.Basis.allCases {
      var count = 0
      predictor.soon(basis, from: moments[0]) { forecast in
        #expect(forecast == predictor.soon(basis, at: moments[count]), "moment \(count)")
        count += 1
        return count < moments.count ? moments[count] : nil
      }
      #expect(count == moments.count)
    }
  }

  @Test("P1 The same holds for a history in which the clock went back within days")
  func unorderedWalk() {
    var predictor = Predictor()
    for (index, use) in Self.history(seed: 12, count: 250).enumerated() {
      let shift = index % 4 == 1 ? 5_000 : 0
      let time = use.moment.time - min(shift, use.moment.second)
      predictor.learn(use.action, at: use.moment.moved(to: time))
    }
    let start = 20_000 * 86_400 + 250 * 7_000
    for basis in Predictor.Basis.allCases {
      var count = 0
      predictor.soon(basis, from: Moment(day: start / 86_400, second: 0)) { forecast in
        let moment = Moment(day: start / 86_400 + count / 288, second: count % 288 * 300)
        #expect(forecast == predictor.soon(basis, at: moment), "moment \(count)")
        count += 1
        guard count < 400 else { return nil }
        return Moment(day: start / 86_400 + count / 288, second: count % 288 * 300)
      }
    }
  }

  @Test("Probabilities are between 0 and 1, whatever is learned", arguments: [7, 8, 9])
  func ranges(seed: UInt64) {
    var predictor = Predictor()
    for (index, use) in Self.history(seed: seed, count: 120).enumerated() {
      let forecasts =
        [predictor.next(at: use.moment)] + Predictor.Basis.allCases.map { predictor.soon($0, at: use.moment) }
      for forecast in forecasts {
        for action in 0..<20 {
          let probability = forecast.probability(of: ActionID(action))
          #expect(probability >= 0 && probability <= 1, "use \(index): \(probability)")
        }
      }
      #expect(forecasts[0].sum <= 1.000_01)
      predictor.learn(use.action, at: use.moment)
    }
  }

  @Test("Clocks that go back, pauses of years, and gaps between numbers keep everything finite")
  func extremes() {
    var predictor = Predictor()
    var day = -900_000
    for index in 0..<60 {
      predictor.learn(ActionID(index % 5 * 20), at: Moment(day: day, second: 80_000))
      predictor.learn(ActionID(index % 3), at: Moment(day: day, second: 100))
      day += [0, 1, 400, 30_000][index % 4]
    }
    for basis in Predictor.Basis.allCases {
      let forecast = predictor.soon(basis, at: Moment(day: day + 200_000, second: 0))
      #expect(forecast.sum.isFinite && forecast.sum >= 0)
    }
    #expect(predictor.next(at: Moment(day: day, second: 0)).sum.isFinite)
    #expect(predictor.next(at: Moment(day: day, second: 0)).probability(of: ActionID(4)) == 0)
  }

  @Test("P4 A predictor without actions, or with one occurrence of one, predicts nothing")
  func beginnings() {
    var predictor = Predictor()
    let moment = Moment(day: 0, second: 0)
    #expect(predictor.next(at: moment).top(3).isEmpty)
    #expect(predictor.soon(.everything, at: moment).top(3).isEmpty)
    predictor.learn(ActionID(2), at: moment)
    #expect(predictor.next(at: moment).top(3).isEmpty)
    #expect(predictor.soon(.timeAlone, at: moment).top(3).isEmpty)
  }

  @Test("The evidence counts every use of the previous action, also those that it followed itself")
  func repeatedPrevious() {
    var predictor = Predictor()
    for day in 0..<4 {
      for (hour, action) in [(9, 1), (10, 1), (11, 2)] { predictor.learn(ActionID(action), at: Life.moment(day, hour)) }
    }
    predictor.learn(ActionID(1), at: Life.moment(4, 9))
    let walk = predictor.evidence(for: ActionID(2), at: Life.moment(4, 10))
    #expect((walk.previousCount, walk.followedCount) == (8, 4))
    let again = predictor.evidence(for: ActionID(1), at: Life.moment(4, 10))
    #expect((again.previousCount, again.followedCount) == (0, 0))
  }

  @Test("The evidence counts days, the last use, and transitions")
  func evidence() {
    var life = Life()
    for day in 0..<21 {
      life.live(day: day, morning: day == 16 ? [] : [(Life.weather, Life.moment(day, 8, 40))])
    }
    let evidence = life.predictor.evidence(for: Life.weather, at: Life.moment(21, 8, 31))
    #expect(evidence.startSecond == 8 * 3_600 + 1_800)
    #expect(!evidence.isDayOff)
    #expect((evidence.dayCount, evidence.doneDayCount) == (10, 9))
    #expect(evidence.daysSinceLast == 1)
    #expect(evidence.previousCount == 10)
    let weekend = life.predictor.evidence(for: Life.weather, at: Life.moment(26, 7, 0))
    #expect((weekend.dayCount, weekend.doneDayCount, weekend.isDayOff) == (6, 0, true))
    // The half hour that is predicted, which begins at the step.
    let before = life.predictor.evidence(for: Life.weather, at: Life.moment(26, 8, 17))
    #expect(before.startSecond == 8 * 3_600 + 900 && (before.dayCount, before.doneDayCount) == (6, 6))
    #expect(life.predictor.evidence(for: ActionID(50), at: Life.moment(21, 8)).daysSinceLast == nil)
  }

  @Test("P2 Of forecasts near p, a fraction near p comes true")
  func calibration() {
    var state: UInt64 = 11
    func chance() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 40) / Double(1 << 24)
    }
    var predictor = Predictor()
    var sums = [SIMD3<Double>](repeating: .zero, count: 10)
    for day in 0..<90 {
      for hour in 7..<23 {
        // Each action has its own hours; whether anything is done is random.
        let start = Moment(day: day, second: hour * 3_600)
        let action = chance() < 0.6 ? hour / 4 : Int(chance() * 6)
        let isDone = chance() < 0.5
        if day >= 20 {
          let forecast = predictor.soon(.timeAlone, at: start)
          for candidate in 0..<6 {
            let claimed = forecast.probability(of: ActionID(candidate))
            sums[min(9, Int(claimed * 10))] += SIMD3(1, claimed, isDone && candidate == action ? 1 : 0)
          }
        }
        if isDone { predictor.learn(ActionID(action), at: start.moved(to: start.time + 60 + Int(chance() * 1_600))) }
      }
    }
    for sum in sums where sum[0] >= 200 {
      #expect(abs(sum[1] - sum[2]) / sum[0] < 0.1, "claimed \(sum[1] / sum[0]), came true \(sum[2] / sum[0])")
    }
    #expect(sums.count { $0[0] >= 200 } >= 3)
  }

  @Test("D2 An action that is counted along with another is likely when that one is, and at no other time")
  func alsoCounting() {
    var predictor = Predictor()
    for day in 0..<10 {
      predictor.learn(ActionID(0), alsoCounting: [ActionID(1)], at: Life.moment(day, 12))
      predictor.learn(ActionID(2), at: Life.moment(day, 19))
    }
    let (noon, evening) = (Life.moment(10, 11, 50), Life.moment(10, 18, 50))
    let chances = [noon, evening].map { predictor.soon(.timeAlone, at: $0) }
    #expect(chances[0].probability(of: ActionID(1)) > 2 * chances[0].probability(of: ActionID(2)))
    #expect(chances[0].probability(of: ActionID(1)) > 2 * chances[1].probability(of: ActionID(1)))
  }
}
