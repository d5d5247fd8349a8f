import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

/// Date providers across a clock change, without end, overlapping and past, of static and configured kinds
/// (rules S2, S3).
@Suite struct ShortcutWindowTests {
  /// 2021-03-28T00:00:00Z; Berlin's clocks go from 02:00 to 03:00 at 01:00Z.
  private static let springDay = Instant(milliseconds: 1_616_889_600_000)!
  /// 2021-10-31T00:00:00Z; Berlin's clocks go from 03:00 to 02:00 at 01:00Z.
  private static let autumnDay = Instant(milliseconds: 1_635_638_400_000)!

  private let notes: Widget
  private let cards: Widget
  private let visa: Widget
  private let home: StackID

  init() throws {
    let scene = try Scene()
    notes = try scene.widget("notes")
    cards = try scene.widget("cards")
    visa = try scene.widget("cards@visa")
    home = try StackID("home")
  }

  /// A device in Berlin with `notes` in its stack, and kinds that are static and configured.
  private func device(at start: Instant, configured: Bool = false) throws -> Device {
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("Europe/Berlin"), at: start)
    var events = try [notes, cards].map { widget in
      let isConfigured = widget == cards && configured
      return Event.kindsRegistered(
        widget.kind.app,
        [
          try WidgetDescriptor(
            kind: widget.kind, displayName: "", families: [.systemSmall],
            configuration: isConfigured ? .intent(IntentType("Configure")) : .static)
        ])
    }
    let which = try IntentParameter.Name("which")
    events += [
      .intentTypesRegistered(
        visa.kind.app,
        [
          try IntentTypeDescriptor(
            app: visa.kind.app, type: IntentType("Configure"), parameters: [.init(name: which, type: .enumCase)],
            combinations: [.init(parameters: [which])])
        ]),
      .stackEdited(home, .create(.systemSmall)), .stackEdited(home, .add(notes, at: nil)),
    ]
    for event in events { _ = device.handle(event, at: start) }
    return device
  }

  /// Sets the only shortcut of the app, with windows given in minutes after `day`.
  private func set(
    _ device: inout Device, _ windows: [(Int64, Int64?)], from day: Instant, intent: Intent? = nil,
    role: RelevantShortcut.Role = .action
  ) throws {
    let providers = try windows.map { start, end in
      RelevanceProvider.date(
        try DateWindow(start: day.advanced(by: .minutes(start)), end: end.map { day.advanced(by: .minutes($0)) }))
    }
    let shortcut = try RelevantShortcut(kind: cards.kind.name, intent: intent, role: role, providers: providers)
    let event = Event.relevantShortcutsSet(cards.kind.app, [shortcut])
    try device.check(event)
    _ = device.handle(event, at: device.now)
  }

  /// Returns the minutes after `day` at which suggestions appear and disappear until `end`.
  private func minutes(_ device: inout Device, to end: Int64, from day: Instant) -> [String] {
    device.advance(to: day.advanced(by: .minutes(end))).compactMap { action in
      let minute = day.span(to: action.at).milliseconds / 60_000
      switch action.order {
      case .suggest: return "+\(minute)"
      case .withdraw: return "-\(minute)"
      default: return nil
      }
    }
  }

  /// Berlin's time of day.
  private func berlin(_ instant: Instant) -> String {
    let formatter = DateFormatter()
    (formatter.dateFormat, formatter.timeZone) = ("HH:mm", TimeZone(identifier: "Europe/Berlin"))
    formatter.locale = Locale(identifier: "en_US_POSIX")
    return formatter.string(from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
  }

  private func whyNot(_ device: Device) throws -> String { try device.whyNot(cards, in: home).summary(format: berlin) }

  @Test("S3 A window across a clock change lasts for the time between its instants")
  func clockChange() throws {
    for day in [Self.springDay, Self.autumnDay] {
      var device = try device(at: day)
      try set(&device, [(30, 90)], from: day)
      #expect(minutes(&device, to: 600, from: day) == ["+30", "-90"])
    }
  }

  @Test("S3 R10 Texts about a window are in the device's local time on either side of a clock change")
  func words() throws {
    for (day, start, end) in [(Self.springDay, "01:30", "03:30"), (Self.autumnDay, "02:30", "02:30")] {
      var device = try device(at: day)
      try set(&device, [(30, 90)], from: day)
      #expect(try whyNot(device) == "cards: its next window begins at \(start)")
      let item = try #require(device.watchFace(count: 1).first)
      #expect(item.summary(format: berlin) == "its next window begins at \(start)")
      _ = device.advance(to: day.advanced(by: .minutes(60)))
      let open = try #require(device.watchFace(count: 1).first)
      #expect(open.summary(format: berlin) == "its window is open since \(start) until \(end)")
      _ = device.advance(to: day.advanced(by: .minutes(100)))
      #expect(try whyNot(device) == "cards: its last window ended at \(end)")
    }
  }

  @Test("S3 Moving to another zone, or back, moves no window and ends none")
  func travel() throws {
    let day = Self.springDay
    var device = try device(at: day)
    try set(&device, [(30, 90), (200, nil)], from: day)
    var seen: [String] = []
    for (minute, zone) in [(20, "Asia/Tokyo"), (40, "America/New_York"), (210, "Europe/Berlin")] as [(Int64, String)] {
      seen += minutes(&device, to: minute, from: day)
      _ = device.handle(.timeZoneChanged(try TimeZoneID(zone)), at: device.now)
    }
    seen += minutes(&device, to: 600, from: day)
    #expect(seen == ["+30", "-90", "+200", "-230"])
  }

  @Test("S2 S3 A configured kind's windows are its configuration's, and the role is kept", arguments: [false, true])
  func configured(isConfigured: Bool) throws {
    let day = Self.springDay
    var device = try device(at: day, configured: isConfigured)
    let intent = isConfigured ? visa.configuration : nil
    try set(&device, [(100, 110), (30, nil), (45, 70)], from: day, intent: intent, role: .information)
    _ = device.advance(to: day.advanced(by: .minutes(30)))
    #expect(device.stack(home)?.suggestedWidget == (isConfigured ? visa : cards))
    #expect(device.relevantShortcuts(of: cards.kind.app).map(\.role) == [.information])
    #expect(minutes(&device, to: 600, from: day) == ["-70", "+100", "-110"])
  }

  @Test("S3 A window set while open is suggested at once; one that is over, ends now or is empty never is")
  func past() throws {
    let day = Self.springDay
    var device = try device(at: day)
    _ = device.advance(to: day.advanced(by: .minutes(60)))
    try set(&device, [(0, 30), (20, 60), (100, 100), (10, nil)], from: day)
    #expect(device.stack(home)?.suggestedWidget == nil && device.nextWake == nil)
    #expect(try whyNot(device) == "cards: its last window ended at 03:00")
    #expect(device.watchFace(count: 1).isEmpty)
    try set(&device, [(0, 30), (59, 61)], from: day)
    #expect(device.stack(home)?.suggestedWidget == cards)
    #expect(minutes(&device, to: 600, from: day) == ["-61"])
  }

  @Test("S3 Overlapping windows give the evidence of one, until the last end")
  func overlap() throws {
    let day = Self.springDay
    var (one, three) = (try device(at: day), try device(at: day))
    try set(&one, [(0, 60)], from: day)
    try set(&three, [(0, 40), (10, 50), (0, 60)], from: day)
    for minute in [0, 20, 45, 59] as [Int64] {
      _ = (one.advance(to: day.advanced(by: .minutes(minute))), three.advance(to: day.advanced(by: .minutes(minute))))
      let evidence = [one, three].map { $0.explanation(of: home)?.candidates.first { $0.widget == cards }?.evidence }
      #expect(evidence[0] == evidence[1] && (evidence[0] ?? 0) > 0)
    }
    #expect(minutes(&three, to: 600, from: day) == ["-60"])
  }

  @Test("S3 A window to the maximum instant, and a point at it, are accepted and do not trap")
  func endOfTime() throws {
    let day = Self.springDay
    var device = try device(at: day)
    let providers: [RelevanceProvider] = [
      .date(try DateWindow(start: day, end: .max)), .date(try DateWindow(start: .max)),
    ]
    let shortcut = try RelevantShortcut(kind: cards.kind.name, providers: providers)
    _ = device.handle(.relevantShortcutsSet(cards.kind.app, [shortcut]), at: day)
    #expect(device.stack(home)?.suggestedWidget == cards)
    #expect(device.watchFace(count: 1).map(\.until) == [nil] && device.nextWatchFaceChange == nil)
    _ = device.advance(to: .max)
    #expect(device.stack(home)?.suggestedWidget == cards)
  }
}
