import MarqueeModel
import MarqueeScheduler
import Testing

/// Every error of `Device.check`, with its code and field, and that it changes nothing.
@Suite struct RequestErrorTests {
  private let device: Device
  private let home: StackID
  private let cards: Widget
  private let visa: Widget
  private let giro: Widget

  /// A device with a static kind `cards`, a kind `purse` configured by an intent, and the stack
  /// `home` of `cards` and `purse@visa`.
  init() throws {
    var scene = try Scene()
    try scene.play(Script.Line(second: 0, words: ["stack", "home", "cards", "purse@visa"]))
    try scene.play(Script.Line(second: 0, words: ["publish", "cards", "1:00=1"]))
    device = scene.device
    home = try StackID("home")
    (cards, visa, giro) = (try scene.widget("cards"), try scene.widget("purse@visa"), try scene.widget("purse@giro"))
  }

  @Test("A kind must belong to the app, be unique, and keep its configuration while widgets of it exist")
  func kinds() throws {
    let app = cards.kind.app
    let plain = try descriptor(cards.kind)
    expect(.invalidArgument, "kinds[0]", .kindsRegistered(visa.kind.app, [plain]))
    expect(.invalidArgument, "kinds[1].name", .kindsRegistered(app, [plain, plain]))
    let configured = try descriptor(cards.kind, .intent(IntentType("Other")))
    expect(.failedPrecondition, "kinds[0].intent_type", .kindsRegistered(app, [configured]))
    expectNone(.kindsRegistered(app, [plain]))
    let unused = WidgetKind(app: app, name: try KindName("Unused"))
    var other = device
    _ = other.handle(.kindsRegistered(app, [try descriptor(unused)]), at: other.now)
    try other.check(.kindsRegistered(app, [try descriptor(unused, .intent(IntentType("Other")))]))
  }

  @Test("Apps and their kinds are limited")
  func kindLimits() throws {
    var limits = Limits()
    limits.kindCountMax = 1
    let second = try descriptor(WidgetKind(app: cards.kind.app, name: KindName("Second")))
    expectOver("kind-count-max", .kindsRegistered(cards.kind.app, [second]), limits, field: "kinds")
    expectNone(.kindsRegistered(cards.kind.app, [try descriptor(cards.kind)]), limits)
    limits = Limits()
    limits.appCountMax = 2
    let app = try AppID("com.example.third")
    let third = try descriptor(WidgetKind(app: app, name: KindName("Third")))
    expectOver("app-count-max", .kindsRegistered(app, [third]), limits)
    expectNone(.kindsRegistered(cards.kind.app, [second]), limits)
  }

  @Test("A widget must have a registered kind and a matching configuration")
  func configurations() throws {
    let none = Timeline(submitted: [], policy: .never)
    let unknown = Widget(kind: WidgetKind(app: cards.kind.app, name: try KindName("Unknown")))
    let bare = Widget(kind: visa.kind)
    let needless = Widget(kind: cards.kind, configuration: visa.configuration)
    let wrong = Widget(kind: visa.kind, configuration: try Intent(type: IntentType("Other")))
    for event in [{ .timelinePublished($0, none) }, { .stackEdited(home, .add($0, at: nil)) }] as [(Widget) -> Event] {
      expect(.notFound, "widget.kind", event(unknown))
      for widget in [bare, needless, wrong] { expect(.invalidArgument, "widget.configuration", event(widget)) }
      expectNone(event(giro))
    }
    expect(.notFound, "widget.kind", .reloadRequested(cards.kind.app, kind: try KindName("Unknown")))
    expectNone(.reloadRequested(cards.kind.app, kind: nil))
    expectNone(.reloadRequested(cards.kind.app, kind: cards.kind.name))
  }

