import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// What is counted of decisions and predictions; that counting changes nothing, every script and habit shows.
@Suite struct TallyTests {
  /// A device that is stored and read back waits for nothing any more.
  private static let unstored: [Scene.Way] = [.plain, .ticking]
  private static let cupertino = [("location", Habitat.object("Cupertino"))]

  /// Eight days of checking the weather at 07:30, with other things by day.
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

  private static func judged(_ tally: Tally) -> Int {
    (1...Tally.partCount).reduce(0) { $0 + tally.judgedCount(parts: $1) }
  }

  private static func cameTrue(_ tally: Tally) -> Int {
    (1...Tally.partCount).reduce(0) { $0 + tally.trueCount(parts: $1) }
  }

  @Test("A gate that holds the best candidate counts once, however often it is looked at")
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

  @Test("Of two gates that time opens, the later one counts; another candidate counts anew")
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

  @Test("What is not ahead of the front is held by the margin, and what Smart Rotate may not move by that")
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

  @Test("A rotation came true when its widget is tapped within half an hour")
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

  @Test("After half an hour it is too late")
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

  @Test("A prediction is judged once for each half hour: by the donation that fulfils it, or when the time is over")
  func predictions() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 6, 0))
    let before = life.tally
    // The first morning it is done, the second it is not.
    while life.device.stack(Habitat.home)?.suggestedWidget == nil {
      life.advance(to: life.device.now.advanced(by: .minutes(5)))
    }
    let stated = life.device.now
    let widgets = life.device.widgets
    let predicted = widgets.taken.compactMap { widgets[$0].prediction?.parts }
    let parts = try #require(predicted.first)
    #expect(Self.judged(life.tally) == Self.judged(before))
    try life.donate("weather", "CheckWeather", Self.cupertino, at: stated.advanced(by: .minutes(4)))
    #expect(life.tally.judgedCount(parts: parts) == before.judgedCount(parts: parts) + 1)
    #expect(life.tally.trueCount(parts: parts) == before.trueCount(parts: parts) + 1)
    #expect(Self.judged(life.tally) == Self.judged(before) + 1)
    life.advance(to: Habitat.time(9, 6, 0))
    let second = life.tally
    life.advance(to: Habitat.time(9, 12, 0))
    #expect(Self.judged(life.tally) > Self.judged(second) && Self.cameTrue(life.tally) == Self.cameTrue(second))
  }

  @Test("A suggestion came true when what it is about is done, and not when something else of the app is")
  func suggestions() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 6, 0))
    while life.device.stack(Habitat.home)?.suggestedWidget == nil {
      life.advance(to: life.device.now.advanced(by: .minutes(5)))
    }
    let used = life.tally.outcomeCount(.suggestion, .used)
    let elsewhere = [("location", Habitat.object("Berlin"))]
    try life.donate("weather", "CheckWeather", elsewhere, at: life.device.now.advanced(by: .seconds(10)))
    #expect(life.tally.outcomeCount(.suggestion, .used) == used)
    try life.donate("weather", "CheckWeather", Self.cupertino, at: life.device.now.advanced(by: .seconds(10)))
    #expect(life.tally.outcomeCount(.suggestion, .used) == used + 1)
  }

  @Test("Stated probabilities are the middle of what is rounded down to them")
  func probabilities() {
    #expect(Tally.probability(parts: 3) == 0.218_75 && Tally.probability(parts: 16) == 1)
    for parts in 1..<Tally.partCount { #expect(Foresight.parts(of: Tally.probability(parts: parts)) == parts) }
  }

  @Test("Decisions that are waited for are bounded: the oldest of many is taken for unused")
  func bounded() throws {
    var book = OutcomeBook()
    var tally = Tally()
    book.begin(&tally)
    let widget = Widget(kind: WidgetKind(app: try AppID("com.a"), name: try KindName("b")))
    for minute in 0..<65 {
      book.follow(
        .rotation, of: widget, nil, on: Habitat.home, Habitat.time(0, 0).advanced(by: .seconds(Int64(minute))))
    }
    book.end(&tally)
    #expect(tally.outcomeCount(.rotation, .unused) == 1 && !book.isCounting)
    book.follow(.rotation, of: widget, nil, on: Habitat.home, Habitat.time(1, 0))
    book.begin(&tally)
    book.expire(at: Habitat.time(2, 0))
    book.end(&tally)
    #expect(tally.outcomeCount(.rotation, .unused) == 65)
  }
}
