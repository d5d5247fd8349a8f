import MarqueeModel
import MarqueeScheduler
import Testing

/// Surface suggestions from donations of system intent types: media, messages and reservations.
@Suite struct MediaAndMessageTests {
  private static func episode(_ name: String, of show: String) throws -> Intent {
    try Habitat.intent(
      "INPlayMediaIntent", [("mediaItem", Habitat.object(name)), ("mediaContainer", Habitat.object(show))])
  }

  /// A user who played the given number of episodes of each show, and an app with the given upcoming episodes.
  private static func radio(
    played: [(String, Int)], next: [(String, String)], mode: UpcomingMedia.Mode = .predictive
  ) throws -> Habitat {
    var life = try Habitat()
    for (show, count) in played {
      for number in 0..<count {
        try life.donate("radio", .intent(try episode("\(show) \(number)", of: show)), at: life.device.now)
      }
    }
    let intents = try next.map { try episode($0.0, of: $0.1) }
    try life.send(.upcomingMediaSet(try Habitat.app("radio"), try UpcomingMedia(intents: intents, mode: mode)))
    return life
  }

  private static func playing(_ life: Habitat) -> [String] {
    life.device.suggestions(on: .nowPlaying, count: 10).compactMap {
      guard case .upcomingMedia(_, let intent) = $0.subject,
        case .single(.object(let item))? =
          intent.parameters.first(where: { $0.name.text == "mediaItem" })?.value
      else { return nil }
      return item.identifier
    }
  }

  @Test("D7 New items come in the app's order, and those of a show that is played come first")
  func containers() throws {
    let next = [("a", "News"), ("b", "Poetry"), ("c", "Science"), ("d", "Science")]
    #expect(Self.playing(try Self.radio(played: [], next: next)) == ["a", "b", "c", "d"])
    let life = try Self.radio(played: [("Science", 6), ("Poetry", 1)], next: next)
    #expect(Self.playing(life) == ["c", "d", "b", "a"])
    let first = try #require(life.device.suggestions(on: .nowPlaying, count: 1).first)
    #expect(first.reason == .upcoming(place: 3, playedCount: 6, playCount: 7))
    #expect(first.confidence == 0.7)
    #expect(first.reason.words().contains("6 of its last 7 plays"))
  }

