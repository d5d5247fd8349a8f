import MarqueeModel
import MarqueeScheduler
import Testing

/// The representations of actions for the user (rules X1, X2).
@Suite struct DisplayRuleTests {
  private let app: AppID
  private let order: IntentType

  init() throws { (app, order) = (try Habitat.app("soup"), try IntentType("OrderSoup")) }

  private func soup(_ display: String, _ identifier: String = "tomato") throws -> Intent {
    let soup = IntentValue.object(DisplayIdentity(identifier: identifier, display: display))
    return try Habitat.intent("OrderSoup", [("soup", soup)])
  }

  private func descriptor(_ title: String) throws -> IntentTypeDescriptor {
    let name = try IntentParameter.Name("soup")
    let texts = try ActionTexts(title: TextFormat(title), category: "Food", keywords: ["lunch"])
    return try IntentTypeDescriptor(
      app: app, type: order, parameters: [.init(name: name, type: .object)],
      combinations: [.init(parameters: [name], texts: texts)], title: "Soup")
  }

  private func donation(
    _ id: String, _ intent: Intent, at date: Instant, _ display: DonationDisplay? = nil
  ) throws -> Donation {
    Donation(id: try Donation.ID(id), date: date, activity: .intent(intent), display: display)
  }

  /// A user who orders tomato soup every noon of a week; the type has this title format.
  private func week(_ title: String) throws -> Habitat {
    var life = try Habitat()
    try life.send(.intentTypesRegistered(app, [try descriptor(title)]))
    for day in 0..<7 {
      let noon = Habitat.time(day, 12)
      try life.send(.donated(app, [try donation("\(day)", try soup("Tomato \(day)"), at: noon)]), at: noon)
    }
    life.advance(to: Habitat.time(7, 11, 45))
    return life
  }

  @Test("X1 A suggestion and a prediction show the format of the type with the latest display string")
  func suggestions() throws {
    let device = try week("Order ${soup}").device
    let suggestions = device.suggestions(on: .lockScreen, count: 10)
    #expect(suggestions.count == 1)
    #expect(device.displays(of: suggestions.map(\.subject)).map(\.title) == ["Order Tomato 6"])
    #expect(device.likelyActions(count: 1).map(\.display.title) == ["Order Tomato 6"])
    #expect(device.donations(count: 2).map(\.display.title) == ["Order Tomato 6", "Order Tomato 5"])
    #expect(device.display(of: try soup("Lentil", "lentil"), of: app).title == "Order Lentil")
  }

  @Test("X1 Dates are shown in the device's local time, or in UTC as long as its offsets are unknown")
  func dates() throws {
    var life = try Habitat()
    let alarm = try Habitat.intent("SetAlarm", [("at", .date(Habitat.time(0, 22, 5)))])
    #expect(life.device.display(of: alarm, of: app).title == "SetAlarm(at: 2021-06-07T22:05:00Z)")
    let step = UTCOffsets.Step(start: Habitat.monday, seconds: 2 * 3_600)
    try life.send(.utcOffsetsLearned(try UTCOffsets(zone: TimeZoneID("UTC"), steps: [step], end: .max)))
    #expect(life.device.display(of: alarm, of: app).title == "SetAlarm(at: 2021-06-08 00:05)")
    let widget = Widget(kind: WidgetKind(app: app, name: try KindName("Alarm")), configuration: alarm)
    #expect(life.device.display(of: widget).title == "Alarm(at: 2021-06-08 00:05)")
    #expect(life.device.display(of: .widget(widget)).title == "Alarm(at: 2021-06-08 00:05)")
    try life.send(.donated(app, [try donation("a", alarm, at: Habitat.monday)]))
    #expect(life.device.donations(count: 1).map(\.display.title) == ["SetAlarm(at: 2021-06-08 00:05)"])
  }

