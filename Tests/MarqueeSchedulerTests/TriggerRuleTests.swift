import MarqueeModel
import MarqueeScheduler
import Testing

/// Events that actions follow at varying hours: headphones, workouts and arrivals (rule S10).
@Suite struct TriggerRuleTests {
  /// The hours at which the trigger occurs on each of ten days: none twice, and none that of the last day.
  private static let hours = [8, 19, 11, 20, 12, 9, 18, 13, 21, 10]
  private static let lastHour = 15

  private static let (home, park) = (place(52.5, 13.4, "Home"), place(52.4, 13.2, "Park"))

  private static func place(_ latitude: Double, _ longitude: Double, _ name: String) -> Place {
    do { return try Place(latitude: latitude, longitude: longitude, display: name) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// What happens at a trigger, and how it ends.
  enum Trigger: CaseIterable, CustomTestStringConvertible {
    case headphones
    case workout
    case arrival

    var testDescription: String { "\(self)" }

    fileprivate var report: UserReport {
      switch self {
      case .headphones: .contextChanged(.routine(.headphonesConnected))
      case .workout: .contextChanged(.routine(.activeWorkout))
      case .arrival: .contextChanged(.place(park))
      }
    }

    fileprivate var end: UserReport? { self == .arrival ? .contextChanged(.place(home)) : nil }
  }

  private static let news = [("mediaContainer", Habitat.object("News"))]

  /// A user who plays the news two to four minutes after each trigger, among other actions in every hour. On the last
  /// day, the stack shows the clock before the trigger.
  private static func life(_ trigger: Trigger, isFollowed: Bool = true) throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    try life.register("radio", "INPlayMediaIntent", [("mediaContainer", .object)], [["mediaContainer"]])
    try life.stack([try Habitat.widget("radio", "INPlayMediaIntent", news)])
    if let end = trigger.end { try life.report(end, at: Habitat.time(0, 0, 1)) }
    for day in 0...hours.count {
      for hour in 8...21 where day < hours.count || hour < lastHour {
        if day < hours.count, hour == hours[day] { try happen(trigger, day, hour, isFollowed, &life) }
        let number = (day * 31 + hour * hour * 7) % 7
        try life.donate("notes", "Read", [("note", .integer(Int64(number)))], at: Habitat.time(day, hour, 50))
      }
    }
    // The hold after the scroll ends before the trigger.
    life.advance(to: Habitat.time(hours.count, lastHour - 1, 55))
    try life.toClock()
    life.advance(to: Habitat.time(hours.count, lastHour, 22))
    return life
  }

  private static var lastTrigger: Instant { Habitat.time(hours.count, lastHour, 23) }

  private static func happen(
    _ trigger: Trigger, _ day: Int, _ hour: Int, _ isFollowed: Bool, _ life: inout Habitat
  ) throws {
    // Not on the grid of five minutes.
    try life.report(trigger.report, at: Habitat.time(day, hour, 11 + day % 7))
    if isFollowed {
      try life.donate("radio", "INPlayMediaIntent", news, at: Habitat.time(day, hour, 13 + day % 7 + day % 3))
    }
    if let end = trigger.end { try life.report(end, at: Habitat.time(day, hour, 45)) }
  }

  private static func offers(_ life: Habitat, on surface: SuggestionSurface) -> Bool {
    life.device.suggestions(on: surface, count: 10).contains { suggestion in
      guard case .action(.intent(let app, let intent)) = suggestion.subject else { return false }
      return app.text == "com.example.radio" && intent.mediaContainer?.identifier == "News"
    }
  }

  private static let surfaces: [SuggestionSurface] = [.nowPlaying, .lockScreen, .suggestionsWidget]

  /// Expects the news on the surfaces and in front of the stack at the instant of the trigger.
  private func expectOffer(_ trigger: Trigger) throws -> Habitat {
    var life = try Self.life(trigger)
    #expect(!Self.offers(life, on: .lockScreen))
    #expect(life.device.stack(Habitat.home)?.frontWidget?.configuration == nil)
    let instant = Self.lastTrigger
    try life.report(trigger.report, at: instant)
    // At once: no time passes, and no step of the predictions is due.
    #expect(life.device.now == instant)
    for surface in Self.surfaces { #expect(Self.offers(life, on: surface), "\(surface)") }
    let radio = try Habitat.widget("radio", "INPlayMediaIntent", Self.news)
    #expect(life.device.stack(Habitat.home)?.frontWidget == radio)
    #expect(life.output.last == "\(Habitat.text(instant)) rotate to INPlayMediaIntent(mediaContainer: News)")
    return life
  }

  @Test(
    "S10 What usually follows a trigger is on the surfaces and in front of its stack at the next one, at any hour",
    arguments: Trigger.allCases)
  func next(trigger: Trigger) throws {
    var life = try expectOffer(trigger)
    // The offer ends by itself.
    life.advance(to: Habitat.time(Self.hours.count, Self.lastHour + 3))
    #expect(!Self.offers(life, on: .lockScreen))
  }

  @Test("S10 A trigger after which nothing usually happens offers nothing", arguments: Trigger.allCases)
  func nothing(trigger: Trigger) throws {
    var life = try Self.life(trigger, isFollowed: false)
    try life.report(trigger.report, at: Self.lastTrigger)
    for surface in Self.surfaces { #expect(!Self.offers(life, on: surface), "\(surface)") }
    #expect(life.device.stack(Habitat.home)?.frontWidget?.configuration == nil)
  }

  @Test(
    "S10 An upcoming item of the show that follows a trigger is offered at the trigger",
    arguments: Trigger.allCases)
  func upcoming(trigger: Trigger) throws {
    var life = try Self.life(trigger)
    let episode = try Habitat.intent(
      "INPlayMediaIntent", [("mediaContainer", Habitat.object("News")), ("mediaItem", Habitat.object("news-13"))])
    let app = try Habitat.app("radio")
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [episode])))
    func isOffered() -> Bool {
      life.device.suggestions(on: .lockScreen, count: 10).contains { $0.subject == .upcomingMedia(app, episode) }
    }
    #expect(!isOffered())
    try life.report(trigger.report, at: Self.lastTrigger)
    #expect(isOffered())
  }
}