  @Test("D7 Played items are not suggested; a list replaces the previous one, and an empty one clears it")
  func played() throws {
    var life = try Self.radio(played: [("News", 2)], next: [("a", "News"), ("b", "News")])
    try life.donate("radio", .intent(try Self.episode("a", of: "News")), at: life.device.now)
    #expect(Self.playing(life) == ["b"])
    let app = try Habitat.app("radio")
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [try Self.episode("c", of: "News")])))
    #expect(Self.playing(life) == ["c"])
    try life.store()
    #expect(Self.playing(life) == ["c"])
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [])))
    #expect(Self.playing(life) == [] && life.device.upcomingMedia(of: app) == nil)
  }

  @Test("D7 In the mode only-suggested, media habits are not suggested")
  func onlySuggested() throws {
    var life = try Habitat()
    try life.register("radio", "INPlayMediaIntent", [("mediaContainer", .object)], [["mediaContainer"]])
    for day in 0..<10 {
      try life.donate(
        "radio", "INPlayMediaIntent", [("mediaContainer", Habitat.object("News"))], at: Habitat.time(day, 8))
    }
    life.advance(to: Habitat.time(10, 7, 50))
    let app = try Habitat.app("radio")
    func habits() -> Int {
      life.device.suggestions(on: .nowPlaying, count: 9).count { if case .action = $0.subject { true } else { false } }
    }
    #expect(habits() == 1)
    let items = [try Self.episode("new", of: "News")]
    for mode in UpcomingMedia.Mode.allCases {
      try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: items, mode: mode)))
      #expect(habits() == (mode == .predictive ? 1 : 0))
      #expect(Self.playing(life) == ["new"])
      #expect(
        life.device.suggestions(on: .lockScreen, count: 9).contains { $0.subject == .upcomingMedia(app, items[0]) })
    }
    life.advance(to: Habitat.time(10, 14))
    #expect(life.device.suggestions(on: .lockScreen, count: 9).isEmpty)
  }

  @Test("D7 Items of another type, duplicate items, and items beyond the limit are rejected")
  func errors() throws {
    let life = try Habitat()
    let item = try Self.episode("a", of: "News")
    let other = try Habitat.intent("OrderSoup", [])
    for intents in [[item, other], [item, item]] {
      let error = #expect(throws: RequestError.self) { try UpcomingMedia(intents: intents) }
      #expect(error?.field == "intents[1]")
    }
    var limits = Limits()
    limits.upcomingMediaCountMax = 0
    let event = Event.upcomingMediaSet(try Habitat.app("radio"), try UpcomingMedia(intents: [item]))
    let error = #expect(throws: RequestError.self) { try life.device.check(event, limits: limits) }
    #expect(error?.code == .resourceExhausted && error?.field == "intents")
    #expect(error?.reason.contains(" exceeds upcoming-media-count-max (") == true)
    limits = Limits()
    limits.donationSizeMax = 10
    let large = #expect(throws: RequestError.self) { try life.device.check(event, limits: limits) }
    #expect(large?.field == "intents[0]")
  }

  // MARK: Messages

  private static func message(_ life: inout Habitat, to names: [String]) throws {
    let persons = names.map { IntentValue.person(DisplayIdentity(identifier: $0, display: "Dear \($0)")) }
    let recipients = IntentParameter(name: try IntentParameter.Name("recipients"), value: .array(persons))
    let intent = try Intent(type: .sendMessage, parameters: [recipients])
    try life.donate("chat", .intent(intent), at: life.device.now)
  }

  private static func office() throws -> (life: Habitat, work: FocusID) {
    var life = try Habitat()
    let work = try FocusID("work")
    for _ in 0..<20 { try message(&life, to: ["ben"]) }
    try life.report(.contextChanged(.focus(work)), at: life.device.now)
    for _ in 0..<6 { try message(&life, to: ["aga"]) }
    for _ in 0..<3 { try message(&life, to: ["aga", "cem"]) }
    for _ in 0..<2 { try message(&life, to: ["ben"]) }
    return (life, work)
  }

  @Test(
    "D8 Recipients of many messages in a focus are allowed in it; people with few, or with others elsewhere, are not")
  func people() throws {
    var (life, work) = try Self.office()
    let people = life.device.people(allowedIn: work)
    #expect(people.map(\.person.identifier) == ["aga", "cem"])
    #expect(people.map(\.sentCount) == [9, 3] && people.allSatisfy { $0.messageCount == 11 })
    #expect(people.first?.person.display == "Dear aga")
    #expect(life.device.people(allowedIn: try FocusID("sleep")).isEmpty)
    try life.send(.donationsDeleted(try Habitat.app("chat"), .everything))
    #expect(life.device.people(allowedIn: work).isEmpty)
  }

  @Test("P6 The share sheet lists recipients of messages, in the current focus if there is one")
  func shareSheet() throws {
    var (life, _) = try Self.office()
    func shared() -> [String] {
      life.device.suggestions(on: .shareSheet, count: 9).compactMap {
        if case .person(_, let person) = $0.subject { person.identifier } else { nil }
      }
    }
    #expect(shared() == ["aga", "cem", "ben"])
    try life.report(.contextChanged(.focus(nil)), at: life.device.now)
    #expect(shared() == ["ben", "aga"], "without a focus all messages count; cem got 3 of 31")
  }

  // MARK: Reservations

  private static let station: Place = {
    do { return try Place(latitude: 52.52, longitude: 13.37, display: "Station") } catch { preconditionFailure() }
  }()

  @discardableResult
  private static func train(
    _ life: inout Habitat, at start: Instant, place: Place? = station, checkIn: DateWindow? = nil,
    travelTime: TimeSpan? = nil
  ) throws -> Donation.ID {
    let reservation = try Reservation(
      item: DisplayIdentity(identifier: "ICE 5", display: "ICE 5"), start: start, place: place, checkIn: checkIn,
      travelTime: travelTime)
    return try life.donate(
      "rail", .reservations(try Intent(type: .reservationDetails), [reservation]), at: life.device.now)
  }

  private static func errands(_ life: Habitat, _ surface: SuggestionSurface = .lockScreen) -> [Errand] {
    life.device.suggestions(on: surface, count: 9).compactMap {
      if case .reservation(_, _, let errand) = $0.subject { errand } else { nil }
    }
  }

  @Test("D8 Leaving is suggested from exactly one hour before the reservation until it begins")
  func leave() throws {
    var life = try Habitat()
    let start = Habitat.time(0, 18)
    try Self.train(&life, at: start)
    for (instant, expected) in [
      (start.advanced(by: TimeSpan(milliseconds: -3_600_001)), []), (start.advanced(by: .hours(-1)), [Errand.leave]),
      (start.advanced(by: TimeSpan(milliseconds: -1)), [.leave]), (start, []), (start.advanced(by: .hours(1)), []),
    ] {
      life.advance(to: instant)
      for surface in [SuggestionSurface.lockScreen, .search, .suggestionsWidget, .watchFace] {
        #expect(Self.errands(life, surface) == expected, "\(Habitat.text(instant)) \(surface)")
      }
    }
  }

  @Test("D8 Leaving is not suggested at the place, or without a place")
  func there() throws {
    var life = try Habitat()
    try Self.train(&life, at: Habitat.time(0, 1))
    #expect(Self.errands(life) == [.leave])
    try life.report(.contextChanged(.place(Self.station)), at: Habitat.time(0, 0, 30))
    #expect(Self.errands(life) == [])
    try Self.train(&life, at: Habitat.time(0, 1), place: nil)
    try life.report(.contextChanged(.place(nil)), at: Habitat.time(0, 0, 31))
    #expect(Self.errands(life) == [], "the reservation donated last counts")
  }

  @Test("S9 Without a place, leaving is suggested if the app knows the travel time, wherever the user is")
  func placeless() throws {
    var life = try Habitat()
    let start = Habitat.time(0, 18)
    try Self.train(&life, at: start, place: nil, travelTime: .minutes(25))
    #expect(life.device.nextSurfaceChange(on: .notifications) == start.advanced(by: .minutes(-25)))
    life.advance(to: start.advanced(by: .minutes(-25)))
    #expect(Self.errands(life) == [.leave] && Self.errands(life, .notifications) == [.leave])
    try life.report(.contextChanged(.place(Self.station)), at: life.device.now)
    #expect(Self.errands(life) == [.leave])
    life.advance(to: start)
    #expect(Self.errands(life) == [])
  }

  @Test("S9 With a travel time of zero, leaving is never suggested, and no list can change because of it")
  func noTravel() throws {
    for place in [Self.station, nil] {
      var life = try Habitat()
      try Self.train(&life, at: Habitat.time(0, 18), place: place, travelTime: .zero)
      #expect(life.device.nextSurfaceChange(on: .notifications) == nil)
      life.advance(to: Habitat.time(0, 17, 59))
      #expect(Self.errands(life) == [])
    }
  }

  @Test("S9 Dismissing notifications of an item, however often, does not suppress later ones")
  func dismissedNotifications() throws {
    var life = try Habitat()
    for day in 0..<11 {
      try Self.train(&life, at: Habitat.time(day, 18))
      life.advance(to: Habitat.time(day, 17, 30))
      let leave = try #require(life.device.suggestions(on: .notifications, count: 1).first, "day \(day)")
      #expect(leave.confidence == 1 && leave.until == Habitat.time(day, 18))
      for outcome in [SuggestionOutcome.shown, .dismissed] {
        try life.report(.surfaceSuggestion(.notifications, leave.id, outcome), at: life.device.now)
      }
      #expect(Self.errands(life, .notifications) == [] && Self.errands(life) == [.leave])
      life.advance(to: Habitat.time(day, 17, 59))
      #expect(Self.errands(life, .notifications) == [])
    }
  }

  @Test(
    "D8 Check-in is suggested while it is open, until it is done or the reservation is deleted")
  func checkIn() throws {
    var life = try Habitat()
    let start = Habitat.time(1, 9)
    let window = try DateWindow(start: Habitat.time(0, 9), end: Habitat.time(1, 8))
    let donation = try Self.train(&life, at: start, place: nil, checkIn: window)
    #expect(Self.errands(life) == [])
    life.advance(to: Habitat.time(0, 9))
    #expect(Self.errands(life) == [.checkIn])
    let suggestion = try #require(life.device.suggestions(on: .lockScreen, count: 1).first)
    #expect(suggestion.until == Habitat.time(1, 8) && suggestion.confidence == 1)
    var done = life
    for outcome in [SuggestionOutcome.shown, .acted] {
      try done.report(.surfaceSuggestion(.search, suggestion.id, outcome), at: Habitat.time(0, 10))
    }
    #expect(SuggestionSurface.allCases.allSatisfy { Self.errands(done, $0) == [] })
    life.advance(to: Habitat.time(0, 22))
    #expect(Self.errands(life) == [.checkIn])
    var deleted = life
    try deleted.send(.donationsDeleted(try Habitat.app("rail"), .identifiers([donation])))
    #expect(Self.errands(deleted) == [])
    life.advance(to: Habitat.time(1, 8))
    #expect(Self.errands(life) == [])
  }

  @Test(
    "S9 Leaving is a notification from the travel time before the reservation, by default one hour",
    arguments: [nil, 0, 1, 25 * 60_000, 86_400_000])
  func travelTime(milliseconds: Int64?) throws {
    var life = try Habitat()
    let (start, travelTime) = (Habitat.time(2, 18), milliseconds.map(TimeSpan.init(milliseconds:)))
    try Self.train(&life, at: start, travelTime: travelTime)
    try life.store()
    let due = start.advanced(by: TimeSpan(milliseconds: -(milliseconds ?? 3_600_000)))
    for (instant, expected) in [
      (due.advanced(by: TimeSpan(milliseconds: -1)), []), (due, milliseconds == 0 ? [] : [Errand.leave]), (start, []),
    ] where instant >= life.device.now {
      life.advance(to: instant)
      for surface in [SuggestionSurface.notifications, .lockScreen] {
        #expect(Self.errands(life, surface) == expected, "\(Habitat.text(instant)) \(surface)")
      }
    }
  }

  @Test("S9 Notifications are the errands that are due, and nothing else; an errand that is done is gone")
  func notifications() throws {
    var life = try Self.radio(played: [("News", 6)], next: [("a", "News")])
    let window = try DateWindow(start: life.device.now, end: Habitat.time(0, 20))
    try Self.train(&life, at: Habitat.time(0, 21), checkIn: window, travelTime: .minutes(40))
    life.advance(to: Habitat.time(0, 12))
    #expect(life.device.suggestions(on: .nowPlaying, count: 9).count == 1)
    let checkIn = try #require(life.device.suggestions(on: .notifications, count: 9).first)
    #expect(Self.errands(life, .notifications) == [.checkIn] && checkIn.until == Habitat.time(0, 20))
    try life.report(.surfaceSuggestion(.notifications, checkIn.id, .acted), at: life.device.now)
    #expect(SuggestionSurface.allCases.allSatisfy { Self.errands(life, $0) == [] })
    life.advance(to: Habitat.time(0, 20, 20))
    #expect(life.device.suggestions(on: .notifications, count: 9).map(\.confidence) == [1])
    #expect(Self.errands(life, .notifications) == [.leave])
    let leave = try #require(life.device.suggestions(on: .notifications, count: 1).first)
    try life.report(.surfaceSuggestion(.notifications, leave.id, .dismissed), at: life.device.now)
    #expect(Self.errands(life, .notifications) == [] && Self.errands(life) == [.leave])
  }

  @Test("S9 A travel time that is negative, or longer than a day, is rejected")
  func longTrip() throws {
    for (milliseconds, code) in [(Int64(-1), RequestError.Code.invalidArgument), (86_400_001, .resourceExhausted)] {
      var life = try Habitat()
      let error = #expect(throws: RequestError.self) {
        try Self.train(&life, at: Habitat.time(0, 1), travelTime: TimeSpan(milliseconds: milliseconds))
      }
      #expect(error?.field == "travel_time_ms" && error?.code == code)
      #expect(error?.reason.contains("travel-time-max") == (milliseconds > 0))
    }
  }

  @Test("D5 Nothing of a deleted reservation remains in the encoded device")
  func erased() throws {
    var life = try Habitat()
    let before = life.device
    let donation = try Self.train(&life, at: Habitat.time(0, 1))
    let id = try #require(life.device.suggestions(on: .lockScreen, count: 1).first).id
    try life.report(.surfaceSuggestion(.lockScreen, id, .shown), at: life.device.now)
    #expect(life.device != before)
    try life.send(.donationsDeleted(try Habitat.app("rail"), .identifiers([donation])))
    #expect(life.device.encoded == before.encoded)
  }
}
