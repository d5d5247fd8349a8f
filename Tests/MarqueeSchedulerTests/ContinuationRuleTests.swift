import MarqueeModel
import MarqueeScheduler
import Testing

/// The continuation of suggestions and widgets that the user taps (rule S8).
@Suite struct ContinuationRuleTests {
  private static func activity(_ line: String, scroll: Int64, eligible: Bool = true) throws -> UserActivity {
    try UserActivity(
      type: .init("com.example.line"), title: "Line \(line), \(scroll)",
      userInfo: [
        IntentParameter(name: try .init("line"), value: .single(Habitat.object(line))),
        IntentParameter(name: try .init("scroll"), value: .single(.integer(scroll))),
      ], requiredUserInfoKeys: [try .init("line")], isEligibleForPrediction: eligible)
  }

  private static func id(_ activity: UserActivity, of app: String) throws -> SuggestionID {
    SurfaceSuggestion.Subject.action(try #require(activity.action(of: try Habitat.app(app)))).id
  }

  /// Returns the continuation of a suggestion, or `nil` if there is none.
  private static func continuation(_ id: SuggestionID, _ life: Habitat) throws -> Continuation? {
    do {
      return try life.device.continuation(of: .suggestion(id, on: .search)).continuation
    } catch {
      #expect(error.code == .notFound && error.field == "suggestion.id")
      return nil
    }
  }

  @Test("S8 An activity has all values of its latest donation, in the order of dates")
  func activities() throws {
    var life = try Habitat()
    let app = try Habitat.app("transit")
    let id = try Self.id(try Self.activity("u2", scroll: 0), of: "transit")
    #expect(try Self.continuation(id, life) == nil)
    for (minute, scroll) in [(1, Int64(1)), (2, 2)] {
      try life.donate("transit", .userActivity(try Self.activity("u2", scroll: scroll)), at: Habitat.time(0, 9, minute))
    }
    try life.donate("transit", .userActivity(try Self.activity("u8", scroll: 3)), at: Habitat.time(0, 9, 3))
    try life.donate("other", .userActivity(try Self.activity("u2", scroll: 4)), at: Habitat.time(0, 9, 4))
    #expect(try Self.continuation(id, life) == .userActivity(try Self.activity("u2", scroll: 2)))
    // A donation that arrives late is not the latest.
    let late = Donation(
      id: try .init("late"), date: Habitat.time(0, 9), activity: .userActivity(try Self.activity("u2", scroll: 9)))
    try life.send(.donated(app, [late]))
    #expect(try Self.continuation(id, life) == .userActivity(try Self.activity("u2", scroll: 2)))
    try life.store()
    let found = try life.device.continuation(of: .suggestion(id, on: .lockScreen))
    #expect(try found.app == app && found.continuation == .userActivity(Self.activity("u2", scroll: 2)))
  }

  @Test("S8 S12 An action that is never learned is continued only while developer mode lists its donation")
  func unlearned() throws {
    var life = try Habitat()
    try life.register("calls", "Join", [("start", .date)], [["start"]])
    let values = [("start", IntentValue.date(Habitat.time(1, 9)))]
    try life.donate("calls", "Join", values, at: Habitat.time(0, 9))
    let intent = try Habitat.intent("Join", values)
    let id = SurfaceSuggestion.Subject.action(.intent(try Habitat.app("calls"), intent)).id
    #expect(try Self.continuation(id, life) == nil)
    try life.send(.developerModeChanged(true))
    #expect(try Self.continuation(id, life) == .intent(intent))
  }

  @Test("S8 D5 Nothing of a deleted donation is continued: an earlier one is, or none")
  func deletion() throws {
    var life = try Habitat()
    let app = try Habitat.app("transit")
    let first = try life.donate(
      "transit", .userActivity(try Self.activity("u2", scroll: 1)), at: Habitat.time(0, 9))
    let second = try life.donate(
      "transit", .userActivity(try Self.activity("u2", scroll: 2)), at: Habitat.time(0, 10))
    let id = try Self.id(try Self.activity("u2", scroll: 0), of: "transit")
    try life.send(.donationsDeleted(app, .identifiers([second])))
    #expect(try Self.continuation(id, life) == .userActivity(try Self.activity("u2", scroll: 1)))
    try life.send(.donationsDeleted(app, .identifiers([first])))
    #expect(try Self.continuation(id, life) == nil)
    // An activity that is not eligible for prediction is no suggestion.
    try life.donate(
      "transit", .userActivity(try Self.activity("u2", scroll: 1, eligible: false)), at: Habitat.time(0, 11))
    #expect(try Self.continuation(id, life) == nil)
  }

  @Test("S8 An intent has the parameters of its combination; a media item is the listed one")
  func intents() throws {
    var life = try Habitat()
    try life.register("transit", "Show", [("line", .object), ("note", .string)], [["line"]])
    try life.donate(
      "transit", "Show", [("line", Habitat.object("u2")), ("note", .string("x"))], at: Habitat.time(0, 9))
    let app = try Habitat.app("transit")
    let show = try Habitat.intent("Show", [("line", Habitat.object("u2"))])
    let item = try Habitat.intent("INPlayMediaIntent", [("mediaItem", Habitat.object("news 7"))])
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [item])))
    for (subject, intent) in [
      (SurfaceSuggestion.Subject.action(.intent(app, show)), show), (.upcomingMedia(app, item), item),
    ] {
      #expect(try Self.continuation(subject.id, life) == .intent(intent))
    }
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [])))
    #expect(try Self.continuation(SurfaceSuggestion.Subject.upcomingMedia(app, item).id, life) == nil)
  }

  @Test("S8 An errand of a reservation and a person are named, with the latest donated intent about them")
  func known() throws {
    var life = try Habitat()
    let app = try Habitat.app("transit")
    let table = try Reservation(
      item: DisplayIdentity(identifier: "table", display: "Table"), start: Habitat.time(0, 20))
    for (hour, note) in [(9, "old"), (10, "new")] {
      let book = try Habitat.intent("INGetReservationDetailsIntent", [("note", .string(note))])
      try life.donate("transit", .reservations(book, [table]), at: Habitat.time(0, hour))
      let message = try Habitat.intent(
        "INSendMessageIntent",
        [
          ("recipients", .person(DisplayIdentity(identifier: "aga", display: ""))), ("content", .string(note)),
        ])
      try life.donate("transit", .intent(message), at: Habitat.time(0, hour, 30))
    }
    let person = DisplayIdentity(identifier: "aga", display: "Aga")
    for errand in Errand.allCases {
      let subject = SurfaceSuggestion.Subject.reservation(app, table, errand)
      guard case .reservation(table.item, errand, let intent)? = try Self.continuation(subject.id, life) else {
        Issue.record("no reservation for \(subject)")
        continue
      }
      #expect(intent.parameters.map(\.value) == [.single(.string("new"))])
    }
    guard
      case .person(person, let intent)? = try Self.continuation(
        SurfaceSuggestion.Subject.person(app, person).id, life)
    else {
      Issue.record("no person")
      return
    }
    #expect(intent?.parameters.contains { $0.value == .single(.string("new")) } == true)
    let stranger = SurfaceSuggestion.Subject.person(app, DisplayIdentity(identifier: "bo", display: ""))
    #expect(try Self.continuation(stranger.id, life) == nil)
  }

  @Test("S8 S2 A relevant shortcut has its activity, its configured widget or its intent, until it is replaced")
  func shortcuts() throws {
    var life = try Habitat()
    try life.register("transit", "Show", [("line", .object)], [["line"]])
    try life.stack()
    let (app, clock) = (try Habitat.app("transit"), try Habitat.app("clock"))
    let activity = try Self.activity("u2", scroll: 5, eligible: false)
    let show = try Habitat.intent("Show", [("line", Habitat.object("u2"))])
    let (kind, commute) = (try KindName("Clock"), [RelevanceProvider.dailyRoutine(.commute)])
    let ofTransit = [
      try RelevantShortcut(userActivity: activity, providers: commute),
      try RelevantShortcut(intent: show, providers: commute),
      try RelevantShortcut(kind: KindName("Show"), intent: show, providers: commute),
    ]
    let ofClock = [
      try RelevantShortcut(kind: kind, providers: commute),
      try RelevantShortcut(kind: kind, userActivity: activity, role: .information, providers: commute),
    ]
    try life.send(.relevantShortcutsSet(app, ofTransit))
    try life.send(.relevantShortcutsSet(clock, ofClock))
    try life.store()
    let ids =
      ofTransit.map { SurfaceSuggestion.Subject.shortcut(app, $0).id }
      + ofClock.map { SurfaceSuggestion.Subject.shortcut(clock, $0).id }
    let lines = try Habitat.widget("transit", "Show", [("line", Habitat.object("u2"))])
    let expected: [Continuation] = [
      .userActivity(activity), .intent(show), .widget(lines, family: nil, link: nil),
      .widget(Widget(kind: WidgetKind(app: clock, name: kind)), family: nil, link: nil), .userActivity(activity),
    ]
    #expect(try ids.map { try Self.continuation($0, life) } == expected)
    try life.send(.reported(.contextChanged(.routine(.commute))))
    #expect(life.device.suggestions(on: .watchFace, count: 9).filter { ids.contains($0.id) }.count == 5)
    try life.send(.relevantShortcutsSet(app, []))
    #expect(try ids.map { try Self.continuation($0, life) == nil } == [true, true, true, false, false])
  }

  @Test("S8 S2 Of shortcuts that differ in values that are not required, the listed one is continued")
  func sharedIdentifiers() throws {
    var life = try Habitat()
    try life.stack()
    let (ahead, listed) = (try Self.activity("u2", scroll: 1), try Self.activity("u2", scroll: 2))
    let shortcuts = [
      try RelevantShortcut(userActivity: ahead, providers: [.dailyRoutine(.evening)]),
      try RelevantShortcut(userActivity: listed, providers: [.dailyRoutine(.commute)]),
    ]
    let app = try Habitat.app("transit")
    let ids = Set(shortcuts.map { SurfaceSuggestion.Subject.shortcut(app, $0).id })
    let id = try #require(ids.first)
    #expect(ids.count == 1)
    try life.send(.relevantShortcutsSet(app, shortcuts))
    // None is listed.
    #expect(try life.device.continuation(of: .suggestion(id, on: .watchFace)).continuation == .userActivity(ahead))
    try life.send(.reported(.contextChanged(.routine(.commute))))
    #expect(try life.device.continuation(of: .suggestion(id, on: .watchFace)).continuation == .userActivity(listed))
  }

  @Test("S2 An activity is no configuration, and counts for shortcut-size-max and donation-size-max")
  func checks() throws {
    var life = try Habitat()
    try life.register("transit", "Show", [("line", .object)], [["line"]])
    let app = try Habitat.app("transit")
    let activity = try Self.activity("u2", scroll: 5)
    func error(_ shortcut: RelevantShortcut, _ limits: Limits = .default) -> String? {
      do {
        try life.device.check(.relevantShortcutsSet(app, [shortcut]), limits: limits)
        return nil
      } catch { return "\(error.code) \(error)" }
    }
    let (ofActivity, empty) = (try RelevantShortcut(userActivity: activity), try RelevantShortcut())
    let configured = try RelevantShortcut(kind: KindName("Show"), userActivity: activity)
    #expect(error(configured)?.hasPrefix("invalidArgument shortcuts[0].intent: required field is missing") == true)
    #expect(
      error(empty) == "invalidArgument shortcuts[0]: a kind, an intent or a user activity is required")
    var limits = Limits()
    limits.shortcutSizeMax = activity.encoded.count + 31
    #expect(error(ofActivity, limits)?.contains("shortcut-size-max") == true)
    limits.shortcutSizeMax += 1
    #expect(error(ofActivity, limits) == nil)
    limits.donationSizeMax = activity.encoded.count
    #expect(error(ofActivity, limits) == nil)
    limits.donationSizeMax -= 1
    #expect(error(ofActivity, limits)?.hasPrefix("resourceExhausted shortcuts[0].user_activity: ") == true)
    #expect(error(ofActivity, limits)?.contains("donation-size-max") == true)
  }

  @Test("S8 A tapped widget has its stored configuration, the family of its place, and the link")
  func widgets() throws {
    var life = try Habitat()
    try life.register("transit", "Show", [("line", .object)], [["line"]])
    let show = try Habitat.widget("transit", "Show", [("line", Habitat.object("u2"))])
    try life.stack([show])
    try life.send(.reported(.homeWidgetAdded(show, in: .systemSmall)))
    let link = try EntryLink("transit://u2")
    let nameless = Widget(
      kind: show.kind,
      configuration: try Habitat.intent(
        "Show", [("line", .object(DisplayIdentity(identifier: "u2", display: "")))]))
    for item in [
      TappedItem.stackWidget(nameless, in: Habitat.home, link: link),
      .homeWidget(WidgetInstance(nameless, in: .systemSmall), link: link),
    ] {
      let found = try life.device.continuation(of: item)
      guard case .widget(let widget, .systemSmall?, link) = found.continuation else {
        Issue.record("no widget: \(found)")
        continue
      }
      #expect(found.app == show.kind.app && widget.encoded == show.encoded)
    }
    let other = try Habitat.widget("transit", "Show", [("line", Habitat.object("u8"))])
    for (item, field) in [
      (TappedItem.stackWidget(other, in: Habitat.home), "widget.widget"),
      (.stackWidget(show, in: try StackID("work")), "widget.stack"),
      (.homeWidget(WidgetInstance(show, in: .systemLarge)), "widget.widget"),
    ] {
      let error = #expect(throws: RequestError.self) { _ = try life.device.continuation(of: item) }
      #expect(error?.code == .notFound && error?.field == field)
    }
  }
}
