import Foundation
import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import Testing

/// Suggestions and widgets that the user taps, continued by a scene.
@Suite("Scenes", .timeLimit(.minutes(2)), .serialized)
struct SceneTests {
  private static let app = TransitWidgets.app

  private func run(_ bundle: some WidgetBundle, _ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(bundle, app: Self.app)
      try await day.addStack("home", family: .systemMedium, ["\(Self.app)/Departures(line=object:u2)"])
      try await body(day)
    }
  }

  /// Has the app continue a suggestion with this subject.
  private func tap(_ subject: SurfaceSuggestion.Subject, _ day: StackSimulator) async throws -> ContinuationOutcome {
    try await day.tap(subject.id, on: .search)
  }

  /// Returns the app's relevant shortcuts, with the relevance of its kinds.
  private func shortcuts(of day: StackSimulator) async throws -> [RelevantShortcut] {
    try await day.admin.shortcuts(on: DeviceID(day.device), of: AppID(Self.app)).apps.flatMap(\.shortcuts)
      .map(\.shortcut)
  }

  /// Donates an intent of the app, whose type has a combination of all parameters, and returns the suggestion.
  private func donate(_ intent: some AppIntent, _ day: StackSimulator) async throws -> SurfaceSuggestion.Subject {
    try await day.run(as: Self.app) { _ = try await intent.donate() }
    return .action(.intent(try AppID(Self.app), try intent.encoded()))
  }

  @Test("S8 A donated activity is continued with its title and all of userInfo, until it is deleted")
  func activities() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      let activity = NSUserActivity(activityType: "com.example.transit.line")
      activity.title = "Line U2"
      activity.userInfo = [
        "line": INObject(identifier: "u2", display: "U2 Pankow"), "stop": "Mitte", "zoom": [1.5, 2],
      ]
      activity.requiredUserInfoKeys = ["line"]
      (activity.isEligibleForSearch, activity.isEligibleForPrediction) = (true, true)
      activity.persistentIdentifier = "line-u2"
      try await day.run(as: Self.app) { try await activity.donate() }
      let line = try MarqueeModel.IntentParameter(
        name: .init("line"), value: .single(.object(DisplayIdentity(identifier: "u2", display: ""))))
      let subject = SurfaceSuggestion.Subject.action(
        .userActivity(try AppID(Self.app), try .init("com.example.transit.line"), [line]))
      #expect(try await tap(subject, day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == ["Line U2 U2 Pankow Mitte [1.5, 2.0]"])
      try await day.run(as: Self.app) {
        try await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["line-u2"])
      }
      let gone = await #expect(throws: RPCStatus.self) { try await tap(subject, day) }
      #expect(gone?.code == .notFound && ContinuedTransitWidgets.log.drain().isEmpty)
    }
  }

  @Test("S8 A tapped widget is continued with its configuration, kind, family and link; without a handler it is not")
  func widgets() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      #expect(try await day.tap("Departures", in: "home") == .handled)
      #expect(try await day.tap("Departures", in: "home", link: "transit://lines/u2") == .handled)
      #expect(
        ContinuedTransitWidgets.log.drain() == [
          "Departures systemMedium U2 Pankow ", "Departures systemMedium U2 Pankow transit://lines/u2",
        ])
      try await day.addStack("work", family: .systemMedium, ["\(Self.app)/Beat"])
      #expect(try await day.tap("Beat", in: "work") == .notHandled)
      let reserve = try MarqueeModel.Widget(
        kind: WidgetKind(app: AppID(Self.app), name: KindName("Reserve")),
        configuration: MarqueeModel.Intent(type: IntentType("ReserveIntent")))
      try await day.display.report(.homeWidgetAdded(reserve, in: .systemSmall), on: DeviceID(day.device))
      let outcome = try await day.tap("\(Self.app)/Reserve()", onHomeScreenIn: .systemSmall)
      #expect(outcome == .handled && ContinuedTransitWidgets.log.drain() == ["reserve - in systemSmall"])
    }
  }

  @Test("S8 A handler of links receives only taps with a link, without queries of entities")
  func links() async throws {
    try await run(LinkedTransitWidgets()) { day in
      let isOpened = try await day.tap("Departures", in: "home", link: "transit://lines/u2?a=b#c")
      #expect(isOpened == .handled && LinkedTransitWidgets.log.drain() == ["open transit://lines/u2?a=b#c"])
      #expect(try await day.tap("Departures", in: "home") == .notHandled)
      let relative = await #expect(throws: RequestError.self) {
        try await day.tap("Departures", in: "home", link: "lines/u2")
      }
      #expect(relative?.code == .invalidArgument && LinkedTransitWidgets.log.drain().isEmpty)
      try await day.addStack("work", family: .systemMedium, ["\(Self.app)/Reserve(seat=object:7)"])
      let count = SeatQuery.count.value
      let outcomes = try await brokenSeats {
        [
          try await day.tap("Reserve", in: "work", link: "transit://seats/7"),
          try await day.tap("Reserve", in: "work"),
        ]
      }
      #expect(outcomes == [.handled, .notHandled])
      #expect(LinkedTransitWidgets.log.drain() == ["open transit://seats/7"] && SeatQuery.count.value == count)
    }
  }

  @Test("S8 A widget whose configuration cannot be resolved is continued without it")
  func unresolved() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      try await day.addStack("work", family: .systemMedium, ["\(Self.app)/Reserve(seat=object:7)"])
      #expect(try await day.tap("Reserve", in: "work") == .handled)
      let outcome = try await brokenSeats { try await day.tap("Reserve", in: "work") }
      #expect(outcome == .handled)
      #expect(
        ContinuedTransitWidgets.log.drain() == ["reserve 7 in systemMedium", "reserve - in systemMedium"])
    }
  }

  /// Has the queries of seats fail while `body` runs.
  private func brokenSeats<Result>(_ body: () async throws -> Result) async throws -> Result {
    SeatQuery.isBroken.withLock { $0 = true }
    defer { SeatQuery.isBroken.withLock { $0 = false } }
    return try await body()
  }

  @Test("S8 An intent is continued by the scene's handler for its type; without one, the display has it performed")
  func intents() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      let ride = RideIntent()
      ride.line = INObject(identifier: "u2", display: "U2 Pankow")
      ride.passengers = 2
      try await day.run(as: Self.app) { try await INInteraction(intent: ride, response: nil).donate() }
      let line = IntentValue.object(DisplayIdentity(identifier: "u2", display: ""))
      let model = try MarqueeModel.Intent(
        type: IntentType("RideIntent"),
        parameters: [
          .init(name: .init("line"), value: .single(line)),
          .init(name: .init("passengers"), value: .single(.integer(2))),
        ])
      #expect(try await tap(.action(.intent(AppID(Self.app), model)), day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == ["ride U2 Pankow 2"])
      let count = Tickets.count.value
      for intent: any AppIntent in [BoardTrain(), BuyTicket(Line.all[0])] {
        let suggestion = try await donate(intent, day)
        #expect(try await tap(suggestion, day) == .performIntent)
      }
      #expect(ContinuedTransitWidgets.log.drain().isEmpty && Tickets.count.value == count)
    }
  }

  @Test("S8 The configuration intent of a kind is continued as such, and never performed")
  func configurations() async throws {
    let line = IntentValue.object(DisplayIdentity(identifier: "u2", display: ""))
    let model = try MarqueeModel.Intent(
      type: IntentType("DeparturesIntent"), parameters: [.init(name: .init("line"), value: .single(line))])
    let subject = SurfaceSuggestion.Subject.action(.intent(try AppID(Self.app), model))
    func donateDepartures(_ day: StackSimulator) async throws {
      let departures = DeparturesIntent()
      departures.line = Line.all[0]
      try await day.run(as: Self.app) { _ = try await departures.donate() }
    }
    try await run(ContinuedTransitWidgets()) { day in
      try await donateDepartures(day)
      #expect(try await tap(subject, day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == ["  U2 Pankow "])
      let reserve = try #require(try await shortcuts(of: day).first { $0.kind?.text == "Reserve" })
      #expect(try await tap(.shortcut(AppID(Self.app), reserve), day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == ["reserve 7 in -"])
    }
    try await run(LinkedTransitWidgets()) { day in
      try await donateDepartures(day)
      #expect(try await tap(subject, day) == .notHandled)
    }
  }

  @Test("S8 A person and an errand are passed to the scene with the donated intent, which is never performed")
  func pastIntents() async throws {
    let app = try AppID(Self.app)
    let people = ["Aga", "Bo"].map { name in
      INPerson(
        personHandle: nil, nameComponents: nil, displayName: name, contactIdentifier: nil,
        customIdentifier: name.lowercased())
    }
    let table = try Reservation(
      item: DisplayIdentity(identifier: "table", display: "Table"),
      start: try #require(Instant(milliseconds: 1_700_000_000_000)))
    func donate(_ day: StackSimulator) async throws {
      let interaction = INInteraction(intent: INSendMessageIntent(recipients: people), response: nil)
      try await day.run(as: Self.app) { try await interaction.donate() }
      let provider = try ProviderClient(
        day.server.connection(), device: DeviceID(day.device), app: app, kinds: [])
      let reserve = try MarqueeModel.Intent(type: IntentType("INGetReservationDetailsIntent"))
      try await provider.donate([
        Donation(id: .init("table"), date: day.server.now, activity: .reservations(reserve, [table]))
      ])
    }
    let aga = SurfaceSuggestion.Subject.person(app, DisplayIdentity(identifier: "aga", display: ""))
    let errands = Errand.allCases.map { SurfaceSuggestion.Subject.reservation(app, table, $0) }
    let sent = SendHandler.sent.value
    try await run(ContinuedTransitWidgets()) { day in
      try await donate(day)
      for subject in [aga] + errands { #expect(try await tap(subject, day) == .handled) }
      #expect(
        ContinuedTransitWidgets.log.drain() == ["share with Aga, as sent to Aga+Bo", "leave Table", "checkIn Table"])
    }
    try await run(LinkedTransitWidgets()) { day in
      try await donate(day)
      for subject in [aga] + errands { #expect(try await tap(subject, day) == .notHandled) }
    }
    #expect(SendHandler.sent.value == sent)
  }

  @Test("D9 S8 A sender of received messages alone is continued without an intent")
  func sender() async throws {
    let aga = INPerson(
      personHandle: nil, nameComponents: nil, displayName: "Aga", contactIdentifier: nil, customIdentifier: "aga")
    let interaction = INInteraction(intent: INSendMessageIntent(recipients: nil, sender: aga), response: nil)
    interaction.direction = .incoming
    let subject = SurfaceSuggestion.Subject.person(
      try AppID(Self.app), DisplayIdentity(identifier: "aga", display: ""))
    try await run(ContinuedTransitWidgets()) { day in
      try await day.run(as: Self.app) { try await interaction.donate() }
      #expect(try await tap(subject, day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == ["share with Aga, as sent to -"])
    }
  }

  @Test("An intent continues in the foreground with a closure, and returns its value; declined, it does not run")
  func foreground() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      var prompts: [String] = []
      let outcome = try await day.perform(
        BoardTrain(), app: Self.app,
        agree: { prompt in
          prompts.append(prompt.dialog)
          return prompt.purpose == .foreground
        })
      #expect(outcome.value == .single(.string("seat 10")) && prompts == ["Choose a seat?"])
      #expect(ContinuedTransitWidgets.log.drain() == ["choose a seat on 1"])
      let declined = await #expect(throws: RPCStatus.self) { try await day.perform(BoardTrain(), app: Self.app) }
      #expect(declined?.code == .aborted && ContinuedTransitWidgets.log.drain().isEmpty)
    }
  }

  @Test("S2 A relevant shortcut of a user activity is set with all values, and continued; an error is the app's")
  func shortcuts() async throws {
    try await run(ContinuedTransitWidgets()) { day in
      let (line, broken) = (
        NSUserActivity(activityType: "com.example.transit.line"), NSUserActivity(activityType: "broken")
      )
      line.userInfo = ["line": INObject(identifier: "u2", display: "U2"), "stop": "Mitte"]
      line.requiredUserInfoKeys = ["line"]
      let relevant = [line, broken].map { INRelevantShortcut(shortcut: INShortcut(userActivity: $0)) }
      relevant[0].relevanceProviders = [INDailyRoutineRelevanceProvider(situation: .commute)]
      try await day.run(as: Self.app) { try await INRelevantShortcutStore.default.setRelevantShortcuts(relevant) }
      // Without the relevance of the app's kinds.
      let listed = try await shortcuts(of: day).filter { $0.kind == nil }
      #expect(listed.map { $0.userActivity?.userInfo.count } == [2, 0])
      let subjects = try listed.map { SurfaceSuggestion.Subject.shortcut(try AppID(Self.app), $0) }
      #expect(try await tap(subjects[0], day) == .handled)
      #expect(ContinuedTransitWidgets.log.drain() == [" U2 Mitte []"])
      let error = await #expect(throws: RPCStatus.self) { try await tap(subjects[1], day) }
      #expect(error?.code == .unknown && error?.message == "the network is broken")
    }
  }
}
