import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// The instances of widgets (rule W1). The kinds `duo` and `duo2` support the families small and large.
@Suite struct InstanceRuleTests {
  private var scene: Scene

  init() throws { scene = try Scene() }

  private mutating func play(_ lines: String...) throws {
    for line in lines { try scene.play(Script.Line(line)) }
  }

  private func instance(_ name: String, _ family: WidgetFamily) throws -> WidgetInstance {
    WidgetInstance(try scene.widget(name), in: family)
  }

  private mutating func handle(_ event: Event) { _ = scene.device.handle(event, at: scene.device.now) }

  /// Returns the registration of a widget's kind with other families.
  private func registration(of name: String, in families: WidgetFamily...) throws -> Event {
    let widget = try scene.widget(name)
    let descriptor = try WidgetDescriptor(
      kind: widget.kind, displayName: "", families: families,
      configuration: widget.configuration.map { .intent($0.type) } ?? .static)
    return .kindsRegistered(widget.kind.app, [descriptor])
  }

  /// Returns the publication of a timeline whose entry has 10,000 bytes of content.
  private func largePublication(of name: String, in family: WidgetFamily? = nil) throws -> Event {
    let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: 7, count: 10_000))
    let entry = TimelineEntry(date: scene.device.now, content: content)
    return .timelinePublished(
      try scene.widget(name), Timeline(submitted: [entry], policy: .never, family: family))
  }

  @Test("W1 A large stack shows the content for its family, beside a small stack with the same configuration")
  mutating func content() throws {
    try play(
      "0:00 watch refresh", "0:00 stack home duo", "0:00 large wall duo", "1:00 publish duo 1:00=- for=small",
      "2:00 publish duo 2:00=- for=large", "3:00 entry? duo small", "3:00 entry? duo large")
    #expect(
      scene.output == [
        "1:00 refresh duo 1:00", "2:00 refresh duo/large 2:00", "3:00 entry duo 1:00", "3:00 entry duo 2:00",
      ])
    let duo = try scene.widget("duo")
    #expect(scene.device.timeline(of: duo, in: .systemLarge)?.family == .systemLarge)
    #expect(scene.device.currentEntry(of: duo) == scene.device.currentEntry(of: duo, in: .systemLarge))
    #expect(scene.device.timeline(of: duo, in: .systemMedium) == nil)
  }

  @Test("W1 A timeline without a family reaches every instance of the widget")
  mutating func everyFamily() throws {
    try play(
      "0:00 watch refresh", "0:00 stack home duo", "0:00 large wall duo", "1:00 publish duo 1:00=- for=large",
      "2:00 publish duo 2:00=-")
    #expect(
      scene.output == ["1:00 refresh duo/large 1:00", "2:00 refresh duo 2:00", "2:00 refresh duo/large 2:00"])
  }

  @Test("W1 Only the relevance of its own content rotates a stack")
  mutating func relevance() throws {
    try play(
      "0:00 stack home duo2 duo", "0:00 large wall duo2 duo", "0:00 publish duo 9:00=5/1h for=small",
      "10:00 publish duo 11:00=5/1h for=large", "12:00 end")
    #expect(scene.output == ["9:00 rotate home duo2 > duo", "11:00 rotate wall duo2 > duo"])
  }

  @Test("W1 Every instance has its own reload request and budget")
  mutating func reloads() throws {
    try play(
      "0:00 watch placed", "0:00 stack home duo", "0:00 large wall duo",
      "1:00 publish duo 1:00=- for=large reload=2:00", "2:30 open? duo")
    #expect(
      scene.output == [
        "0:00 reload duo placed", "0:00 reload duo/large placed", "2:00 reload duo/large after",
        "2:30 open duo placed 0:00, duo/large after 2:00",
      ])
    let duo = try scene.widget("duo")
    #expect(scene.device.memberStatus(of: duo, in: .systemSmall)?.reload.countedCount == 0)
    #expect(scene.device.memberStatus(of: duo, in: .systemLarge)?.reload.countedCount == 1)
    let requests = scene.device.openReloadRequests(for: duo.kind.app)
    #expect(requests.map(\.family) == [.systemSmall, .systemLarge])
  }

  @Test("W1 A reload that the app or the user requests concerns every instance")
  mutating func requestedReloads() throws {
    try play(
      "0:00 stack home duo", "0:00 large wall duo", "0:00 publish duo 0:00=-", "1:00 pull duo",
      "2:00 publish duo 2:00=-", "3:00 open duo", "3:00 ask duo")
    #expect(
      scene.output == [
        "1:00 reload duo user", "1:00 reload duo/large user", "3:00 reload duo app", "3:00 reload duo/large app",
      ])
  }

  @Test("W1 A widget placed in a second family takes over content without a family, with its reload policy")
  mutating func takenOver() throws {
    try play(
      "0:00 watch refresh placed", "0:00 stack home duo", "0:10 publish duo 0:10=- 2:00=- reload=3:00",
      "1:00 large wall duo", "4:00 end")
    #expect(
      scene.output == [
        "0:00 reload duo placed", "0:10 refresh duo 0:10", "1:00 refresh duo/large 0:10", "2:00 refresh duo 2:00",
        "2:00 refresh duo/large 2:00", "3:00 reload duo after", "3:00 reload duo/large after",
      ])
  }

  @Test("W1 A widget placed in a second family requests a timeline if there is only content for another family")
  mutating func otherFamily() throws {
    try play(
      "0:00 watch refresh placed", "0:00 stack home duo", "0:10 publish duo 0:10=- for=small", "1:00 large wall duo",
      "1:00 entry? duo large")
    #expect(
      scene.output == [
        "0:00 reload duo placed", "0:10 refresh duo 0:10", "1:00 reload duo/large placed", "1:00 entry duo -",
      ])
  }

  @Test("W1 Content that is published before the widget is placed belongs to the family in which it is placed first")
  mutating func publishedBefore() throws {
    try play("0:00 watch refresh", "0:00 publish duo 0:00=-", "1:00 large wall duo", "2:00 publish duo 2:00=-")
    #expect(
      scene.output == ["0:00 refresh duo 0:00", "1:00 refresh duo/large 0:00", "2:00 refresh duo/large 2:00"])
    let large = try instance("duo", .systemLarge)
    #expect(scene.device.knownInstances == [large])
    #expect(scene.device.knownWidgets == [large.widget])
  }

  @Test("W1 A stack is suggested the instance of its family")
  mutating func suggestion() throws {
    try play(
      "0:00 large wall duo@a", "0:00 publish duo@b 0:00=- for=large", "0:01 publish duo@b 0:01=- for=small",
      "0:02 watch refresh", "9:00 intent duo@b 9:00-10:00")
    #expect(scene.output == ["9:00 suggest wall duo@a > duo@b", "9:00 refresh duo@b/large 0:00"])
  }

  @Test("W1 A widget is suggested in one family, and not in another one after the user dismisses it")
  mutating func dismissal() throws {
    try play(
      "0:00 stack home duo@a", "0:00 large wall duo@a", "9:00 intent duo@b 9:00-10:00", "9:30 dismiss home",
      "10:00 end")
    #expect(scene.output == ["9:00 suggest home duo@a > duo@b", "9:30 withdraw home duo@b: dismissed"])
  }

  @Test("W1 A first stack of a family is suggested widgets that shortcuts named before")
  mutating func laterStack() throws {
    try play("0:00 register duo@b", "0:00 intent duo@b 9:00-10:00", "1:00 large wall duo@a", "10:00 end")
    #expect(scene.output == ["9:00 suggest wall duo@a > duo@b", "10:00 withdraw wall duo@b: evidence ended"])
  }

  @Test("W1 A widget that moves between stacks of different families shows the content of each family")
  mutating func moved() throws {
    try play(
      "0:00 stack home duo", "0:00 large wall duo2", "0:10 publish duo 0:10=- for=small", "0:20 watch refresh",
      "1:00 remove home duo", "1:00 add wall duo", "2:00 publish duo 2:00=- for=large", "3:00 remove wall duo",
      "3:00 add home duo")
    #expect(scene.output == ["2:00 refresh duo/large 2:00", "3:00 refresh duo 0:10"])
  }

  @Test("W1 W3 A widget can be outside stacks in two families")
  mutating func outside() throws {
    try play("0:00 watch home", "0:00 home duo", "0:01 home duo large")
    let (small, large) = (try instance("duo", .systemSmall), try instance("duo", .systemLarge))
    #expect(scene.device.homeWidgets == [small, large])
    let placed = scene.device.placedWidgets(of: small.widget.kind.app)
    #expect(placed.map(\.family) == [.systemSmall, .systemLarge])
    #expect(throws: RequestError.self) { try scene.device.check(.reported(.homeWidgetAdded(small.widget))) }
    try play("0:02 unhome duo small", "0:03 home duo small", "0:04 unhome duo")
    #expect(
      scene.output == [
        "0:00 home duo", "0:01 home duo/large", "0:02 no home duo", "0:03 home duo", "0:04 no home duo/large",
        "0:04 no home duo",
      ])
    #expect(scene.device.homeWidgets.isEmpty)
  }

  @Test("W1 A family that the kind does not support is rejected, and names the field")
  mutating func unsupported() throws {
    try play("0:00 register duo")
    let duo = try scene.widget("duo")
    let events: [Event] = [
      .timelinePublished(duo, Timeline(submitted: [], policy: .never, family: .systemMedium)),
      .reported(.homeWidgetAdded(duo, in: .systemMedium)),
    ]
    for event in events {
      let error = #expect(throws: RequestError.self) { try scene.device.check(event) }
      #expect(error?.code == .failedPrecondition && error?.field == "family")
    }
    #expect(throws: RequestError.self) {
      try scene.device.check(.reported(.homeWidgetRemoved(duo, in: .systemMedium)))
    }
  }

  @Test("W1 R11 Engagement belongs to the instance that the user reacted to")
  mutating func engagement() throws {
    try play(
      "0:00 stack home duo2 duo", "0:00 large wall duo2 duo", "0:00 publish duo 9:00=5", "9:01 tap wall duo",
      "9:02 worth? duo small", "9:02 worth? duo large")
    #expect(scene.output.suffix(2) == ["9:02 worth duo 0 good 0 bad", "9:02 worth duo 1 good 0 bad"])
  }

  @Test("W1 W2 Instances count for the retention of timelines")
  mutating func retention() throws {
    try play("0:00 register duo@0")
    for number in 0..<33 {
      for family in [WidgetFamily.systemSmall, .systemLarge] {
        let widget = try scene.widget("duo@\(number)")
        let event = Event.timelinePublished(widget, Timeline(submitted: [], policy: .never, family: family))
        try scene.device.check(event)
        _ = scene.device.handle(event, at: scene.device.now.advanced(by: .seconds(1)))
      }
    }
    #expect(scene.device.timelineCount == Device.unplacedTimelineCountMax)
    let (first, second) = (try scene.widget("duo@0"), try scene.widget("duo@1"))
    #expect(scene.device.timeline(of: first) == nil)
    #expect(scene.device.timeline(of: second, in: .systemSmall) != nil)
  }

  @Test("W1 A device with instances of several families survives encoding and decoding")
  mutating func encoding() throws {
    try play(
      "0:00 stack home duo@a", "0:00 large wall duo@a duo@c", "0:00 home duo@a large", "0:00 publish duo@a 0:00=-",
      "0:01 publish duo@a 0:01=- for=large", "9:00 intent duo@b 9:00-10:00", "9:01 tap home duo@b")
    let decoded = try Device(decoding: scene.device.encoded)
    #expect(decoded == scene.device)
    #expect(decoded.encoded == scene.device.encoded)
    #expect(decoded.engagement(of: try scene.widget("duo@b"), in: .systemSmall).goodCount == 1)
    #expect(decoded.homeWidgets.map(\.family) == [.systemLarge])
  }

  @Test("W1 A stored device takes the family of a large timeline from its event")
  mutating func referenced() throws {
    try play("0:00 stack home duo", "0:00 large wall duo")
    let event = try largePublication(of: "duo", in: .systemLarge)
    _ = scene.device.handle(event, at: scene.device.now, sequence: 7)
    #expect(event.encoded.first == 22)
    guard case .timelinePublished(_, let published) = try Event(decoding: event.encoded) else {
      Issue.record("another event was decoded")
      return
    }
    let source = TimelineSource { _ in published }
    let bytes = scene.device.stored(.referenced)
    #expect(bytes.count < 10_000)
    let stored = try Device(stored: bytes, source)
    #expect(stored == scene.device && stored.publishedTimelines == [7: published])
    let included = try Device(stored: scene.device.stored(.included), source)
    #expect(included == scene.device)
  }

  @Test("W1 An event without a family keeps its encoding")
  mutating func events() throws {
    let duo = try scene.widget("duo")
    #expect(Event.timelinePublished(duo, Timeline(submitted: [], policy: .never)).encoded.first == 2)
    #expect(UserReport.homeWidgetAdded(duo).encoded.first == 12)
    #expect(UserReport.homeWidgetRemoved(duo).encoded.first == 13)
    #expect(UserReport.homeWidgetAdded(duo, in: .systemLarge).encoded.first == 18)
    #expect(UserReport.homeWidgetRemoved(duo, in: .systemLarge).encoded.first == 19)
  }
}