  @Test("Timelines are limited in entries and in bytes")
  func timelineLimits() throws {
    let content = try EntryContent(mediaType: "", bytes: [1, 2, 3])
    let entries = (1...2).map { TimelineEntry(date: Scene.instant($0), content: content) }
    func event(_ widget: Widget) -> Event { .timelinePublished(widget, Timeline(submitted: entries, policy: .never)) }
    for (name, path, least, field) in [
      ("entry-count-max", \Limits.entryCountMax, 2, "entries"), ("content-size-max", \.contentSizeMax, 3, ""),
      ("timeline-size-max", \.timelineSizeMax, 6, "entries"),
    ] {
      var limits = Limits()
      limits[keyPath: path] = least - 1
      expectOver(name, event(cards), limits, field: field)
      limits[keyPath: path] = least
      expectNone(event(cards), limits)
    }
  }

  @Test("Stacks are limited, have unique names, and must exist to be edited")
  func stacks() throws {
    let nowhere = try StackID("nowhere")
    expect(.alreadyExists, "stack", .stackEdited(home, .create(.systemSmall)))
    var limits = Limits()
    limits.stackCountMax = 1
    expectOver("stack-count-max", .stackEdited(nowhere, .create(.systemSmall)), limits)
    expectNone(.stackEdited(nowhere, .create(.systemSmall)))
    for edit in [.removeStack, .add(giro, at: nil), .setSmartRotate(true), .setWidgetSuggestions(true)] as [StackEdit] {
      expect(.notFound, "stack", .stackEdited(nowhere, edit))
      expectNone(.stackEdited(home, edit))
    }
  }

  @Test("A member joins once, if its kind supports the stack's family and there is room, at an index that exists")
  func members() throws {
    expect(.alreadyExists, "widget", .stackEdited(home, .add(cards, at: nil)))
    for index in [-1, 3, Int.max, Int.min] {
      expect(.invalidArgument, "index", .stackEdited(home, .add(giro, at: index)))
    }
    expectNone(.stackEdited(home, .add(giro, at: 2)))
    var limits = Limits()
    limits.memberCountMax = 2
    expectOver("member-count-max", .stackEdited(home, .add(giro, at: nil)), limits)
    var other = device
    let large = try StackID("large")
    _ = other.handle(.stackEdited(large, .create(.systemLarge)), at: other.now)
    expect(.failedPrecondition, "widget", .stackEdited(large, .add(giro, at: nil)), on: other)
  }

  @Test("Only members leave or move, and only to an index that exists")
  func moves() {
    for edit in [.remove(giro), .move(giro, to: 0)] as [StackEdit] {
      expect(.notFound, "widget", .stackEdited(home, edit))
    }
    for index in [-1, 2] { expect(.invalidArgument, "index", .stackEdited(home, .move(cards, to: index))) }
    for edit in [.remove(cards), .move(cards, to: 0), .move(cards, to: 1)] as [StackEdit] {
      expectNone(.stackEdited(home, edit))
    }
  }

  @Test("Only a member can be replaced, and only by a widget that the stack supports and does not have")
  func replacements() throws {
    expect(.notFound, "widget", .stackEdited(home, .replace(giro, with: giro)))
    expect(.alreadyExists, "replacement", .stackEdited(home, .replace(cards, with: visa)))
    for widget in [cards, giro] { expectNone(.stackEdited(home, .replace(cards, with: widget))) }
    let unknown = Widget(kind: WidgetKind(app: cards.kind.app, name: try KindName("Unknown")))
    expect(.notFound, "replacement.widget.kind", .stackEdited(home, .replace(cards, with: unknown)))
  }

  @Test("Reports must name existing stacks, members and widgets")
  func reports() throws {
    let nowhere = try StackID("nowhere")
    for report in [.shown(nowhere), .hidden(nowhere), .scrolled(nowhere, to: cards), .tapped(nowhere, cards)]
      as [UserReport]
    {
      expect(.notFound, "stack", .reported(report))
    }
    for report in [.scrolled(home, to: giro), .tapped(home, giro), .reload(giro)] as [UserReport] {
      expect(.notFound, "widget", .reported(report))
    }
    for report in [
      .shown(home), .hidden(home), .scrolled(home, to: cards), .tapped(home, visa), .reload(cards),
      .appOpened(try AppID("com.example.unknown")), .appClosed(try AppID("com.example.unknown")),
    ] as [UserReport] {
      expectNone(.reported(report))
    }
  }

