import MarqueeModel
import MarqueeScheduler
import Testing

/// Rules S5 and S6: the shortcuts on the watch face, their order, and until when they are relevant.
@Suite struct WatchFaceTests {
  private let home: AppID
  private let soup: AppID

  init() throws {
    (home, soup) = (try AppID("com.example.home"), try AppID("com.example.soup"))
  }

  private func device() throws -> Device {
    Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Scene.midnight)
  }

  private func intent(_ name: String) throws -> Intent { try Intent(type: IntentType(name)) }

  /// A shortcut for the watch face only, identified by its intent type.
  private func shortcut(
    _ name: String, _ providers: RelevanceProvider..., role: RelevantShortcut.Role = .action
  ) throws -> RelevantShortcut {
    try RelevantShortcut(intent: intent(name), role: role, providers: providers)
  }

  private func date(_ start: String, _ end: String? = nil) throws -> RelevanceProvider {
    .date(try DateWindow(start: Scene.time(start), end: end.map { try Scene.time($0) }))
  }

  private func region(_ latitude: Double, _ radius: Double) throws -> RelevanceProvider {
    let center = try Place(latitude: latitude, longitude: 0, display: "")
    return .location(try PlaceRegion(center: center, radius: radius))
  }

  private func set(_ device: inout Device, _ app: AppID, _ shortcuts: RelevantShortcut...) throws {
    let event = Event.relevantShortcutsSet(app, shortcuts)
    try device.check(event)
    _ = device.handle(event, at: device.now)
  }

  private func tell(_ device: inout Device, _ change: ContextChange) {
    _ = device.handle(.reported(.contextChanged(change)), at: device.now)
  }

  private func names(_ device: Device, count: Int = 100) -> [String] {
    device.watchFace(count: count).map { $0.shortcut.intent?.type.text ?? $0.shortcut.kind?.text ?? "" }
  }

  @Test("S5 Open windows come first, then places, situations, windows ahead, waiting providers, and no providers")
  func order() throws {
    var device = try device()
    _ = device.advance(to: try Scene.time("9:00"))
    try set(
      &device, home, shortcut("Any"), shortcut("Unknown", .other), shortcut("Evening", .dailyRoutine(.evening)),
      shortcut("Far", region(10, 500)), shortcut("Later", date("12:00")), shortcut("Sooner", date("11:00", "11:05")))
    try set(
      &device, soup, shortcut("Gym", .dailyRoutine(.gym)), shortcut("Near", region(0.001, 500)),
      shortcut("Here", region(0, 50)), shortcut("Open", date("8:00", "10:00")), shortcut("Fresh", date("8:50", "9:30")))
    tell(&device, .place(try Place(latitude: 0, longitude: 0, display: "")))
    tell(&device, .routine(.gym))
    #expect(
      names(device) == [
        "Fresh", "Open", "Here", "Near", "Gym", "Sooner", "Later", "Far", "Evening", "Unknown", "Any",
      ])
    #expect(names(device, count: 2) == ["Fresh", "Open"] && names(device, count: 0).isEmpty)
    #expect(device.watchFace(count: 11).prefix { $0.isRelevantNow }.count == 5)
    #expect(try device.nextWatchFaceChange == Scene.time("9:30"))
  }

  @Test("S5 Shortcuts with a widget kind are listed as well, with their role")
  func kinds() throws {
    var scene = try Scene()
    try scene.play(Script.Line("0:00 shortcut cards@visa 9:00-9:30 gym"))
    let item = try #require(scene.device.watchFace(count: 1).first)
    #expect(item.shortcut.kind?.text == "cards" && item.role == .information && item.app.text == "com.example.cards")
    #expect(item.reason == .windowAhead(try Scene.time("9:00")) && !item.isRelevantNow)
    try scene.play(Script.Line("1:00 shortcut -cards"))
    #expect(scene.device.watchFace(count: 1).isEmpty && scene.device.nextWatchFaceChange == nil)
  }

  @Test("S3 A past window is not listed unless there is another provider; adjacent windows are joined")
  func windows() throws {
    var device = try device()
    try set(
      &device, home, shortcut("News", date("10:00", "11:00"), date("11:00", "12:00"), date("11:30", "11:40")),
      shortcut("Point", date("9:00")), shortcut("Gym", date("9:00", "9:10"), .dailyRoutine(.gym)),
      shortcut("None", date("10:00", "10:00")))
    let news = { (device: Device) in device.watchFace(count: 9).first { $0.shortcut.intent?.type.text == "News" } }
    _ = device.advance(to: try Scene.time("9:05"))
    #expect(names(device) == ["Point", "Gym", "News"])
    _ = device.advance(to: try Scene.time("9:10"))
    #expect(names(device) == ["Point", "News", "Gym"])
    #expect(try device.nextWatchFaceChange == Scene.time("9:30"))
    for time in ["10:00", "11:00", "11:59:59"] {
      _ = device.advance(to: try Scene.time(time))
      #expect(names(device) == ["News", "Gym"])
      #expect(try news(device)?.reason == .window(since: Scene.time("10:00")))
      #expect(try news(device)?.until == Scene.time("12:00"))
    }
    _ = device.advance(to: try Scene.time("12:00"))
    #expect(names(device) == ["Gym"] && device.nextWatchFaceChange == nil)
  }

  @Test("S6 A situation is in force until the next one, up to 12 hours at home, work and school, or 4 hours")
  func situations() throws {
    for situation in RoutineSituation.allCases {
      var device = try device()
      try set(&device, home, shortcut("It", .dailyRoutine(situation)))
      #expect(device.watchFace(count: 1).first?.reason == .situationAbsent(situation))
      tell(&device, .routine(situation))
      let hours = [.home, .work, .school].contains(situation) ? 12 : 4
      let end = Scene.instant(hours * 3600)
      let item = device.watchFace(count: 1).first
      #expect(item?.reason == .situation(situation, since: Scene.midnight) && item?.until == end)
      #expect(device.nextWatchFaceChange == end)
      var other = device
      tell(&other, .routine(situation == .gym ? .home : .gym))
      #expect(other.watchFace(count: 1).first?.reason == .situationAbsent(situation))
      _ = device.advance(to: Scene.instant(hours * 3600 - 1))
      #expect(device.watchFace(count: 1).first?.isRelevantNow == true)
      _ = device.advance(to: end)
      #expect(device.watchFace(count: 1).first?.isRelevantNow == false && device.nextWatchFaceChange == nil)
    }
  }

  @Test("S6 A focus with a situation's name puts it in force while it is on; the time of day does not")
  func focus() throws {
    var device = try device()
    try set(&device, home, shortcut("Work", .dailyRoutine(.work)), shortcut("Morning", .dailyRoutine(.morning)))
    _ = device.advance(to: try Scene.time("8:00"))
    #expect(device.watchFace(count: 2).allSatisfy { !$0.isRelevantNow })
    tell(&device, .focus(try FocusID("work")))
    #expect(device.watchFace(count: 2).map(\.reason) == [.situation(.work, since: nil), .situationAbsent(.morning)])
    tell(&device, .focus(try FocusID("sleep")))
    #expect(device.watchFace(count: 2).allSatisfy { !$0.isRelevantNow })
  }

  @Test("S5 A place counts within its region, including the edge, and not while the location is unknown")
  func places() throws {
    var device = try device()
    let there = try Place(latitude: 0, longitude: 1, display: "")
    let edge = try Place(latitude: 0, longitude: 0, display: "").distance(to: there)
    try set(&device, home, shortcut("Degree", region(0, edge)), shortcut("Wide", region(0, edge * 2)))
    #expect(device.watchFace(count: 1).first?.reason == .placeAway(distance: nil))
    tell(&device, .place(there))
    #expect(device.watchFace(count: 2).map(\.reason) == [.place(distance: edge), .place(distance: edge)])
    tell(&device, .place(try Place(latitude: 0, longitude: 1.5, display: "")))
    #expect(names(device) == ["Wide", "Degree"])
    #expect(device.watchFace(count: 2).map(\.isRelevantNow) == [true, false])
    tell(&device, .place(nil))
    #expect(device.watchFace(count: 2).allSatisfy { !$0.isRelevantNow })
  }

  @Test("R8 Equally relevant shortcuts are ordered by app and position in the set, not by when they were set")
  func ties() throws {
    var (one, other) = (try device(), try device())
    let shortcuts = [try shortcut("B", date("9:00", "10:00")), try shortcut("A", date("9:00", "9:30"))]
    for app in [home, soup] { _ = one.handle(.relevantShortcutsSet(app, shortcuts), at: one.now) }
    for app in [soup, home] { _ = other.handle(.relevantShortcutsSet(app, shortcuts), at: other.now) }
    #expect(one.watchFace(count: 9) == other.watchFace(count: 9))
    #expect(names(one) == ["B", "A", "B", "A"] && one.watchFace(count: 9).map(\.app) == [home, home, soup, soup])
  }

  @Test("R10 Each reason has a sentence, with formatted instants")
  func words() throws {
    let cases: [(WatchFaceItem.Reason, String?, String)] = [
      (.window(since: try Scene.time("9:41")), "10:11", "its window is open since 9:41 until 10:11"),
      (.place(distance: 40.2), nil, "the user is at its place, 40 m from the center"),
      (
        .situation(.gym, since: try Scene.time("18:00")), "22:00",
        "the situation gym is in force since 18:00, until 22:00 unless another is reported"
      ), (.situation(.work, since: nil), nil, "the focus work is on"),
      (.windowAhead(try Scene.time("12:00")), "12:00", "its next window begins at 12:00"),
      (.placeAway(distance: 1_249), nil, "the user is 1.2 km from the center of its place"),
      (.placeAway(distance: nil), nil, "it has a place, but the user's location is unknown"),
      (.situationAbsent(.gym), nil, "it waits for the situation gym"),
      (.unknownProvider, nil, "it has providers of an unsupported type"), (.anyTime, nil, "it has no providers"),
    ]
    for (reason, until, sentence) in cases {
      let item = WatchFaceItem(
        app: home, shortcut: try shortcut("It"), reason: reason, until: try until.map { try Scene.time($0) })
      #expect(item.summary { Scene.text($0) } == sentence)
    }
  }

  @Test("R9 The watch face does not change between its announced changes", arguments: 1...40)
  func changes(seed: Int) throws {
    var state = UInt64(seed)
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var device = try device()
    let shortcuts = try (0..<6).map { index in
      let providers = try (0..<random(4)).map { _ -> RelevanceProvider in
        guard random(4) > 0 else { return .dailyRoutine(random(2) == 0 ? .gym : .work) }
        let start = random(1_000) * 60
        let end = random(3) > 0 ? Scene.instant(start + random(200) * 60) : nil
        return .date(try DateWindow(start: Scene.instant(start), end: end))
      }
      return try RelevantShortcut(intent: intent("I\(index)"), providers: providers)
    }
    _ = device.handle(.relevantShortcutsSet(home, shortcuts), at: device.now)
    tell(&device, .routine(random(2) == 0 ? .gym : .work))
    var (last, next) = (device.watchFace(count: 9), device.nextWatchFaceChange)
    for minute in 1...1_500 {
      _ = device.advance(to: Scene.instant(minute * 60))
      let now = device.watchFace(count: 9)
      if let due = next, due <= device.now { next = device.nextWatchFaceChange } else { #expect(now == last) }
      #expect(next.map { $0 > device.now } ?? true)
      last = now
    }
    #expect(next == nil)
  }
}