/// The retention of instances that change family, lose their family, or share a timeline.
extension InstanceRuleTests {
  @Test("W1 Content for a family that the kind has dropped is accepted while the instance exists")
  mutating func droppedFamily() throws {
    try play("0:00 large wall duo")
    handle(try registration(of: "duo", in: .systemSmall))
    try play("0:01 watch refresh", "0:01 publish duo 0:01=- for=large", "0:02 publish duo 0:02=- for=medium")
    #expect(scene.output.first == "0:01 refresh duo/large 0:01")
    #expect(scene.output.count == 2 && scene.output.last?.contains("does not support family") == true)
  }

  @Test("W1 T8 A reload request that is open when an instance changes family is sent again for the new family")
  mutating func movedRequest() throws {
    try play(
      "0:00 publish duo 0:00=- reload=1:00", "1:10 large wall duo", "1:11 publish duo 1:11=- for=small",
      "1:12 open? duo", "1:13 publish duo 1:13=- for=large", "1:14 open? duo")
    #expect(
      scene.output == [
        "1:00 reload duo after", "1:10 reload duo/large after", "1:12 open duo/large after 1:10", "1:14 open none",
      ])
  }

  @Test("W1 W2 An instance that is not placed is removed when the instance of another stack takes over its timeline")
  mutating func placedCopy() throws {
    try play(
      "0:00 publish duo 0:00=- reload=2:00", "0:01 stack home", "0:02 large wall", "1:00 add wall duo", "3:00 end")
    #expect(scene.output == ["2:00 reload duo/large after"])
    #expect(scene.device.knownInstances == [try instance("duo", .systemLarge)])
    try play("4:00 add home duo", "5:00 remove wall duo", "6:00 remove home duo", "7:00 publish duo 7:00=-")
    #expect(scene.device.knownInstances == [try instance("duo", .systemSmall)])
  }

  @Test("W1 W2 Of instances that only share a timeline, the one in the first family remains")
  mutating func idleCopies() throws {
    try play(
      "0:00 stack home", "0:00 large wall", "0:00 publish duo 0:00=- for=small", "0:01 publish duo 0:01=- for=large")
    #expect(scene.device.timelineCount == 2)
    try play("1:00 publish duo 1:00=5/1h")
    #expect(scene.device.knownInstances == [try instance("duo", .systemSmall)])
    let decoded = try Device(decoding: scene.device.encoded)
    #expect(decoded == scene.device)
  }

  @Test("W1 W2 Prepared content that shortcuts named once has one instance again")
  mutating func namedCopies() throws {
    try play("0:00 stack home", "0:00 large wall")
    for number in 0..<Device.unplacedTimelineCountMax {
      try play(
        "0:01 publish duo@\(number) 0:01=-", "0:01 intent duo@\(number) 9:00-10:00", "0:01 intent -duo")
    }
    #expect(scene.device.timelineCount == Device.unplacedTimelineCountMax)
    #expect(scene.device.knownInstances.allSatisfy { $0.family == .systemSmall })
    #expect(scene.device.timeline(of: try scene.widget("duo@0")) != nil)
  }

  @Test("W1 Shortcuts of apps neither prevent the creation of a stack nor count a widget twice")
  mutating func creationSize() throws {
    try play("0:00 stack home", "0:00 register duo@a", "0:00 intent duo@a 9:00-10:00")
    let wall = try StackID("wall")
    var limits = Limits()
    (limits.descriptionSizeMax, limits.deviceSizeMax) = (1, 1)
    try scene.device.check(.stackEdited(wall, .create(.systemLarge)), limits: limits)
    limits = Limits()
    limits.descriptionSizeMax = scene.device.descriptionSize
    try play("0:01 large wall")
    #expect(scene.device.knownInstances.count == 2)
    #expect(scene.device.descriptionSize == limits.descriptionSizeMax)
  }

  @Test("W1 One instance at most changes its family when shortcuts name a widget in two families")
  mutating func sizeOfCopies() throws {
    handle(try registration(of: "duo", in: .systemMedium, .systemSmall, .systemLarge))
    handle(try largePublication(of: "duo"))
    try play("0:00 stack home", "0:00 large wall")
    let kind = try scene.widget("duo").kind
    let shortcut = try RelevantShortcut(kind: kind.name, intent: nil, role: .information, providers: [])
    let event = Event.relevantShortcutsSet(kind.app, [shortcut])
    var limits = Limits()
    limits.deviceSizeMax = scene.device.storedSize + 9_000
    #expect(throws: RequestError.self) { try scene.device.check(event, limits: limits) }
    limits.deviceSizeMax = scene.device.storedSize + 15_000
    try scene.device.check(event, limits: limits)
    handle(event)
    #expect(scene.device.storedSize <= limits.deviceSizeMax)
  }

  @Test("W1 A kind cannot get another family if the new instance of a named widget would exceed the size limit")
  mutating func sizeOfFamilies() throws {
    handle(try registration(of: "duo", in: .systemSmall))
    try play("0:00 stack home", "0:00 large wall", "0:00 shortcut duo 9:00-10:00")
    handle(try largePublication(of: "duo"))
    let event = try registration(of: "duo", in: .systemSmall, .systemLarge)
    var limits = Limits()
    limits.deviceSizeMax = scene.device.storedSize + 9_000
    let error = #expect(throws: RequestError.self) { try scene.device.check(event, limits: limits) }
    #expect(error?.reason.hasSuffix(" exceeds device-size-max (\(limits.deviceSizeMax))") == true)
    try scene.device.check(registration(of: "duo", in: .systemSmall), limits: limits)
    limits.deviceSizeMax = scene.device.storedSize + 11_000
    try scene.device.check(event, limits: limits)
    handle(event)
    #expect(scene.device.knownInstances.map(\.family) == [.systemSmall, .systemLarge])
    #expect(scene.device.storedSize <= limits.deviceSizeMax)
  }

  @Test("W1 Why-not names the same instance as the explanation for a family that the kind does not support")
  mutating func competingInstance() throws {
    try play("0:00 stack home", "0:00 register duo@a", "0:00 publish duo@a 0:00=- for=small", "9:00 large wall")
    let duo = try scene.widget("duo@a")
    handle(try registration(of: "duo@a", in: .systemLarge))
    try play("9:01 suggestions wall off", "9:01 intent duo@a 9:00-10:00")
    let home = try StackID("home")
    let candidate = scene.device.suggestionExplanation(of: home)?.candidates.first { $0.widget == duo }
    #expect(candidate?.obstacle?.gate == .family)
    let answer = try scene.device.whyNot(duo, in: home)
    let hasFamilyGate = answer.obstacles.contains { obstacle in
      if case .gate(let result) = obstacle { result.gate == .family } else { false }
    }
    #expect(hasFamilyGate)
  }
}