  @Test("The policy fields have ranges, bounds included")
  func policies() {
    let spans: [(String, WritableKeyPath<Policy, TimeSpan>)] = [
      ("dwell", \.dwell), ("hold", \.hold), ("score_retention", \.scoreRetention), ("reload_spacing", \.reloadSpacing),
    ]
    for (field, path) in spans {
      for span in [TimeSpan(milliseconds: -1), TimeSpan(milliseconds: 366 * 86_400_000 + 1)] {
        expect(.invalidArgument, field, policy(path, span))
      }
      for span in [TimeSpan.zero, .days(366)] { expectNone(policy(path, span)) }
    }
    for (field, path) in [
      ("threshold", \Policy.threshold), ("margin", \.margin), ("timeline_weight", \.timelineWeight),
    ] {
      for number in [-0.001, .nan, .infinity] { expect(.invalidArgument, field, policy(path, number)) }
      expectNone(policy(path, 0.5))
    }
    for number in [0.0, 1] { expect(.invalidArgument, "timeline_weight", policy(\.timelineWeight, number)) }
    for (field, path) in [("rotation_count_max", \Policy.rotationCountMax), ("reload_count_max", \.reloadCountMax)] {
      for count in [-1, 1_001] { expect(.invalidArgument, field, policy(path, count)) }
      expectNone(policy(path, 1_000))
    }
    for count in [-1, 71, 1_001] { expect(.invalidArgument, "reload_count_min", policy(\.reloadCountMin, count)) }
    for count in [0, 70] { expectNone(policy(\.reloadCountMin, count)) }
  }

  @Test("Developer mode and the time zone are never rejected")
  func others() throws {
    expectNone(.developerModeChanged(true))
    expectNone(.timeZoneChanged(try TimeZoneID("Europe/Berlin")))
    var other = device
    _ = other.handle(.timeZoneChanged(try TimeZoneID("Asia/Tokyo")), at: other.now)
    #expect(try other.timeZone == TimeZoneID("Asia/Tokyo"))
  }
}

extension RequestErrorTests {
  private func expect(
    _ code: RequestError.Code, _ field: String, _ event: Event, _ limits: Limits = .default, on other: Device? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let device = other ?? device
    let error = #expect(throws: RequestError.self, sourceLocation: sourceLocation) {
      try device.check(event, limits: limits)
    }
    #expect(error?.code == code && error?.field == field, "\(event)", sourceLocation: sourceLocation)
  }

  private func expectOver(
    _ limit: String, _ event: Event, _ limits: Limits, on other: Device? = nil, field: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: RequestError.self, sourceLocation: sourceLocation) {
      try (other ?? device).check(event, limits: limits)
    }
    #expect(error?.code == .resourceExhausted, sourceLocation: sourceLocation)
    #expect(error?.field == field, sourceLocation: sourceLocation)
    #expect(error?.reason.contains(" exceeds \(limit) (") == true, sourceLocation: sourceLocation)
  }

  /// The event is valid and can be handled.
  private func expectNone(
    _ event: Event, _ limits: Limits = .default, on other: Device? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var device = other ?? device
    #expect(throws: Never.self, sourceLocation: sourceLocation) { try device.check(event, limits: limits) }
    _ = device.handle(event, at: device.now)
  }

  private func policy<Value>(_ path: WritableKeyPath<Policy, Value>, _ value: Value) -> Event {
    var policy = Policy.default
    policy[keyPath: path] = value
    return .policyChanged(policy)
  }

  private func descriptor(
    _ kind: WidgetKind, _ configuration: WidgetDescriptor.Configuration = .static
  ) throws -> WidgetDescriptor {
    try WidgetDescriptor(
      kind: kind, displayName: "", families: [.systemSmall], configuration: configuration)
  }
}
