import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// The reasons that why-not names, and the claim that a widget comes to the front without them (rule R10).
@Suite struct WhyNotReasonTests {
  /// Returns the obstacles, after checking that without them the widget comes to the front.
  private static func obstacles(_ lines: [String], of name: String) throws -> [Obstacle] {
    var scene = try Scene()
    for line in lines { try scene.play(Script.Line(line)) }
    let answer = try scene.device.whyNot(try scene.widget(name), in: StackID("home"))
    #expect(scene.device.brings(lifting: answer.obstacles.indices, of: answer), "\(answer.obstacles)")
    return answer.obstacles
  }

  private static func gates(_ obstacles: some Sequence<Obstacle>) -> [Gate] {
    obstacles.compactMap { if case .gate(let result) = $0 { result.gate } else { nil } }
  }

  @Test("R10 A score that is ahead is compared with the front's, as when it comes into force")
  func scoreAhead() throws {
    let found = try Self.obstacles(
      ["0:00 stack home notes cards", "0:00 publish notes 0:00=5", "0:00 publish cards 7:12=1/3m", "7:00 end"],
      of: "cards")
    #expect(found.first == .noEvidence(.scoreAhead(Scene.instant(7 * 3_600 + 12 * 60))))
    #expect(Self.gates(found.dropFirst()).contains(.margin), "\(found)")
  }

  @Test("R10 A score that has ended is compared with the front's, too")
  func scoreEnded() throws {
    let found = try Self.obstacles(
      ["0:00 stack home notes cards", "0:00 publish notes 0:00=5", "0:00 publish cards 7:12=1/3m", "8:00 end"],
      of: "cards")
    #expect(Self.gates(found.dropFirst()).contains(.margin), "\(found)")
  }

  @Test("R10 R2 A widget in no stack has scores that do not count there, whenever they are", arguments: [7, 8, 10])
  func uncounted(hour: Int) throws {
    let found = try Self.obstacles(
      ["0:00 stack home notes", "0:00 publish cards 7:30=5/1h", "\(hour):00 end"], of: "cards")
    #expect(found.first == .noEvidence(.scoreNotCounted(5, entry: Scene.instant(7 * 3_600 + 30 * 60))))
  }

  @Test("R10 S3 A widget of a stack of another family waits for its window, not for the watch face")
  func windowsElsewhere() throws {
    var scene = try Scene()
    let (device, kind) = (scene.device, try scene.widget("cards").kind)
    #expect(device.now == Scene.midnight)
    let descriptor = try WidgetDescriptor(
      kind: kind, displayName: "Cards", descriptionText: "", families: [.systemMedium])
    let window = try DateWindow(start: Scene.instant(9 * 3_600), end: Scene.instant(10 * 3_600))
    let shortcut = try RelevantShortcut(kind: kind.name, providers: [.date(window)])
    let events: [Event] = [
      .kindsRegistered(kind.app, [descriptor]), .stackEdited(try StackID("two"), .create(.systemMedium)),
      .stackEdited(try StackID("two"), .add(try scene.widget("cards"), at: nil)),
      .relevantShortcutsSet(kind.app, [shortcut]),
    ]
    try scene.play(Script.Line("0:00 stack home notes"))
    for event in events { _ = scene.device.handle(event, at: Scene.midnight) }
    let answer = try scene.device.whyNot(try scene.widget("cards"), in: StackID("home"))
    #expect(answer.obstacles.contains(.noEvidence(.windowAhead(window.start))), "\(answer.obstacles)")
    #expect(!answer.obstacles.contains(.noEvidence(.onlyWatchFace)))
    #expect(scene.device.brings(lifting: answer.obstacles.indices, of: answer))
  }

  @Test(
    "R10 R12 A pin that is in force when time has removed the obstacles is the last one",
    arguments: [
      ("cards 8:00-9:00", "9:00"), ("cards 8:30-9:00", "9:00"), ("cards 8:00-8:30", nil), ("cards 8:31-9:00", nil),
      ("mail 8:00-9:00", nil), ("cards 8:00-9:00 focus=rest", nil),
    ])
  func laterPin(pin: String, end: String?) throws {
    let start = Scene.instant(8 * 3_600 + 30 * 60)
    for isMember in [true, false] where isMember || !pin.hasPrefix("mail") {
      let found = try Self.obstacles(
        [
          "0:00 stack home notes cards\(isMember ? " mail" : "")", "0:00 pin home \(pin)",
          isMember ? "0:00 publish mail 8:30=5/1h" : "0:00 shortcut mail 8:30-10:00", "7:00 end",
        ], of: "mail")
      // Its own pin begins earlier than its score.
      if pin.hasPrefix("mail") {
        let isOwn = if case .noEvidence(.pinNotInForce)? = found.first { true } else { false }
        #expect(isOwn, "\(found)")
      } else {
        #expect(found.first == .noEvidence(isMember ? .scoreAhead(start) : .windowAhead(start)), "\(found)")
      }
      let cards = try Scene().widget("cards")
      let last = try end.map { Obstacle.pinned(by: cards, until: try Scene.time($0)) }
      #expect(found.dropFirst() == (last.map { [$0] } ?? [])[...], "\(pin): \(found)")
    }
  }

  @Test("R10 R12 A pin of another widget that is in force before the own one begins is the last obstacle")
  func earlierPin() throws {
    let found = try Self.obstacles(
      [
        "0:00 stack home notes cards mail", "0:00 pin home mail 8:30-10:00", "0:00 pin home cards 8:00-9:00",
        "7:00 end",
      ], of: "mail")
    let cards = try Scene().widget("cards")
    #expect(found.count == 2 && found.last == .pinned(by: cards, until: try Scene.time("9:00")), "\(found)")
  }

  @Test("R10 R13 The pin of another widget is named before the time without evidence of the resting front")
  func restingFront() throws {
    let found = try Self.obstacles(
      [
        "0:00 policy rest=2h", "0:00 stack home notes cards mail", "0:00 publish mail 6:00=5/1h",
        "0:00 pin home cards 8:00-9:30", "8:30 end",
      ], of: "notes")
    guard case .pinned? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(Self.gates(found.dropFirst()) == [.rest], "\(found)")
  }
}
