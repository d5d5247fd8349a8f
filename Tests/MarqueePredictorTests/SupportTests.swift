import MarqueePredictor
import Testing

@Suite struct SupportTests {
  private static let habit = ActionID(0)

  private static func moment(_ day: Int, _ minute: Int) -> Moment {
    Moment(day: Life.firstDay + day, second: minute * 60)
  }

  private static func chances(_ predictor: Predictor, at moment: Moment) -> [Double] {
    Predictor.Basis.allCases.map { predictor.soon($0, at: moment).probability(of: habit) }
  }

  @Test("P4 An action is not predicted before its third occurrence and its second day")
  func support() {
    var predictor = Predictor()
    for minute in [720, 740, 760, 780] { predictor.learn(Self.habit, at: Self.moment(0, minute)) }
    #expect(Self.chances(predictor, at: Self.moment(1, 720)) == [0, 0])
    var other = Predictor()
    for day in 0..<2 { other.learn(Self.habit, at: Self.moment(day, 725)) }
    #expect(Self.chances(other, at: Self.moment(2, 720)) == [0, 0])
    other.learn(Self.habit, at: Self.moment(2, 725))
    #expect(Self.chances(other, at: Self.moment(3, 720)).allSatisfy { $0 > 0 })
  }

  @Test("P4 Uses within an hour of each other across midnight count as one day")
  func midnight() {
    func chances(_ minutes: [Int]) -> [Double] {
      var predictor = Predictor()
      for minute in minutes { predictor.learn(Self.habit, at: Self.moment(minute / 1_440, minute % 1_440)) }
      return Self.chances(predictor, at: Self.moment(2, 1_430))
    }
    let night = [1_425, 1_435, 1_445, 1_500]
    #expect(chances(night) == [0, 0])
    // A use more than an hour after the last one is one of the next day.
    #expect(chances(night + [1_561]).allSatisfy { $0 > 0 })
    #expect(chances([1_425, 1_435, 1_496]).allSatisfy { $0 > 0 })
  }

  @Test("P4 A habit done once a day is not predicted again just after it was done")
  func justDone() {
    var predictor = Predictor()
    for day in 0..<10 { predictor.learn(Self.habit, at: Self.moment(day, 725)) }
    #expect(predictor.soon(.everything, at: Self.moment(10, 700)).probability(of: Self.habit) > 0.5)
    predictor.learn(Self.habit, at: Self.moment(10, 715))
    for minute in stride(from: 715, to: 1_440, by: 5) {
      #expect(predictor.soon(.everything, at: Self.moment(10, minute)).probability(of: Self.habit) == 0)
    }
    #expect(predictor.soon(.everything, at: Self.moment(11, 710)).probability(of: Self.habit) > 0.5)
  }

  @Test("P1 P4 A flood of one action and thousands of one-off actions leave a sharp habit predicted")
  func flood() {
    var predictor = Predictor()
    var number = 2
    for day in 0..<12 {
      for minute in 0..<200 {
        predictor.learn(ActionID(1), at: Self.moment(day, 480 + minute))
        predictor.learn(ActionID(number), at: Self.moment(day, 480 + minute))
        number += 1
      }
      predictor.learn(Self.habit, at: Self.moment(day, 725))
    }
    #expect(Self.chances(predictor, at: Self.moment(12, 710)).allSatisfy { $0 > 0.5 })
    #expect(Self.chances(predictor, at: Self.moment(12, 740)).allSatisfy { $0 < 0.15 })
    let forecast = predictor.soon(.everything, at: Self.moment(12, 710))
    #expect((2..<number).allSatisfy { forecast.probability(of: ActionID($0)) == 0 })
  }

  @Test("P1 Clocks that jump and actions dated in the past leave predictions within 0…1")
  func jumps() {
    var predictor = Predictor()
    for (index, day) in [0, 1, 2, 3, 2, 4, 900, 5, 6, 7].enumerated() {
      predictor.learn(Self.habit, at: Self.moment(day, 725))
      predictor.learn(ActionID(1 + index % 2), at: Self.moment(day, 600 + index))
    }
    for day in [0, 4, 8, 901, 2_000] {
      let chances = Self.chances(predictor, at: Self.moment(day, 720))
      #expect(chances.allSatisfy { $0.isFinite && (0...1).contains($0) }, "\(chances)")
    }
  }

  @Test("P4 A habit done on 4 of 4 days is likely, and an action done once is not predicted")
  func experience() {
    var four = Predictor()
    for day in 0..<4 { four.learn(Self.habit, at: Self.moment(day, 725)) }
    #expect(Self.chances(four, at: Self.moment(4, 710)).allSatisfy { $0 > 0.5 })
    var one = Predictor()
    one.learn(Self.habit, at: Self.moment(3, 725))
    #expect(Self.chances(one, at: Self.moment(4, 710)) == [0, 0])
  }

  /// A kind of bad input on a day.
  enum Disturbance: CaseIterable {
    case none, clockBack, pastDates, oneOffs, flood
  }

  /// Learns 21 days with a sharp habit at 12:05 and five other actions, and a disturbance on every third day.
  private static func disturbed(_ disturbance: Disturbance) -> Predictor {
    var predictor = Predictor()
    for day in 0..<21 {
      for other in 1...5 { predictor.learn(ActionID(other), at: moment(day, 500 + other * 30 + day * 7 % 25)) }
      predictor.learn(habit, at: moment(day, 725))
      guard day % 3 == 2 else { continue }
      switch disturbance {
      case .none: break
      case .clockBack:
        // The clock goes back by five hours and is set right again.
        for minute in [430, 900, 610, 1_000] { predictor.learn(ActionID(6), at: moment(day, minute)) }
      case .pastDates:
        for past in 1...10 { predictor.learn(ActionID(6), at: moment(day - 40 * past, 600 + past)) }
      case .oneOffs:
        for index in 0..<60 { predictor.learn(ActionID(7 + day * 60 + index), at: moment(day, 800 + index)) }
      case .flood:
        for _ in 0..<500 { predictor.learn(ActionID(6), at: moment(day, 800)) }
      }
    }
    return predictor
  }

  @Test("P4 Bad input leaves the probability of a sharp habit near that without it", arguments: Disturbance.allCases)
  func disturbances(disturbance: Disturbance) {
    let predictor = Self.disturbed(disturbance)
    for (minute, low, high) in [(690, 0, 0.15), (700, 0.75, 1), (720, 0.75, 1), (730, 0, 0.15), (780, 0, 0.15)] {
      let chances = Self.chances(predictor, at: Self.moment(21, minute))
      #expect(chances.allSatisfy { $0 >= low && $0 <= high }, "\(disturbance) \(minute): \(chances)")
    }
  }

  @Test("A flood of one action needs no more memory than one use a minute")
  func memory() {
    let (calm, flooded) = (Self.disturbed(.none), Self.disturbed(.flood))
    #expect(flooded.byteCount < 2 * calm.byteCount, "\(calm.byteCount), \(flooded.byteCount)")
    var predictor = calm
    let before = predictor.byteCount
    for index in 0..<400 { predictor.learn(ActionID(6), at: Self.moment(30, 600 + index / 100)) }
    #expect(predictor.byteCount < before + 4_096)
  }
}
