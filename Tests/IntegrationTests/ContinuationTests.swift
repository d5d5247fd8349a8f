import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Suggestions and widgets that the user taps, continued by an app (rule S8).
@Suite("Continuation over sockets", .timeLimit(.minutes(2)))
struct ContinuationTests {
  private func run(
    _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void = { _ in },
    _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run(change) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  private func tap(
    _ item: TappedItem, _ server: InProcessServer, isRepeat: Bool = false
  ) -> Task<ContinueInAppResponse, any Error> {
    let display = server.display()
    return Task { try await display.continueInApp(item, on: Fixture.device, isRepeat: isRepeat) }
  }

  private func status(_ task: Task<ContinueInAppResponse, any Error>) async -> RPCStatus? {
    do {
      _ = try await task.value
      return nil
    } catch {
      return error as? RPCStatus
    }
  }

  /// The response of the weather app with an outcome.
  private static func response(_ outcome: ContinuationOutcome, intent: Intent? = nil) -> ContinueInAppResponse {
    ContinueInAppResponse(outcome: outcome, app: Fixture.weatherApp, intent: intent)
  }

  /// Returns the reports in the device's history.
  private func reports(_ server: InProcessServer) async throws -> [UserReport] {
    var reports: [UserReport] = []
    for try await record in server.admin().history(of: Fixture.device) {
      if case .reported(let request) = record.step { reports.append(request.report) }
    }
    return reports
  }

  /// An activity that is identified by its place.
  private static func activity(_ place: String, note: String) throws -> UserActivity {
    try UserActivity(
      type: .init("com.example.weather.map"), title: "Map of \(place)",
      userInfo: Habits.values(["place": Habits.object(place), "note": .string(note), "zoom": .double(1.5)]),
      requiredUserInfoKeys: [.init("place")], persistentID: .init("map-\(place)"))
  }

  /// An activity with strings of `size` bytes in total, at most 20 000.
  private static func activity(of size: Int) throws -> UserActivity {
    let texts = (0..<5).map { String(repeating: "a", count: max(0, min(4_000, size - $0 * 4_000))) }
    let values = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("text\($0)", IntentValue.string($1)) })
    return try UserActivity(type: .init("com.example.weather.map"), userInfo: Habits.values(values))
  }

  private static func id(_ activity: UserActivity) throws -> SuggestionID {
    SurfaceSuggestion.Subject.action(try #require(activity.action(of: Fixture.weatherApp))).id
  }

  private static func donate(_ activity: Donation.Activity, _ server: InProcessServer) async throws {
    try await Habits.provider(server.connection(), Fixture.weatherApp).donate([Habits.donation("1", activity)])
  }

  private static func set(_ shortcuts: [RelevantShortcut], _ server: InProcessServer) async throws {
    let request = SetRelevantShortcutsRequest(
      device: Fixture.device, app: Fixture.weatherApp, shortcuts: shortcuts)
    _ = try await server.connection().unary(ProviderService.setRelevantShortcuts, request)
  }

  @Test("S8 An app receives all values of an activity, across a restart; the display learns whether it is handled")
  func activities() async throws {
    try await run { server in
      let activity = try Self.activity("oslo", note: "not compared")
      try await Self.donate(.userActivity(activity), server)
      let item = TappedItem.suggestion(try Self.id(activity), on: .lockScreen)
      for outcome: ContinuationOutcome in [.handled, .notHandled] {
        var provider = try await QueryProvider(server.connection())
        let task = tap(item, server)
        #expect(try await provider.respond(.continued(outcome)) == .continuation(.userActivity(activity)))
        #expect(try await task.value == Self.response(outcome))
        try await server.restart()
      }
    }
  }

  @Test("S8 An app can have an intent performed, which the display receives, but no activity, errand or person")
  func performing() async throws {
    try await run { server in
      let news = try Intent(type: .playMedia, parameters: Habits.values(["mediaItem": Habits.object("news")]))
      let media = try UpcomingMedia(intents: [news])
      try await Habits.provider(server.connection(), Fixture.weatherApp).setUpcomingMedia(media)
      var provider = try await QueryProvider(server.connection())
      let subject = SurfaceSuggestion.Subject.upcomingMedia(Fixture.weatherApp, news)
      let task = tap(.suggestion(subject.id, on: .nowPlaying), server)
      #expect(try await provider.respond(.continued(.performIntent)) == .continuation(.intent(news)))
      #expect(try await task.value == Self.response(.performIntent, intent: news))
      let aga = DisplayIdentity(identifier: "aga", display: "Aga")
      let message = try Intent(type: .sendMessage, parameters: Habits.values(["recipients": .person(aga)]))
      try await Self.donate(.intent(message), server)
      let person = SurfaceSuggestion.Subject.person(Fixture.weatherApp, aga)
      let wrong = tap(.suggestion(person.id, on: .shareSheet), server)
      #expect(try await provider.respond(.continued(.performIntent)) == .continuation(.person(aga, message)))
      #expect(await status(wrong)?.code == .failedPrecondition)
    }
  }

  @Test("S8 An errand is suggested until the app has handled it; only then is it recorded")
  func errands() async throws {
    try await run { server in
      let table = try Reservation(
        item: DisplayIdentity(identifier: "table", display: "A table"), start: Fixture.after(.hours(2)),
        checkIn: DateWindow(start: Fixture.start))
      let reserve = try Intent(type: .reservationDetails)
      try await Self.donate(.reservations(reserve, [table]), server)
      let id = SurfaceSuggestion.Subject.reservation(Fixture.weatherApp, table, .checkIn).id
      let item = TappedItem.suggestion(id, on: .lockScreen)
      let display = server.display()
      func listed() async throws -> [Bool] {
        var listed: [Bool] = []
        for surface: SuggestionSurface in [.lockScreen, .notifications] {
          let found = try await display.suggestions(on: surface, of: Fixture.device).suggestions
          listed.append(found.contains { $0.id == id })
        }
        return listed
      }
      #expect(await status(tap(item, server))?.code == .unavailable)
      var provider = try await QueryProvider(server.connection())
      for response: QueryResponse in [.rejected(.failedPrecondition, message: "no"), .continued(.notHandled)] {
        let task = tap(item, server)
        _ = try await provider.respond(response)
        _ = await task.result
      }
      #expect(try await listed() == [true, true])
      #expect(try await reports(server).isEmpty)
      let task = tap(item, server)
      #expect(
        try await provider.respond(.continued(.handled))
          == .continuation(.reservation(table.item, .checkIn, reserve)))
      #expect(try await task.value == Self.response(.handled))
      #expect(try await listed() == [false, false])
      #expect(try await reports(server) == [.surfaceSuggestion(.lockScreen, id, .acted)])
    }
  }

  @Test("S8 D5 An activity whose donations were deleted cannot be continued, and nothing is recorded")
  func deletion() async throws {
    try await run { server in
      let weather = Habits.provider(server.connection(), Fixture.weatherApp)
      let activities = try ["oslo", "bern"].map { try Self.activity($0, note: "secret") }
      try await weather.donate(
        activities.enumerated().map { Habits.donation("\($0.offset)", .userActivity($0.element)) })
      try await weather.deleteDonations(.persistentIDs([.init("map-oslo")]))
      var provider = try await QueryProvider(server.connection())
      let gone = await status(tap(.suggestion(try Self.id(activities[0]), on: .search), server))
      #expect(gone?.code == .notFound && gone?.message == "suggestion.id: no such suggestion on this device")
      #expect(try await reports(server).isEmpty)
      // The app receives the other one, and nothing before it.
      let task = tap(.suggestion(try Self.id(activities[1]), on: .search), server)
      #expect(try await provider.respond(.continued(.handled)) == .continuation(.userActivity(activities[1])))
      #expect(try await task.value == Self.response(.handled))
    }
  }

  @Test("S8 A tapped widget arrives with its family and link, and the tap is recorded; outside stacks it is not")
  func widgets() async throws {
    try await run { server in
      var provider = try await QueryProvider(server.connection())
      let link = try EntryLink("weather://oslo?day=2")
      server.clock.advance(to: Fixture.after(.minutes(1)))
      let task = tap(.stackWidget(Fixture.forecast, in: Fixture.stack, link: link), server)
      #expect(
        try await provider.respond(.continued(.handled))
          == .continuation(.widget(Fixture.forecast, family: .systemSmall, link: link)))
      #expect(try await task.value == Self.response(.handled))
      #expect(try await reports(server) == [.tapped(Fixture.stack, Fixture.forecast)])
      try await server.display().report(.homeWidgetAdded(Fixture.forecast, in: .systemMedium), on: Fixture.device)
      let home = tap(.homeWidget(WidgetInstance(Fixture.forecast, in: .systemMedium)), server)
      #expect(
        try await provider.respond(.continued(.handled))
          == .continuation(.widget(Fixture.forecast, family: .systemMedium, link: nil)))
      #expect(try await home.value == Self.response(.handled))
      #expect(try await reports(server).count == 2)
    }
  }

  @Test("S8 A stack's suggestion is continued like a member")
  func suggestions() async throws {
    try await run { server in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, [(Fixture.start, nil)])])
      var provider = try await QueryProvider(server.connection(), app: Relevance.cardsApp)
      let task = tap(.stackWidget(Relevance.amex, in: Fixture.stack), server)
      #expect(
        try await provider.respond(.continued(.handled))
          == .continuation(.widget(Relevance.amex, family: .systemSmall, link: nil)))
      #expect(try await task.value.app == Relevance.cardsApp)
      #expect(try await reports(server) == [.tapped(Fixture.stack, Relevance.amex)])
    }
  }

  @Test("S2 Displays receive a shortcut's activity without the values that do not identify it; its app receives all")
  func listedShortcuts() async throws {
    try await run { server in
      let activity = try Self.activity("oslo", note: "secret")
      try await Self.set(
        [RelevantShortcut(userActivity: activity, providers: [.dailyRoutine(.commute)])], server)
      let display = server.display()
      try await display.report(.contextChanged(.routine(.commute)), on: Fixture.device)
      let suggestion = try #require(
        try await display.suggestions(on: .watchFace, of: Fixture.device).suggestions.first)
      guard case .shortcut(_, let shortcut) = suggestion.subject else {
        Issue.record("no shortcut: \(suggestion)")
        return
      }
      let item = try #require(try await server.admin().watchFace(of: Fixture.device).items.first)
      for listed in [shortcut.userActivity, item.shortcut.userActivity] {
        #expect(listed?.userInfo.map(\.name.text) == ["place"] && listed?.title == "Map of oslo")
        #expect(listed?.persistentID == nil)
      }
      #expect(suggestion.id == suggestion.subject.id)
      var provider = try await QueryProvider(server.connection())
      let task = tap(.suggestion(suggestion.id, on: .watchFace), server)
      #expect(try await provider.respond(.continued(.handled)) == .continuation(.userActivity(activity)))
      #expect(try await task.value == Self.response(.handled))
    }
  }

  @Test("S8 R11 A repeated tap counts once, as a report of it does")
  func repeated() async throws {
    try await run { server in
      let aga = DisplayIdentity(identifier: "aga", display: "Aga")
      let message = try Intent(type: .sendMessage, parameters: Habits.values(["recipients": .person(aga)]))
      let id = SurfaceSuggestion.Subject.person(Fixture.weatherApp, aga).id
      try await server.display().registerDevice(Fixture.otherDevice, timeZone: Fixture.berlin)
      let display = server.display()
      for device in [Fixture.device, Fixture.otherDevice] {
        let app = Habits.provider(server.connection(), Fixture.weatherApp, device: device)
        try await app.donate([Habits.donation("1", .intent(message))])
        try await display.report(.surfaceSuggestion(.shareSheet, id, .shown), on: device)
      }
      func confidence(on device: DeviceID) async throws -> Double? {
        try await display.suggestions(on: .shareSheet, of: device).suggestions.first { $0.id == id }?.confidence
      }
      let before = try #require(try await confidence(on: Fixture.device))
      let items = [TappedItem.suggestion(id, on: .shareSheet), .stackWidget(Fixture.forecast, in: Fixture.stack)]
      for item in items {
        for isRepeat in [false, true] {
          let status = await status(tap(item, server, isRepeat: isRepeat))
          #expect(status?.code == .unavailable)
        }
      }
      let statistics = try await OperatorClient(server.connection()).statistics(on: Fixture.device)
      #expect(statistics.apps.map(\.total.tapCount) == [1])
      try await display.report(.surfaceSuggestion(.shareSheet, id, .acted), on: Fixture.otherDevice)
      let (tapped, reported) = (try await confidence(on: Fixture.device), try await confidence(on: Fixture.otherDevice))
      #expect(tapped == reported && tapped.map { $0 > before } == true)
    }
  }

  @Test("S8 Of two providers of an app, the one that attached last continues; when it detaches, the other one does")
  func providers() async throws {
    try await run { server in
      let item = TappedItem.stackWidget(Fixture.forecast, in: Fixture.stack)
      var first = try await QueryProvider(server.connection())
      var second = try await QueryProvider(server.connection())
      let task = tap(item, server)
      _ = try await second.respond(.continued(.handled))
      #expect(try await task.value.outcome == .handled)
      let interrupted = tap(item, server)
      _ = try await second.nextQuery()
      second.call.cancel()
      #expect(await status(interrupted)?.code == .unavailable)
      let last = tap(item, server)
      _ = try await first.respond(.continued(.notHandled))
      #expect(try await last.value.outcome == .notHandled)
    }
  }

  @Test("S8 Without a provider a tap is recorded and fails with UNAVAILABLE; an unknown one is not recorded")
  func unavailable() async throws {
    try await run { server in
      let tapped = TappedItem.stackWidget(Fixture.forecast, in: Fixture.stack)
      #expect(await status(tap(tapped, server))?.code == .unavailable)
      #expect(try await reports(server) == [.tapped(Fixture.stack, Fixture.forecast)])
      for (item, field) in [
        (TappedItem.stackWidget(Fixture.rain, in: Fixture.stack), "widget.widget"),
        (.stackWidget(Fixture.forecast, in: try StackID("nowhere")), "widget.stack"),
        (.homeWidget(WidgetInstance(Fixture.forecast, in: .systemSmall)), "widget.widget"),
        (.suggestion(SuggestionID(number: 1), on: .search), "suggestion.id"),
      ] {
        let end = await status(tap(item, server))
        #expect(end?.code == .notFound && end?.message.hasPrefix("\(field): ") == true)
      }
      #expect(try await reports(server).count == 1)
      let display = server.display()
      let unknown = try await callStatus { _ = try await display.continueInApp(tapped, on: DeviceID("none")) }
      #expect(unknown?.code == .notFound)
    }
  }

  @Test("S8 An app's error, a response of another type, a disconnection and the deadline fail the call")
  func failures() async throws {
    try await run { server in
      var provider = try await QueryProvider(server.connection())
      let item = TappedItem.stackWidget(Fixture.forecast, in: Fixture.stack)
      for response: QueryResponse in [.rejected(.failedPrecondition, message: "no"), .outcome(IntentOutcome())] {
        let task = tap(item, server)
        _ = try await provider.respond(response)
        #expect(await status(task)?.code == .failedPrecondition)
      }
      let task = tap(item, server)
      let number = try await provider.nextQuery().number
      // The display disconnects.
      task.cancel()
      #expect(try await provider.next() == .cancelled(number))
      let hasty = DisplayClient(server.connection(), callTimeMax: .milliseconds(100))
      let late = Task { try await hasty.continueInApp(item, on: Fixture.device) }
      #expect(await status(late)?.code == .deadlineExceeded)
      provider.call.cancel()
      try await wait(for: "the end of the stream") { await status(tap(item, server))?.code == .unavailable }
    }
  }

  @Test("S8 An activity of the maximum donation size reaches the app, from a donation and from a shortcut")
  func largest() async throws {
    try await run { server in
      let sizeMax = Limits.default.donationSizeMax
      // The last text has more than 127 bytes in all of these activities, and therefore a length of the same size.
      let overhead = Habits.donation("1", .userActivity(try Self.activity(of: 16_200))).encoded.count - 16_200
      let largest = try Self.activity(of: sizeMax - overhead)
      #expect(Habits.donation("1", .userActivity(largest)).encoded.count == sizeMax)
      try await Self.donate(.userActivity(largest), server)
      let tooLarge = try Self.activity(of: sizeMax - overhead + 1)
      let rejection = try await callStatus { try await Self.donate(.userActivity(tooLarge), server) }
      #expect(rejection?.message.contains("donation-size-max") == true)
      let ownOverhead = try Self.activity(of: 16_200).encoded.count - 16_200
      let shortcut = try RelevantShortcut(
        userActivity: Self.activity(of: sizeMax - ownOverhead), providers: [.other])
      #expect(shortcut.userActivity?.encoded.count == sizeMax)
      try await Self.set([shortcut], server)
      var provider = try await QueryProvider(server.connection())
      let ofShortcut = SurfaceSuggestion.Subject.shortcut(Fixture.weatherApp, shortcut).id
      let activities = [largest, try #require(shortcut.userActivity)]
      for (id, expected) in zip([try Self.id(largest), ofShortcut], activities) {
        let task = tap(.suggestion(id, on: .watchFace), server)
        #expect(try await provider.respond(.continued(.handled)) == .continuation(.userActivity(expected)))
        #expect(try await task.value == Self.response(.handled))
      }
    }
  }

  @Test("S8 A query that does not fit among the unsent bytes fails alone; the stream and other queries stay open")
  func backlog() async throws {
    try await run({ $0.transport.limits.streamBacklogSizeMax = 16_384 }) { server in
      let activity = try Self.activity(of: 12_000)
      try await Self.donate(.userActivity(activity), server)
      let provider = try await QueryProvider(server.connection())
      let (item, display) = (TappedItem.suggestion(try Self.id(activity), on: .search), server.display())
      try await withThrowingTaskGroup(of: RPCStatus?.self) { group in
        for _ in 0..<60 {
          group.addTask { try await callStatus { _ = try await display.continueInApp(item, on: Fixture.device) } }
        }
        // The provider has read nothing, so that only rejected taps end.
        let rejection = try await group.next() ?? nil
        #expect(rejection?.code == .resourceExhausted)
        #expect(rejection?.message.contains("stream-backlog-size-max") == true)
        let responses = Task {
          var provider = provider
          while true { _ = try await provider.respond(.continued(.handled)) }
        }
        let others = try await group.reduce(into: [RPCStatus?]()) { $0.append($1) }
        #expect(others.contains { $0 == nil })
        provider.call.cancel()
        _ = await responses.result
      }
    }
  }
}
