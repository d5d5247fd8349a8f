import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// The counters of decisions and predictions. Every script and habit test also verifies that counting has no effect.
@Suite struct DecisionCountersTests {
  /// Excludes encoding and decoding the device, which discards pending outcomes.
  private static let unstored: [Scene.Way] = [.plain, .ticking]
  private static let cupertino = [("location", Habitat.object("Cupertino"))]

  /// Eight days with a weather check at 07:30 and other actions during the day.
  private static func mornings() throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    try life.stack()
    for day in 0..<8 {
      try life.donate("weather", "CheckWeather", cupertino, at: Habitat.time(day, 7, 30))
      try life.fill(day)
    }
    return life
  }

  private static func judged(_ counters: DecisionCounters) -> Int {
    (1...DecisionCounters.partCount).reduce(0) { $0 + counters.evaluatedCount(parts: $1) }
  }

  private static func cameTrue(_ counters: DecisionCounters) -> Int {
    (1...DecisionCounters.partCount).reduce(0) { $0 + counters.trueCount(parts: $1) }
  }

  @Test("A gate that blocks the best candidate counts once, however often it is evaluated")
  func once() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 9:00=5/1h
      8:50 tap home notes
      9:00 counts?
      9:01 add home weather
      9:02 publish notes 9:30=0
      9:04 counts?
      9:10 counts?
      ----
      9:00 counts rotation hold 1
      9:04 counts rotation hold 1
      9:05 rotate home notes > cards
      9:10 counts rotation hold 1
      """, ways: Self.unstored)
  }

  @Test("Of two time-based gates, the one that opens later counts; another candidate counts again")
  func later() throws {
    try play(
      """
      0:00 stack home notes cards weather
       publish cards 9:00=5/1m 23:00=10
       publish weather 9:01=10/2m
      8:59 tap home notes
      9:02 counts?
      ----
      9:02 counts rotation hold 2
      """, ways: Self.unstored)
  }

  @Test("The margin blocks a candidate that does not lead, and Smart Rotate blocks all while it is off")
  func margin() throws {
    try play(
      """
      0:00 stack home notes cards weather
       publish cards 9:00=5/1h 23:00=10
       publish weather 9:30=4/1h 23:00=10
       rotate home off
      9:10 rotate home on
      9:40 counts?
      ----
      9:10 rotate home notes > cards
      9:40 counts rotation smart rotate 1, rotation margin 1
      """, ways: Self.unstored)
  }

  @Test("A rotation counts as used if its widget is tapped within half an hour")
  func tapped() throws {
    try play(
      """
      0:00 stack home notes cards weather
       publish cards 9:00=5/20m 23:00=10
       publish weather 9:10=9/1h 23:00=10
      9:20 tap home cards
      9:30 tap home weather
      9:45 counts?
      ----
      9:00 rotate home notes > cards
      9:10 rotate home cards > weather
      9:45 counts rotation margin 1, rotation used 1, rotation usedLater 1
      """, ways: Self.unstored)
  }

  @Test("A use after half an hour does not count")
  func late() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 9:00=5/1h
      9:31 tap home cards
      9:32 counts?
      ----
      9:00 rotate home notes > cards
      9:32 counts rotation unused 1
      """, ways: Self.unstored)
  }

  @Test("A prediction is counted once for each half hour: when a donation fulfils it, or when the time expires")
  func predictions() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 6, 0))
    let before = life.counters
    // On the first morning the action is done, on the second it is not.
    while life.device.stack(Habitat.home)?.suggestedWidget == nil {
      life.advance(to: life.device.now.advanced(by: .minutes(5)))
    }
    let stated = life.device.now
    let widgets = life.device.widgets
    let predicted = widgets.occupiedSlots.compactMap { widgets[$0].prediction?.parts }
    let parts = try #require(predicted.first)
    #expect(Self.judged(life.counters) == Self.judged(before))
    try life.donate("weather", "CheckWeather", Self.cupertino, at: stated.advanced(by: .minutes(4)))
    #expect(life.counters.evaluatedCount(parts: parts) == before.evaluatedCount(parts: parts) + 1)
    #expect(life.counters.trueCount(parts: parts) == before.trueCount(parts: parts) + 1)
    #expect(Self.judged(life.counters) == Self.judged(before) + 1)
    life.advance(to: Habitat.time(9, 6, 0))
    let second = life.counters
    life.advance(to: Habitat.time(9, 12, 0))
    #expect(Self.judged(life.counters) > Self.judged(second) && Self.cameTrue(life.counters) == Self.cameTrue(second))
  }

  @Test("A suggestion counts as used if its action is done, and not if another action of the app is")
  func suggestions() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 6, 0))
    while life.device.stack(Habitat.home)?.suggestedWidget == nil {
      life.advance(to: life.device.now.advanced(by: .minutes(5)))
    }
    let used = life.counters.outcomeCount(.suggestion, .used)
    let elsewhere = [("location", Habitat.object("Berlin"))]
    try life.donate("weather", "CheckWeather", elsewhere, at: life.device.now.advanced(by: .seconds(10)))
    #expect(life.counters.outcomeCount(.suggestion, .used) == used)
    try life.donate("weather", "CheckWeather", Self.cupertino, at: life.device.now.advanced(by: .seconds(10)))
    #expect(life.counters.outcomeCount(.suggestion, .used) == used + 1)
  }

  @Test("Stated probabilities are the midpoint of the interval that is rounded down to them")
  func probabilities() {
    #expect(DecisionCounters.probability(parts: 3) == 0.218_75 && DecisionCounters.probability(parts: 16) == 1)
    for parts in 1..<DecisionCounters.partCount {
      #expect(PredictionSchedule.parts(of: DecisionCounters.probability(parts: parts)) == parts)
    }
  }

  @Test("Pending decisions are bounded: the oldest one is counted as unused")
  func bounded() throws {
    var outcomes = OutcomeTracker()
    var counters = DecisionCounters()
    outcomes.begin(&counters)
    let widget = Widget(kind: WidgetKind(app: try AppID("com.a"), name: try KindName("b")))
    for minute in 0..<65 {
      outcomes.follow(
        .rotation, of: widget, nil, on: Habitat.home, Habitat.time(0, 0).advanced(by: .seconds(Int64(minute))))
    }
    outcomes.end(&counters)
    #expect(counters.outcomeCount(.rotation, .unused) == 1 && !outcomes.isCounting)
    outcomes.follow(.rotation, of: widget, nil, on: Habitat.home, Habitat.time(1, 0))
    outcomes.begin(&counters)
    outcomes.expire(at: Habitat.time(2, 0))
    outcomes.end(&counters)
    #expect(counters.outcomeCount(.rotation, .unused) == 65)
  }
}
