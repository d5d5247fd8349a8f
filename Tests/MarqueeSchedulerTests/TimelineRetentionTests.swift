import MarqueeModel
import MarqueeScheduler
import Testing

/// The lifetime of timelines (rule W2), and the widgets outside stacks (rule W3).
@Suite struct TimelineRetentionTests {
  private var scene: Scene

  init() throws {
    scene = try Scene()
    for line in ["0:00 watch placed", "0:00 stack home notes", "0:00 register purse@visa"] {
      try scene.play(Script.Line(line))
    }
    scene.output = []
  }

  private mutating func play(_ lines: String...) throws {
    for line in lines { try scene.play(Script.Line(line)) }
  }

  /// Publishes timelines for `purse@<number>`, one per second, each of `size` bytes.
  private mutating func publish(_ numbers: Range<Int>, size: Int = 1, limits: Limits = Limits()) throws {
    for number in numbers {
      let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: 7, count: min(size, 65_536)))
      let entries = (0..<max(1, size / 65_536)).map {
        TimelineEntry(date: scene.device.now.advanced(by: .seconds(Int64($0))), content: content)
      }
      let event = Event.timelinePublished(
        try scene.widget("purse@\(number)"), Timeline(submitted: entries, policy: .never))
      _ = scene.device.advance(to: scene.device.now.advanced(by: .seconds(1)))
      try scene.device.check(event, limits: limits)
      _ = scene.device.handle(event, at: scene.device.now)
    }
  }

  private func has(_ name: String) throws -> Bool { scene.device.timeline(of: try scene.widget(name)) != nil }

  @Test("W2 An app's unplaced timelines beyond 64 are evicted, the least recently published first")
  mutating func count() throws {
    try publish(0..<64)
    try play("0:10 publish cards 9:00=1")
    try publish(0..<1)
    try publish(64..<1_000)
    #expect(scene.device.knownWidgets.count == 64 + 2)
    #expect(try (936..<1_000).allSatisfy { try has("purse@\($0)") })
    #expect(try has("cards"), "another app's timelines are not affected")
  }

  @Test("W2 A timeline that is published again becomes the last to be evicted, in a decoded device as well")
  mutating func order() throws {
    try publish(0..<64)
    try publish(0..<1)
    let bytes = scene.device.encoded
    try publish(64..<65)
    #expect(try has("purse@0") && !has("purse@1") && has("purse@2"))
    let original = scene.device
    scene.device = try Device(decoding: bytes)
    try publish(64..<65)
    #expect(scene.device == original)
  }

  @Test("W2 Unplaced timelines beyond 32 MiB are evicted, so that earlier ones never fill the device")
  mutating func size() throws {
    var limits = Limits()
    limits.deviceSizeMax = 40_000_000
    try publish(0..<30, size: 4_194_304, limits: limits)
    #expect(scene.device.timelineCount == 7 && scene.device.storedSize < 33_554_432)
    #expect(try has("purse@29"))
    let use = scene.device.limitUses.first { $0.limit == "unplaced-timeline-count-max" }
    #expect(use?.count == 7 && use?.holder == "com.example.purse")
  }

  @Test("W2 Timelines of placed and expected widgets are retained, whatever the app publishes later")
  mutating func retained() throws {
    try play(
      "0:00 add home purse@member", "0:00 home purse@outside", "0:00 intent purse@expected 9:00-10:00",
      "0:00 publish purse@member 0:00=-", "0:00 publish purse@outside 0:00=-", "0:00 publish purse@expected 0:00=-")
    try publish(0..<200)
    #expect(try has("purse@member") && has("purse@outside") && has("purse@expected"))
    try play("11:00 end")
    try publish(200..<264)
    #expect(try has("purse@member") && has("purse@outside") && !has("purse@expected"), "its window is over")
  }

  @Test("W2 A suggestion's timeline is retained")
  mutating func suggested() throws {
    try play("0:00 publish purse@visa 0:00=-", "9:00 intent purse@visa 9:00-10:00")
    #expect(scene.output == ["9:00 suggest home notes > purse@visa"])
    try publish(0..<200)
    #expect(try has("purse@visa"))
  }

  @Test(
    "W2 The timeline of a widget that the user removes is the next to be evicted, and its score remains a reference",
    arguments: ["remove home purse@visa", "drop home", "unhome purse@visa"])
  mutating func removed(line: String) throws {
    try play(
      line.hasPrefix("unhome") ? "0:00 home purse@visa" : "0:00 add home purse@visa",
      "0:00 publish purse@visa 0:00=5 20:00=6", "1:00 \(line)")
    try publish(0..<63)
    #expect(try has("purse@visa"))
    try publish(63..<64)
    #expect(try !has("purse@visa"))
    #expect(scene.device.scoreReference(of: try scene.widget("purse@visa").kind) == 5)
    #expect(try !scene.device.knownWidgets.contains(scene.widget("purse@visa")))
  }

  @Test("W2 A widget that moves from one stack to another keeps its content and its used-up episode")
  mutating func moved() throws {
    try play(
      "0:00 watch refresh", "0:00 stack work notes", "0:00 add home purse@visa", "0:00 publish purse@visa 9:00=5/3h",
      "9:10 remove home purse@visa", "9:10 add work purse@visa", "9:20 remove work purse@visa",
      "9:20 add home purse@visa", "10:00 end")
    #expect(
      scene.output == [
        "9:00 refresh purse@visa 9:00", "9:00 rotate home notes > purse@visa", "9:10 refresh purse@visa 9:00",
        "9:10 rotate work notes > purse@visa", "9:20 refresh purse@visa 9:00",
      ])
  }

  @Test("W2 A widget that is placed twice keeps its timeline until the second placement is removed")
  mutating func twice() throws {
    try play(
      "0:00 stack work purse@visa", "0:00 home purse@visa", "0:00 publish purse@visa 0:00=5", "1:00 unhome purse@visa")
    try publish(0..<64)
    #expect(try has("purse@visa"))
    try play("2:00 remove work purse@visa")
    try publish(64..<65)
    #expect(try !has("purse@visa"))
  }

  @Test("W2 A thousand reconfigurations of a widget succeed, and the device does not grow")
  mutating func reconfigured() throws {
    try play("0:00 add home purse@0", "0:00 publish purse@0 0:00=-")
    var size = 0
    for number in 1...1_000 {
      let (old, new) = (try scene.widget("purse@\(number - 1)"), try scene.widget("purse@\(number)"))
      let edit = Event.stackEdited(try StackID("home"), .replace(old, with: new))
      try scene.device.check(edit)
      let actions = scene.device.handle(edit, at: scene.device.now)
      let requests = actions.compactMap { if case .requestReload(let request) = $0.order { request } else { nil } }
      #expect(requests.map(\.widget) == [new])
      try publish(number..<number + 1)
      #expect(scene.device.timelineCount == min(number, 64) + 1 && scene.device.currentEntry(of: new) != nil)
      if number == 100 { size = scene.device.encoded.count }
    }
    // Each configuration has up to two more digits.
    #expect(scene.device.encoded.count < size + 64 * 2 * 3)
  }

  @Test("T8 A widget that is placed or suggested without a timeline requests one at once, whatever the budget")
  mutating func requested() throws {
    try play(
      "0:00 policy reloads=0-0", "0:01 add home purse@a", "0:02 home purse@b", "9:00 intent purse@c 9:00-10:00",
      "9:30 publish purse@c 9:00=-", "9:31 unhome purse@b", "9:31 home purse@b", "9:32 stack work purse@a")
    #expect(
      scene.output == [
        "0:01 reload purse@a placed", "0:02 reload purse@b placed", "9:00 suggest home notes > purse@c",
        "9:00 reload purse@c placed", "9:31 reload purse@b placed",
      ])
    let open = scene.device.openReloadRequests(for: try scene.widget("purse@a").kind.app)
    #expect(open.map(\.widget) == [try scene.widget("purse@a"), try scene.widget("purse@b")])
    #expect(open.map(\.reason) == [.placed, .placed])
  }

  @Test("T9 W2 An app's earlier configurations do not have each other's timelines requested without an end")
  mutating func endless() throws {
    try play("0:00 add home purse@0", "0:00 publish purse@0 0:00=-")
    var requests: [Widget] = []
    for number in 1...200 {
      let (old, new) = (try scene.widget("purse@\(number - 1)"), try scene.widget("purse@\(number)"))
      try send(.stackEdited(try StackID("home"), .replace(old, with: new)), &requests)
    }
    #expect(requests.count == 200)
    // A slow provider answers every request, in order, also those for widgets that have been replaced meanwhile.
    var answeredCount = 0
    func answer(upTo countMax: Int) throws {
      while answeredCount < requests.count, answeredCount < countMax {
        let timeline = Timeline(submitted: [TimelineEntry(date: scene.device.now)], policy: .atEnd)
        try send(.timelinePublished(requests[answeredCount], timeline), &requests)
        answeredCount += 1
      }
    }
    try answer(upTo: 2_000)
    #expect(answeredCount == 200 + 65 && scene.device.timelineCount == 65)
    #expect(scene.device.currentEntry(of: try scene.widget("purse@200")) != nil)
    // On the following day, each of the instances has its budget of 10, and none is evicted.
    while let wake = scene.device.nextWake, wake < scene.device.now.advanced(by: .hours(20)) {
      requests += Self.requested(scene.device.advance(to: wake))
      try answer(upTo: 10_000)
    }
    #expect(answeredCount == 200 + 65 * 10)
  }

  @Test("R7 In developer mode, a timeline that has ended is requested a second after each publication, not faster")
  mutating func ended() throws {
    try play("0:00 developer on", "0:00 add home purse@visa")
    var requests: [Widget] = []
    for second in 0..<5 {
      let ended = Timeline(submitted: [TimelineEntry(date: scene.device.now)], policy: .atEnd)
      requests = []
      try send(.timelinePublished(try scene.widget("purse@visa"), ended), &requests)
      #expect(requests.isEmpty, "second \(second)")
      let due = scene.device.now.advanced(by: .seconds(1))
      #expect(scene.device.nextWake == due)
      requests = Self.requested(scene.device.advance(to: due))
      #expect(try requests == [scene.widget("purse@visa")])
    }
  }

  private mutating func send(_ event: Event, _ requests: inout [Widget]) throws {
    try scene.device.check(event)
    requests += Self.requested(scene.device.handle(event, at: scene.device.now))
  }

  private static func requested(_ actions: [Action]) -> [Widget] {
    actions.compactMap { if case .requestReload(let request) = $0.order { request.widget } else { nil } }
  }

  @Test("W3 Displays are to show a widget outside stacks, with its entry, then each later entry, until it is removed")
  mutating func outside() throws {
    try play(
      "0:00 watch home refresh placed", "0:01 publish purse@visa 0:00=- 2:00=-", "0:30 home purse@visa",
      "0:40 home purse@giro", "1:00 publish purse@giro 1:00=-", "2:30 unhome purse@visa", "3:00 home purse@visa",
      "3:30 unhome purse@giro")
    #expect(
      scene.output == [
        "0:01 refresh purse@visa 0:00", "0:30 home purse@visa", "0:30 refresh purse@visa 0:00", "0:40 home purse@giro",
        "0:40 reload purse@giro placed", "1:00 refresh purse@giro 1:00", "2:00 refresh purse@visa 2:00",
        "2:30 no home purse@visa", "3:00 home purse@visa", "3:00 refresh purse@visa 2:00", "3:30 no home purse@giro",
      ])
    #expect(scene.device.homeWidgets == [WidgetInstance(try scene.widget("purse@visa"), in: .systemSmall)])
  }

  @Test("W3 A widget in a stack and outside is shown in both places, and is no longer suggested")
  mutating func both() throws {
    try play(
      "0:00 watch home refresh stack", "0:00 add home purse@visa", "0:01 publish purse@visa 0:00=-",
      "0:02 home purse@visa", "0:03 unhome purse@visa", "0:04 home purse@visa", "0:05 remove home purse@visa",
      "9:00 intent purse@giro 9:00-10:00", "9:30 home purse@giro")
    #expect(
      scene.output == [
        "0:00 stack home [notes] purse@visa", "0:01 refresh purse@visa 0:00", "0:02 home purse@visa",
        "0:02 refresh purse@visa 0:00", "0:03 no home purse@visa", "0:04 home purse@visa",
        "0:04 refresh purse@visa 0:00", "0:05 stack home [notes]", "9:00 suggest home notes > purse@giro",
        "9:30 home purse@giro", "9:30 withdraw home purse@giro: on the Home Screen",
      ])
    #expect(try has("purse@visa"))
  }
}
