import MarqueeModel
import Testing

@Suite struct RelevantShortcutTests {
  private let app: AppID
  private let type: IntentType
  private let card: IntentParameter.Name
  private let category: IntentParameter.Name

  init() throws {
    (app, type) = (try AppID("com.example.cards"), try IntentType("ViewRecentPurchases"))
    (card, category) = (try IntentParameter.Name("card"), try IntentParameter.Name("category"))
  }

  private func descriptor(_ combinations: [[IntentParameter.Name]]) throws -> IntentTypeDescriptor {
    try IntentTypeDescriptor(
      app: app, type: type,
      parameters: [.init(name: category, type: .enumCase), .init(name: card, type: .object, isArray: true)],
      combinations: combinations.map { .init(parameters: $0) })
  }

  @Test("D2 A type has at most 16 distinct combinations of its own parameters")
  func combinations() throws {
    let types = try descriptor([[category, card], [card]])
    #expect(types.parameters.map(\.name) == [card, category])
    #expect(types.combinations.first?.parameters == [card, category])
    #expect(throws: RequestError.self) { try descriptor([[card, category], [category, card]]) }
    #expect(throws: RequestError.self) { try descriptor([[try IntentParameter.Name("other")]]) }
    let rejection = #expect(throws: RequestError.self) { try descriptor(Array(repeating: [card], count: 17)) }
    #expect(rejection?.code == .resourceExhausted)
  }

  @Test(
    "S3 A window is ahead, open from its start until before its end, then ended; a date has the given length"
  )
  func states() throws {
    let noon = Instant.min.advanced(by: .hours(12))
    func states(_ window: DateWindow) -> [WindowState] {
      [-1, 0, 59, 60].map { window.state(at: noon.advanced(by: .seconds($0)), pointLength: .minutes(1)) }
    }
    #expect(states(try DateWindow(start: noon)) == [.ahead, .open, .open, .ended])
    let end = noon.advanced(by: .seconds(1))
    #expect(states(try DateWindow(start: noon, end: end)) == [.ahead, .open, .ended, .ended])
    #expect(states(try DateWindow(start: noon, end: noon)) == [.ahead, .ended, .ended, .ended])
  }

  @Test("S6 There are ten situations of the day")
  func situations() {
    #expect(RoutineSituation.allCases.count == 10)
  }

  @Test("A region has a radius above 0 and no larger than Earth")
  func regions() throws {
    let center = try Place(latitude: 1, longitude: 2, display: "")
    for radius in [0, -1, .nan, .infinity, PlaceRegion.radiusMax + 1] {
      #expect(throws: RequestError.self) { try PlaceRegion(center: center, radius: radius) }
    }
    #expect(try PlaceRegion(center: center, radius: PlaceRegion.radiusMax).radius == PlaceRegion.radiusMax)
  }

  @Test("Shortcuts and intent types round-trip")
  func bytes() throws {
    let window = try DateWindow(start: .min, end: .max)
    let center = try Place(latitude: 1, longitude: 2, display: "Gym")
    let shortcut = try RelevantShortcut(
      kind: KindName("Purchases"), intent: Intent(type: type), role: .information,
      providers: [
        .date(window), .date(DateWindow(start: .max)), .location(PlaceRegion(center: center, radius: 50)),
        .dailyRoutine(.gym), .other,
      ])
    #expect(try RelevantShortcut(decoding: shortcut.encoded) == shortcut)
    #expect(shortcut.windows.count == 2)
    let types = try descriptor([[card], []])
    #expect(try IntentTypeDescriptor(decoding: types.encoded) == types)
    let intent = RelevantIntent(intent: try Intent(type: type), kind: try KindName("Purchases"), window: window)
    #expect(try RelevantIntent(decoding: intent.encoded) == intent)
  }

  @Test("R15 Shortcuts, relevant intents and timelines round-trip with a group")
  func groups() throws {
    let (group, kind) = (try GroupName("Bills"), try KindName("Purchases"))
    let shortcut = try RelevantShortcut(kind: kind, role: .information, group: group)
    #expect(try RelevantShortcut(decoding: shortcut.encoded) == shortcut)
    for end in [nil, Instant.max] {
      let window = try DateWindow(start: .min, end: end)
      let intent = RelevantIntent(intent: try Intent(type: type), kind: kind, window: window, group: group)
      #expect(try RelevantIntent(decoding: intent.encoded) == intent)
      let plain = RelevantIntent(intent: intent.intent, kind: kind, window: window)
      #expect(plain != intent && plain.encoded == plain.intent.encoded + kind.encoded + window.encoded)
    }
    for fallback in [nil, try EntryContent(mediaType: "", bytes: [7])] {
      let timeline = Timeline(submitted: [], policy: .never, fallback: fallback, group: group)
      #expect(try Timeline(decoding: timeline.encoded) == timeline)
      #expect(timeline.contentSize == 5 + (fallback?.storedSize ?? 0))
      #expect(timeline.made(for: .systemLarge).group == group)
    }
  }

  @Test("R15 A shortcut with a group names a widget kind, and unknown flags are refused")
  func invalidGroups() throws {
    let group = try GroupName("Bills")
    let rejection = #expect(throws: RequestError.self) {
      try RelevantShortcut(intent: Intent(type: type), group: group)
    }
    #expect(rejection?.field == "group" && rejection?.code == .invalidArgument)
    let shortcut = try RelevantShortcut(intent: Intent(type: type))
    // The role follows the absent kind and the intent.
    let role = try 2 + Intent(type: type).encoded.count
    var bytes = shortcut.encoded
    #expect(bytes[role] == RelevantShortcut.Role.action.rawValue)
    bytes.replaceSubrange(role...role, with: [bytes[role] | 0x40] + group.encoded)
    #expect(throws: BinaryDecodingError.self) { try RelevantShortcut(decoding: bytes) }
    let window = try DateWindow(start: .min)
    let intent = RelevantIntent(intent: try Intent(type: type), kind: try KindName("Purchases"), window: window)
    #expect(throws: BinaryDecodingError.self) { try RelevantIntent(decoding: intent.encoded.dropLast() + [4]) }
    let timeline = Timeline(submitted: [], policy: .never, group: group)
    let twice = timeline.encoded.dropLast() + timeline.encoded.dropFirst()
    #expect(throws: BinaryDecodingError.self) { try Timeline(decoding: Array(twice)) }
  }

  @Test("R10 A why-not summary states the first obstacle")
  func words() throws {
    let widget = Widget(kind: WidgetKind(app: app, name: try KindName("Cards")))
    func summary(_ obstacles: [Obstacle]) throws -> String {
      WhyNot(widget: widget, stack: try StackID("home"), at: .min, obstacles: obstacles)
        .summary { String($0.description.dropFirst(11).prefix(5)) }
    }
    let (entry, end) = (Instant.min.advanced(by: .minutes(581)), Instant.min.advanced(by: .minutes(611)))
    #expect(
      try summary([.noEvidence(.scoreEnded(entry: entry, end: end))])
        == "Cards: its score has been 0 since 10:11, when the 30-minute window of the 09:41 entry ended")
    let hold = GateResult(
      .hold, isPassed: false, measured: 540, required: 900, since: Instant.min.advanced(by: .minutes(842)))
    #expect(try summary([.gate(hold)]) == "Cards: held for another 6 min because the user touched the stack at 14:02")
    #expect(try summary([]) == "Cards is in front")
  }
}
