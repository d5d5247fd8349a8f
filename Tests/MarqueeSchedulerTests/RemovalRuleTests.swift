import MarqueeModel
import MarqueeScheduler
import Testing

/// The removal of kinds, intent types and apps (rule W6).
@Suite struct RemovalRuleTests {
  private static let secret = "com.example.secret-bank"
  private let app: AppID
  private let balance: Widget
  private let card: Widget

  init() throws {
    app = try AppID(Self.secret)
    balance = Widget(kind: WidgetKind(app: app, name: try KindName("SecretBalance")))
    let intent = try Habitat.intent("SecretPurchases", [("card", Habitat.object("secret-card-7"))])
    card = Widget(kind: WidgetKind(app: app, name: try KindName("SecretCards")), configuration: intent)
  }

  private var purchases: IntentType {
    get throws { try IntentType("SecretPurchases") }
  }

  /// Returns a device with a stack of other apps' widgets, and with everything that an app can have on a device.
  private func everything() throws -> Habitat {
    var life = try Habitat()
    try life.register("soup-chef", "OrderSoup", [("soup", .object)], [["soup"]])
    try life.stack()
    try registerApp(&life)
    for widget in [balance, card] {
      try life.send(.stackEdited(Habitat.home, .add(widget, at: nil)))
      try life.send(.timelinePublished(widget, try timeline(life.device.now)))
    }
    let pin = Pin(focus: try FocusID("secret-focus"))
    let rule = RotationRule(isToAllowed: false)
    try life.send(.stackEdited(Habitat.home, .setPin(card, pin)))
    try life.send(.stackEdited(Habitat.home, .setRotationRule(balance, rule)))
    try life.report(.scrolled(Habitat.home, to: balance), at: Habitat.time(0, 1))
    try life.report(.homeWidgetAdded(balance, in: .systemLarge), at: Habitat.time(0, 1))
    try life.report(.appSuggestionSnoozed(app, until: Habitat.time(30, 0)), at: Habitat.time(0, 1))
    try life.report(.widgetSuggestionBlocked(card, true), at: Habitat.time(0, 1))
    for day in 0..<8 {
      let activity = Donation.Activity.intent(try #require(card.configuration))
      let donation = Donation(
        id: try .init("secret-\(day)"), group: try .init("secret-group"), date: Habitat.time(day, 8), activity: activity
      )
      try life.send(.donated(app, [donation]), at: Habitat.time(day, 8))
      try life.donate("soup-chef", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
    }
    try life.send(.reloadRequested(app, kind: nil))
    try life.report(.appOpened(app), at: Habitat.time(8, 1))
    return life
  }

  private func registerApp(_ life: inout Habitat) throws {
    let parameter = try IntentParameter.Name("card")
    let type = try IntentTypeDescriptor(
      app: app, type: purchases, parameters: [.init(name: parameter, type: .object)],
      combinations: [.init(parameters: [parameter])])
    try life.send(.intentTypesRegistered(app, [type]))
    let families: [WidgetFamily] = [.systemSmall, .systemLarge]
    try life.send(
      .kindsRegistered(
        app,
        [
          try WidgetDescriptor(kind: balance.kind, displayName: "Secret balance", families: families),
          try WidgetDescriptor(
            kind: card.kind, displayName: "Secret cards", families: families, configuration: .intent(purchases)),
        ]))
    let window = try DateWindow(start: Habitat.time(9, 0), end: Habitat.time(9, 4))
    let shortcut = try RelevantShortcut(
      kind: card.kind.name, intent: card.configuration, providers: [.date(window)],
      group: GroupName("secret bills"))
    try life.send(.relevantShortcutsSet(app, [shortcut, try RelevantShortcut(kind: balance.kind.name)]))
    let relevant = RelevantIntent(
      intent: try #require(card.configuration), kind: card.kind.name, window: window,
      group: try GroupName("secret group"))
    try life.send(.relevantIntentsSet(app, [relevant]))
    let episode = try Intent(
      type: .playMedia,
      parameters: [.init(name: try .init("mediaItems"), value: .single(Habitat.object("secret-song")))])
    try life.send(.upcomingMediaSet(app, try UpcomingMedia(intents: [episode])))
  }

  private func timeline(_ now: Instant) throws -> Timeline {
    let content = try EntryContent(mediaType: "text/plain", bytes: Array("secret amount".utf8))
    let relevance = try TimelineEntryRelevance(score: 3)
    return Timeline(
      submitted: [TimelineEntry(date: now, relevance: relevance, content: content)], policy: .atEnd,
      group: try GroupName("secret timelines"))
  }

  /// The number of occurrences of "secret", in any case, in the stored form of a device.
  private static func secretCount(_ device: Device) -> Int {
    let text = String(decoding: device.stored(.included), as: UTF8.self).lowercased()
    return text.split(separator: "secret", omittingEmptySubsequences: false).count - 1
  }

  private static func name(_ app: String, _ kind: String) throws -> WidgetKind {
    WidgetKind(app: try Habitat.app(app), name: try KindName(kind))
  }

  @Test("W6 Nothing of a removed app is left in the device, and everything of others is")
  func wholeApp() throws {
    var life = try everything()
    #expect(Self.secretCount(life.device) > 40 && life.device.hasContent(of: app))
    #expect(life.device.foregroundApp == app && life.device.blockedSuggestions.count == 2)
    #expect(life.device.stack(Habitat.home)?.settings.count == 2)
    let soup = try Habitat.app("soup-chef")
    let soups = life.device.donations(of: soup, count: 100).map(\.activity)
    try life.send(.appRemoved(app))
    #expect(Self.secretCount(life.device) == 0 && !life.device.hasContent(of: app))
    #expect(life.device.donations(count: 100).map(\.activity) == soups && soups.count == 8)
    let stack = try #require(life.device.stack(Habitat.home))
    #expect(stack.members == [Widget(kind: try Self.name("clock", "Clock"))] && stack.settings.isEmpty)
    #expect(life.device.likelyActions(count: 9).allSatisfy { $0.action.app == soup })
    try life.send(.appRemoved(app))
    #expect(try Device(decoding: life.device.encoded) == life.device)
  }

  @Test("W6 The user's reactions to suggestions of a removed app on surfaces go with it, and others stay")
  func feedback() throws {
    var life = try everything()
    try life.report(.appSuggestionBlocked(app, false), at: Habitat.time(9, 7, 50))
    var ids: [SuggestionID: AppID] = [:]
    // Each app is used at its own hour.
    for hour in [7, 11] {
      life.advance(to: Habitat.time(9, hour, 50))
      for suggestion in life.device.suggestions(on: .search, count: 20) {
        guard case .action(let action) = suggestion.subject else { continue }
        ids[suggestion.id] = action.app
        for outcome in [SuggestionOutcome.shown, .acted] {
          try life.report(.surfaceSuggestion(.search, suggestion.id, outcome), at: life.device.now)
        }
      }
    }
    #expect(Set(ids.values) == [app, try Habitat.app("soup-chef")])
    #expect(ids.keys.allSatisfy { life.device.encoded.contains($0.encoded) })
    try life.send(.appRemoved(app))
    for (id, owner) in ids {
      let isKept = life.device.encoded.contains(id.encoded)
      #expect(isKept == (owner != app))
    }
  }

  @Test("W6 A device continues equally after a removal and after it was stored and loaded")
  func continues() throws {
    var life = try everything()
    try life.send(.appRemoved(app))
    var loaded = life
    try loaded.store()
    for day in 8..<12 {
      try life.donate("soup-chef", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
      try loaded.donate("soup-chef", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
      #expect(life.device == loaded.device && life.output == loaded.output)
    }
  }

  @Test("W6 A removed kind leaves stacks and the Home Screen, and the kinds after it keep their evidence")
  func kind() throws {
    var life = try everything()
    let evidence = life.device.explanation(of: Habitat.home)?.candidates.first { $0.widget == card }?.evidence
    #expect(evidence ?? 0 > 0)
    try life.report(.scrolled(Habitat.home, to: balance), at: Habitat.time(8, 2))
    try life.send(.kindsRemoved(app, [balance.kind.name]))
    let stack = try #require(life.device.stack(Habitat.home))
    #expect(stack.members.contains(card) && !stack.members.contains(balance) && stack.frontWidget == card)
    #expect(Array(stack.settings.keys) == [card])
    #expect(life.device.homeWidgets.isEmpty)
    let remaining = life.device.explanation(of: Habitat.home)?.candidates.first { $0.widget == card }?.evidence
    #expect(remaining == evidence)
    #expect(life.device.relevantShortcuts(of: app).map(\.kind) == [card.kind.name])
    #expect(try Device(decoding: life.device.encoded) == life.device)
    #expect(life.device.donationCount(of: app) == 9, "donations belong to the intent type, and an opening to the app")
  }

  @Test("W6 A suggestion of a removed kind is withdrawn")
  func suggestion() throws {
    var life = try everything()
    try life.report(.widgetSuggestionBlocked(card, false), at: Habitat.time(8, 2))
    try life.report(.appSuggestionBlocked(app, false), at: Habitat.time(8, 2))
    try life.send(.stackEdited(Habitat.home, .remove(card)))
    life.advance(to: Habitat.time(9, 2))
    #expect(life.device.stack(Habitat.home)?.hasSuggestion == true)
    try life.send(.kindsRemoved(app, [card.kind.name]))
    #expect(life.output.last == "Wed 2:00 withdraw \(Habitat.name(card)): evidence ended")
    #expect(life.device.stack(Habitat.home)?.hasSuggestion == false)
  }

  @Test("W6 A removed intent type takes its donations with it, and what the engine learned from them")
  func intentType() throws {
    var life = try everything()
    try life.send(.kindsRemoved(app, [card.kind.name]))
    #expect(life.device.likelyActions(count: 9).contains { $0.action.app == app })
    try life.send(.intentTypesRemoved(app, [purchases]))
    // The opening of the app remains.
    #expect(life.device.donationCount(of: app) == 1 && life.device.donationCount() == 9)
    #expect(!life.device.likelyActions(count: 9).contains { $0.action.app == app })
    #expect(life.device.intentTypes(of: app).isEmpty && life.device.upcomingMedia(of: app) != nil)
    #expect(try Device(decoding: life.device.encoded) == life.device)
  }

  @Test("W6 With an intent type go blocks of widgets that it configured, but no donations of types not registered")
  func intentTypeRest() throws {
    var life = try everything()
    try life.send(.kindsRemoved(app, [card.kind.name]))
    // A user can block a widget that does not exist.
    for widget in [card, Widget(kind: balance.kind, configuration: card.configuration)] {
      try life.report(.widgetSuggestionBlocked(widget, true), at: Habitat.time(8, 2))
    }
    let other = try Habitat.intent("Other", [("card", Habitat.object("second"))])
    let donation = Donation(id: try .init("other"), date: life.device.now, activity: .intent(other))
    try life.send(.donated(app, [donation]))
    try life.send(.intentTypesRemoved(app, [other.type]))
    #expect(life.device.donationCount(of: app) == 10 && life.device.blockedSuggestions.count == 3)
    try life.send(.intentTypesRemoved(app, [other.type, try purchases]))
    let opening = Donation(openingAt: Habitat.time(8, 1), of: app)
    #expect(life.device.donations(of: app, count: 9).map(\.activity) == [.intent(other), opening.activity])
    #expect(life.device.blockedSuggestions.map(\.subject) == [.app(app)])
    #expect(!life.device.encoded.contains("secret-card-7".utf8))
  }

  @Test("W6 A kind that is not registered is ignored, with the user's block of it")
  func unknownKind() throws {
    var life = try everything()
    let unknown = Widget(kind: WidgetKind(app: app, name: try KindName("Nothing")))
    try life.report(.widgetSuggestionBlocked(unknown, true), at: Habitat.time(8, 2))
    try life.send(.kindsRemoved(app, [unknown.kind.name, card.kind.name]))
    #expect(life.device.blockedSuggestions.map(\.subject) == [.widget(unknown), .app(app)])
  }

  @Test("W6 An intent type that configures a kind is not removed, and unknown names are ignored")
  func rejected() throws {
    var life = try everything()
    let event = Event.intentTypesRemoved(app, [try IntentType("Nothing"), try purchases])
    do throws(RequestError) {
      try life.device.check(event)
      Issue.record("no error")
    } catch {
      #expect(error.code == .failedPrecondition)
      #expect("\(error)" == "intent_types[1]: the type configures kind SecretCards; remove the kind first")
    }
    let (known, unknown) = (card.kind.name, try KindName("Nothing"))
    #expect(life.device.kindCount(of: app, named: [known, unknown, known]) == 1)
    #expect(life.device.kindCount(of: try Habitat.app("clock"), named: [known]) == 0)
    #expect(life.device.intentTypeCount(of: app, named: [try purchases, try IntentType("Nothing")]) == 1)
    let (stack, count) = (life.device.stack(Habitat.home), Self.secretCount(life.device))
    try life.send(.kindsRemoved(app, [unknown]))
    try life.send(.kindsRemoved(try Habitat.app("clock"), [known]))
    #expect(life.device.stack(Habitat.home) == stack && Self.secretCount(life.device) == count)
  }

  @Test("W6 A journal stores a removal without names")
  func redacted() throws {
    let events: [Event] = [
      .kindsRemoved(app, [balance.kind.name]), .intentTypesRemoved(app, [try purchases]), .appRemoved(app),
    ]
    for event in events {
      #expect(event.redacted == .contentRemoved && event.isRedacted && event.removesContent)
      #expect(event.redacted.encoded.count == 1)
    }
    var life = try everything()
    let before = life.device
    try life.send(.contentRemoved)
    #expect(life.device == before && !Event.contentRemoved.isRedacted)
  }
}
