import MarqueeModel
import MarqueeScheduler
import Testing

/// Errors of rules S2, S3 and S7, and limits.
@Suite struct ShortcutErrorTests {
  private let scene: Scene
  private let cards: Widget
  private let visa: Widget

  /// A device with the static kind `cards`, and the kind `purse` configured by an intent with one parameter.
  init() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes", "0:00 register cards", "0:00 register purse@visa"] {
      try scene.play(Script.Line(line))
    }
    self.scene = scene
    (cards, visa) = (try scene.widget("cards"), try scene.widget("purse@visa"))
  }

  private func error(_ event: Event, _ limits: Limits = .default) -> String? {
    do {
      try scene.device.check(event, limits: limits)
      return nil
    } catch {
      return "\(error.code) \(error)"
    }
  }

  private func error(_ widget: Widget, _ intent: Intent?, of app: AppID? = nil) throws -> String? {
    let shortcut = try RelevantShortcut(kind: widget.kind.name, intent: intent)
    return error(.relevantShortcutsSet(app ?? widget.kind.app, [shortcut]))
  }

  private func intent(_ type: String, _ parameters: [(String, ParameterValue)]) throws -> Intent {
    try Intent(
      type: IntentType(type),
      parameters: parameters.map { IntentParameter(name: try IntentParameter.Name($0.0), value: $0.1) })
  }

  @Test("S2 A static kind has no intent, and a configured kind one of its type with a supported combination")
  func combinations() throws {
    #expect(try error(cards, nil) == nil)
    #expect(try error(visa, visa.configuration) == nil)
    #expect(
      try error(cards, visa.configuration)
        == "invalidArgument shortcuts[0].intent: the kind has static configuration")
    #expect(
      try error(visa, nil)
        == "invalidArgument shortcuts[0].intent: "
        + "required field is missing: the kind is configured by intent type Configure"
    )
    #expect(
      try error(visa, intent("Other", []))
        == "invalidArgument shortcuts[0].intent: "
        + "intent type Other does not match the kind's intent type Configure"
    )
    #expect(
      try error(visa, intent("Configure", []))
        == "invalidArgument shortcuts[0].intent.parameters: the 0 parameters match none of the 1 supported combinations"
    )
    #expect(
      try error(visa, intent("Configure", [("which", .single(.integer(1)))]))
        == "invalidArgument shortcuts[0].intent.parameters.which: value must be of type enum case")
    #expect(
      try error(visa, intent("Configure", [("what", .single(.integer(1)))]))
        == "invalidArgument shortcuts[0].intent.parameters.what: intent type Configure has no such parameter")
    #expect(try error(cards, nil, of: visa.kind.app)?.hasPrefix("notFound shortcuts[0].kind") == true)
  }

  @Test("S7 The same holds for relevant intents")
  func intents() throws {
    let window = try DateWindow(start: Scene.instant(0))
    let right = RelevantIntent(intent: try #require(visa.configuration), kind: visa.kind.name, window: window)
    let wrong = RelevantIntent(intent: try intent("Configure", []), kind: visa.kind.name, window: window)
    #expect(error(.relevantIntentsSet(visa.kind.app, [right])) == nil)
    #expect(
      error(.relevantIntentsSet(visa.kind.app, [right, wrong]))?
        .hasPrefix("invalidArgument intents[1].intent.parameters") == true)
  }

  @Test("S3 An end before the start is rejected")
  func windows() throws {
    #expect(throws: RequestError(.invalidArgument, field: "end", "end precedes the start by 1 s")) {
      try DateWindow(start: Scene.instant(10), end: Scene.instant(9))
    }
    #expect(try DateWindow(start: Scene.instant(10), end: Scene.instant(10)).end == Scene.instant(10))
  }

  @Test("Sets, types, blocks and Home Screen widgets are limited, and nothing is half-applied")
  func limits() throws {
    var limits = Limits()
    (limits.shortcutCountMax, limits.homeWidgetCountMax, limits.blockCountMax) = (0, 0, 0)
    limits.intentTypeCountMax = 1
    let shortcut = try RelevantShortcut(kind: cards.kind.name)
    let other = try IntentTypeDescriptor(
      app: visa.kind.app, type: IntentType("Other"), parameters: [], combinations: [])
    let over: [(Event, String)] = [
      (.relevantShortcutsSet(cards.kind.app, [shortcut]), "shortcuts: 1 exceeds shortcut-count-max"),
      (.reported(.homeWidgetAdded(cards)), "home-widget-count-max"),
      (.reported(.widgetSuggestionBlocked(cards, true)), "block-count-max"),
      (.reported(.appSuggestionBlocked(cards.kind.app, true)), "block-count-max"),
      (.reported(.widgetSuggestionSnoozed(cards, until: try Scene.time("1:00"))), "block-count-max"),
      (.reported(.appSuggestionSnoozed(cards.kind.app, until: try Scene.time("1:00"))), "block-count-max"),
      (.intentTypesRegistered(visa.kind.app, [other]), "intent_types: 2 exceeds intent-type-count-max"),
    ]
    for (event, limit) in over {
      #expect(error(event, limits)?.contains(" \(limit) (") == true)
      #expect(error(event) == nil)
    }
    #expect(error(.intentTypesRegistered(cards.kind.app, [other]))?.hasPrefix("invalidArgument") == true)
  }

  @Test("R15 Shortcuts and relevant intents together put a widget in 16 groups at most")
  func groups() throws {
    let intent = try #require(visa.configuration)
    func shortcuts(_ numbers: Range<Int>) throws -> Event {
      .relevantShortcutsSet(
        visa.kind.app,
        try numbers.map {
          try RelevantShortcut(kind: visa.kind.name, intent: intent, group: GroupName("group \($0)"))
        })
    }
    func intents(_ numbers: Range<Int>) throws -> Event {
      let window = try DateWindow(start: Scene.instant(60), end: Scene.instant(3600))
      return .relevantIntentsSet(
        visa.kind.app,
        try numbers.map {
          RelevantIntent(intent: intent, kind: visa.kind.name, window: window, group: try GroupName("group \($0)"))
        })
    }
    let over = "resourceExhausted"
    #expect(error(try shortcuts(0..<17)) == "\(over) shortcuts[16].group: 17 exceeds group-count-max (16)")
    #expect(error(try intents(0..<17)) == "\(over) intents[16].group: 17 exceeds group-count-max (16)")
    #expect(error(try intents(0..<16)) == nil)
    var other = scene
    _ = other.device.handle(try intents(0..<16), at: other.device.now)
    #expect(throws: Never.self) { try other.device.check(try shortcuts(3..<16)) }
    #expect(throws: RequestError.self) { try other.device.check(try shortcuts(3..<17)) }
    _ = other.device.advance(to: Scene.instant(60))
    #expect(try Device(decoding: other.device.encoded) == other.device)
  }

  @Test("A dismissal requires a suggestion, and a widget is on the Home Screen only once")
  func reports() throws {
    let home = try StackID("home")
    for report in [.suggestionDismissed(home), .suggestionKept(home)] as [UserReport] {
      #expect(error(.reported(report)) == "failedPrecondition stack: the stack has no suggestion")
    }
    #expect(error(.reported(.homeWidgetRemoved(cards)))?.hasPrefix("notFound") == true)
    var other = scene
    try other.play(Script.Line("0:00 home cards"))
    #expect(throws: RequestError.self) { try other.device.check(.reported(.homeWidgetAdded(cards))) }
    try other.play(Script.Line("0:00 shortcut news 0:00-1:00"))
    let move = Event.stackEdited(home, .move(try other.widget("news"), to: 1))
    #expect(throws: RequestError.self) { try other.device.check(move) }
  }

  @Test("R11 Evidence is scaled by the engagement relative to the prior's, and capped below 1")
  func engagement() throws {
    var other = scene
    for line in [
      "0:00 policy hold=0s dwell=0s", "0:00 shortcut cards 1:00-1:10 2:00-2:10 3:00-3:10", "1:01 dismiss home",
    ] { try other.play(Script.Line(line)) }
    #expect(other.device.engagement(of: cards).worth(other.device.policy) == 4.0 / 6)
    _ = other.device.advance(to: try Scene.time("2:05"))
    let home = try StackID("home")
    func share() throws -> SignalShare {
      let candidates = try #require(other.device.explanation(of: home)).candidates
      return try #require(candidates.first { $0.widget == cards }?.signals.first)
    }
    #expect(try share().signal == .shortcut)
    #expect(abs(try share().strength - (4.0 / 6) / 0.8) < 1e-12)
    for line in ["2:06 tap home cards", "3:01 tap home cards"] { try other.play(Script.Line(line)) }
    #expect(other.device.engagement(of: cards).worth(other.device.policy) == 6.0 / 8)
    #expect(abs(try share().strength - 0.75 / 0.8) < 1e-12)
  }
}