  @Test("X1 A rotation and a suggestion name their widget by the texts of its app")
  func decisions() throws {
    var life = try Habitat()
    try life.send(.intentTypesRegistered(app, [try descriptor("${soup} today")]))
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: try KindName("Soup")), displayName: "", families: [.systemSmall],
      configuration: .intent(order))
    try life.send(.kindsRegistered(app, [kind]))
    try life.stack()
    let shortcut = try RelevantShortcut(
      kind: kind.kind.name, intent: soup("Tomato"),
      providers: [.date(try DateWindow(start: Habitat.time(0, 9), end: Habitat.time(0, 10)))])
    try life.send(.relevantShortcutsSet(app, [shortcut]))
    var device = life.device
    let action = try #require(device.advance(to: Habitat.time(0, 9)).first { $0.decision != nil })
    let decision = try #require(action.decision)
    #expect(action.name == "Tomato today" && action.name(of: decision.to) == "Tomato today")
    #expect(decision.explanation.summary(name: action.name).hasPrefix("Tomato today leads: "))
    let clock = try #require(device.stack(Habitat.home)?.members.last)
    #expect(action.name(of: clock) == "Clock")
  }

  @Test("X1 A decision names its widget apart from a candidate with the same title")
  func equalTitles() throws {
    var life = try Habitat()
    try life.send(.intentTypesRegistered(app, [try descriptor("Soup")]))
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: try KindName("Soup")), displayName: "", families: [.systemSmall],
      configuration: .intent(order))
    try life.send(.kindsRegistered(app, [kind]))
    try life.stack()
    let window = try DateWindow(start: Habitat.time(0, 9), end: Habitat.time(0, 10))
    let shortcuts = try ["tomato", "lentil"].map {
      try RelevantShortcut(kind: kind.kind.name, intent: soup("Soup", $0), providers: [.date(window)])
    }
    try life.send(.relevantShortcutsSet(app, shortcuts))
    var device = life.device
    let action = try #require(device.advance(to: Habitat.time(0, 9)).first { $0.decision != nil })
    let widget = try #require(action.decision?.to)
    #expect(action.name == widget.description && device.display(of: widget).title == "Soup")
  }

  @Test("X1 Events that change how suggestions are represented affect surfaces")
  func surfaceEvents() throws {
    #expect(Event.kindsRegistered(app, []).affectsSurfaces && Event.intentTypesRegistered(app, []).affectsSurfaces)
  }

  @Test("X1 An app can change its texts; decisions and predictions do not depend on them")
  func changed() throws {
    var life = try week("Order ${soup}")
    let before = life.device
    try life.send(.intentTypesRegistered(app, [try descriptor("${soup}, please")]))
    #expect(life.device.likelyActions(count: 1).map(\.display.title) == ["Tomato 6, please"])
    #expect(life.device.likelyActions(count: 9).map(\.probability) == before.likelyActions(count: 9).map(\.probability))
    #expect(life.device.nextWake == before.nextWake && life.device.donatedActions == before.donatedActions)
    #expect(try Device(decoding: life.device.encoded) == life.device)
  }

  @Test("X1 A change of texts relearns no donation, a change of what donations count as does")
  func relearned() throws {
    let (device, name) = (try week("Order ${soup}").device, try IntentParameter.Name("soup"))
    func count(_ descriptor: IntentTypeDescriptor) -> Int {
      device.learnedDonationCount(by: .intentTypesRegistered(app, [descriptor]), limits: Limits())
    }
    func plain(
      _ type: IntentValueType = .object, isBackground: Bool = false, isSuggested: Bool = true
    ) throws -> IntentTypeDescriptor {
      try IntentTypeDescriptor(
        app: app, type: order, parameters: [.init(name: name, type: type)],
        combinations: [.init(parameters: [name], isBackground: isBackground)], isEligibleForSuggestions: isSuggested)
    }
    let unchanged = [try descriptor("${soup}, please"), try plain()]
    #expect(unchanged.map(count) == [0, 0])
    let changed = [try plain(.string), try plain(isBackground: true), try plain(isSuggested: false)]
    #expect(changed.map(count) == [7, 7, 7])
  }

  @Test("X2 The latest donation's own representation wins, and its deletion restores the previous one")
  func donated() throws {
    var life = try week("Order ${soup}")
    let (first, second) = (
      try DonationDisplay(title: "My secret lunch", subtitle: "now"), try DonationDisplay(title: "Known lunch")
    )
    let (then, now) = (Habitat.time(6, 12, 1), Habitat.time(7, 11, 46))
    try life.send(.donated(app, [try donation("a", try soup("Tomato"), at: now, first)]), at: now)
    try life.send(.donated(app, [try donation("b", try soup("Tomato"), at: then, second)]))
    let action = DonatedAction.intent(app, try soup(""))
    #expect(life.device.display(of: action) == ActionDisplay(title: "My secret lunch", subtitle: "now"))
    #expect(life.device.donations(count: 1).map(\.display.title) == ["My secret lunch"])
    try life.send(.donationsDeleted(app, .identifiers([try Donation.ID("a")])))
    #expect(life.device.display(of: action).title == "Known lunch")
    #expect(!Self.has("My secret lunch", life.device))
    try life.send(.donationsDeleted(app, .identifiers([try Donation.ID("b")])))
    #expect(life.device.display(of: action).title == "Order Tomato 6")
    #expect(!Self.has("Known lunch", life.device))
  }

  @Test("X2 A donation's own representation is not that of a less specific action that the donation counts as, too")
  func general() throws {
    var life = try Habitat()
    let (soup, size) = (try IntentParameter.Name("soup"), try IntentParameter.Name("size"))
    let texts = try ActionTexts(title: TextFormat("Order ${soup}"))
    let type = try IntentTypeDescriptor(
      app: app, type: order, parameters: [.init(name: soup, type: .object), .init(name: size, type: .integer)],
      combinations: [.init(parameters: [soup, size]), .init(parameters: [soup], texts: texts)], title: "Soup")
    try life.send(.intentTypesRegistered(app, [type]))
    let whole = try Habitat.intent("OrderSoup", [("soup", Habitat.object("Tomato")), ("size", .integer(2))])
    let own = try DonationDisplay(title: "Two tomato soups")
    try life.send(.donated(app, [try donation("a", whole, at: Habitat.monday, own)]))
    #expect(life.device.displays(of: life.device.donatedActions).map(\.title) == ["Two tomato soups", "Order Tomato"])
    try life.send(.donated(app, [try donation("b", whole, at: Habitat.time(0, 0, 1))]), at: Habitat.time(0, 0, 1))
    #expect(life.device.displays(of: life.device.donatedActions).map(\.text) == ["Soup – 2, Tomato", "Order Tomato"])
  }

  @Test("X2 A device whose donation with a representation was deleted equals one that never received it")
  func equality() throws {
    let date = Habitat.time(6, 13)
    var life = try week("Order ${soup}")
    var without = life
    let shown = try donation("a", try soup("Tomato"), at: date, try DonationDisplay(title: "Mine"))
    try life.send(.donated(app, [shown]))
    #expect(life.device != without.device)
    #expect(try Device(decoding: life.device.encoded) == life.device)
    // Every deletion is a change of the context, also one of nothing.
    try without.send(.donationsDeleted(app, .identifiers([shown.id])))
    try life.send(.donationsDeleted(app, .identifiers([shown.id])))
    #expect(life.device.encoded == without.device.encoded)
  }

  @Test("W6 Nothing of the texts of a removed intent type is left")
  func removed() throws {
    var life = try week("Order ${soup}")
    let own = try DonationDisplay(title: "My secret lunch")
    let now = Habitat.time(7, 11, 46)
    try life.send(.donated(app, [try donation("a", try soup("Tomato"), at: now, own)]), at: now)
    try life.send(.intentTypesRemoved(app, [order]))
    for text in ["Order ${soup}", "Food", "lunch", "Tomato 6"] { #expect(!Self.has(text, life.device)) }
  }

  @Test("X1 Texts count towards the size of a device")
  func size() throws {
    var life = try Habitat()
    try life.send(.intentTypesRegistered(app, [try descriptor("")]))
    let small = life.device.storedSize
    try life.send(.intentTypesRegistered(app, [try descriptor(String(repeating: "a", count: 1_000))]))
    #expect(life.device.storedSize >= small + 1_000)
  }

  private static func has(_ text: String, _ device: Device) -> Bool {
    let (bytes, wanted) = (device.encoded, Array(text.utf8))
    return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
  }
}
