import MarqueePredictor
import Testing

@Suite struct HabitTests {
  @Test("P4 A daily habit is noticed after three days")
  func noticed() {
    var life = Life()
    for day in 0..<3 { life.live(day: day, morning: [(Life.weather, Life.moment(day, 7, 40))]) }
    let morning = Life.moment(3, 7, 30)
    #expect(life.predictor.soon(.timeAlone, at: morning).top(1) == [Life.weather])
    #expect(life.predictor.soon(.everything, at: morning).top(1) == [Life.weather])
    #expect(life.weatherChance(at: morning) > 3 * life.weatherChance(at: Life.moment(3, 15)))
  }

  @Test("P4 A dropped habit has halved after 14 days, and one missed day has little effect")
  func dropped() {
    var life = Life()
    for day in 0..<42 { life.live(day: day, morning: [(Life.weather, Life.moment(day, 7, 40))]) }
    let before = life.weatherChance(at: Life.moment(42, 7, 30))
    #expect(before > 0.5)
    var chances: [Double] = []
    for day in 42..<84 {
      life.live(day: day)
      chances.append(life.weatherChance(at: Life.moment(day + 1, 7, 30)))
    }
    #expect(chances[0] > 0.6 * before)
    #expect(chances[13] < 0.5 * before)
    #expect(chances[27] < 0.25 * before)
    #expect(chances[41] < 0.15 * before)
  }

  @Test("P4 Without any activity, probabilities decay with a half-life of 14 days")
  func silent() {
    var life = Life()
    for day in 0..<28 { life.live(day: day, morning: [(Life.weather, Life.moment(day, 7, 40))]) }
    let chances = [0, 14, 28].map { life.weatherChance(at: Life.moment(35 + $0, 7, 30)) }
    #expect(abs(chances[1] / chances[0] - 0.5) < 0.1)
    #expect(abs(chances[2] / chances[1] - 0.5) < 0.1)
  }

  @Test("P4 Checking the weather after waking is predicted although the waking time varies by hours")
  func afterWaking() {
    var life = Life()
    let wakes = [390, 510, 300, 450, 560, 330, 480, 400, 530, 310, 440, 500]
    for (day, wake) in wakes.enumerated() {
      let minute = wake + 10
      life.live(
        day: day, morning: [(Life.weather, Life.moment(day, minute / 60, minute % 60, wokeAt: wake))])
    }
    let evidence = life.predictor.evidence(for: Life.weather, at: Life.moment(12, 7, wokeAt: 420))
    #expect(evidence.routineShare ?? 0 > 0.85)
    #expect(life.predictor.evidence(for: Life.weather, at: Life.moment(12, 7)).routineShare == nil)
    for wake in [310, 420, 540] {
      let awake = Life.moment(12, wake / 60, wake % 60, wokeAt: wake)
      let asleep = Life.moment(12, wake / 60, wake % 60)
      #expect(life.predictor.soon(.timeAlone, at: awake).top(1) == [Life.weather], "\(wake)")
      #expect(life.weatherChance(at: awake) > 0.5, "\(wake): \(life.weatherChance(at: awake))")
      #expect(life.weatherChance(at: awake) > 1.5 * life.weatherChance(at: asleep), "\(wake)")
    }
  }

  @Test("P4 Three workouts at different hours suffice to learn what follows a workout")
  func afterWorkout() {
    var life = Life()
    for (day, hour) in [(0, 10), (2, 17), (4, 13)] {
      for filler in 0..<6 { life.live(day: day * 7 + filler) }
      let end = hour * 3_600
      life.predictor.learn(
        Life.weather,
        at: Moment(day: Life.firstDay + day * 7 + 6, second: end + 300, routine: .init(kind: 2, age: 300)))
    }
    let after = Moment(day: Life.firstDay + 40, second: 15 * 3_600, routine: .init(kind: 2, age: 0))
    let without = Moment(day: Life.firstDay + 40, second: 15 * 3_600)
    #expect(life.weatherChance(at: after) > 2 * life.weatherChance(at: without))
    #expect(life.predictor.soon(.timeAlone, at: after).top(1) == [Life.weather])
  }

  @Test("A habit of working days is less likely on holidays")
  func holiday() {
    var life = Life()
    for day in 0..<28 {
      let isWorkingDay = day % 7 < 5
      life.live(day: day, morning: isWorkingDay ? [(Life.weather, Life.moment(day, 7, 40))] : [])
    }
    let (work, holiday) = (Life.moment(28, 7, 30), Life.moment(28, 7, 30, isHoliday: true))
    #expect(life.weatherChance(at: work) > 1.5 * life.weatherChance(at: holiday))
  }

  @Test("The next action follows from the last: a chain is learned")
  func chain() {
    var predictor = Predictor()
    for day in 0..<10 {
      for (index, second) in stride(from: 30_000, to: 60_000, by: 3_000).enumerated() {
        predictor.learn(ActionID(index * 7 % 3), at: Moment(day: day, second: second))
      }
    }
    let forecast = predictor.next(at: Moment(day: 9, second: 60_000))
    #expect(forecast.top(1) == [ActionID(10 * 7 % 3)])
    #expect(forecast.probability(of: ActionID(9 * 7 % 3)) == 0)
    #expect(forecast.sum <= 1)
  }
}
