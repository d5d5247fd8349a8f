import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

/// Rules R1 to R10 and U1 to U3 with timelines as the only signal.
@Suite struct DecisionRuleTests {
  @Test("R1 Evidence is −ln(1 − weight · strength), and grows with the score")
  func evidence() throws {
    var last = 0.0
    for score in [1.0, 2, 5, 9.99, 10] {
      let candidate = try #require(
        try candidate("0:00 rotate home off", "0:00 publish cards 9:00=\(score)/1h 23:00=10"))
      let signal = try #require(candidate.signals.first)
      #expect(candidate.signals.count == 1 && signal.signal == .timeline)
      #expect(signal.score == score && signal.reference == 10 && signal.weight == 0.8)
      #expect(abs(signal.strength - score / 10) <= 1.0 / 2_097_152)
      #expect(abs(candidate.evidence - -log(1 - 0.8 * signal.strength)) < 1e-12)
      #expect(candidate.evidence == signal.share && candidate.evidence > last)
      last = candidate.evidence
    }
    let none = try #require(try candidate("0:00 publish cards 9:00=0 23:00=10"))
    #expect(none.evidence == 0 && none.signals.isEmpty && none.episodeStart == nil)
  }

  @Test("R2 Smart Rotate scrolls to the widget with the most evidence")
  func most() throws {
    try play(
      """
      0:00 stack home notes cards weather mail
       publish cards 9:00=5/1h 23:00=10
       publish weather 9:00=9/1h 23:00=10
       publish mail 9:00=7/1h 23:00=10
      10:00 end
      ----
      9:00 rotate home notes > weather
      """)
  }

  @Test("R3 A gate's result has the measured and required values, and when it opens")
  func gates() throws {
    let candidate = try #require(
      try candidate("0:00 policy rotations=7", "0:00 publish cards 9:00=5/1h", "8:50 tap home notes"))
    #expect(candidate.gates.map(\.gate) == Gate.rotation.filter { !$0.isConditional })
    let results = Dictionary(uniqueKeysWithValues: candidate.gates.map { ($0.gate, $0) })
    let hold = try #require(results[.hold])
    #expect(!hold.isPassed && hold.measured == 600 && hold.required == 900)
    #expect(try hold.since == Scene.time("8:50"))
    #expect(try hold.clears == Scene.time("9:05"))
    #expect(results[.dwell]?.measured == .infinity && results[.dwell]?.isPassed == true)
    #expect(results[.rotationBudget]?.measured == 1 && results[.rotationBudget]?.required == 7)
    #expect(candidate.obstacle == hold)
  }

  @Test("R4 An episode moves a stack at most once, and scrolling away from its widget spends it in every stack")
  func episodes() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 9:00=5/3h
      9:10 scroll home notes
      9:20 stack work mail cards
      11:00 why? home cards
       why? work cards
      ----
      9:00 rotate home notes > cards
      9:10 scroll home notes
      11:00 why cards: episode 0.0 of 1.0
      11:00 why cards: episode 0.0 of 1.0
      """)
  }

  @Test("R4 Scrolling away from a widget that no rotation brought spends its episode, too: it does not return")
  func episodesOfTheFront() throws {
    try play(
      """
      0:00 stack home cards notes
       publish cards 9:00=5/3h 14:00=5/1h
      9:10 scroll home notes
      11:00 why? home cards
      14:30 end
      ----
      9:10 scroll home notes
      11:00 why cards: episode 0.0 of 1.0
      14:00 rotate home notes > cards
      """)
  }

  @Test("R4 A widget that the user passes within 10 seconds keeps its episode, and comes to the front after the hold")
  func passing() throws {
    try play(
      """
      0:00 stack home notes cards weather
       publish cards 9:00=5/3h 14:00=5/3h
      8:59 tap home notes
      9:01 scroll home cards
      9:01:10 scroll home weather
      13:50 scroll home notes
      14:01 scroll home cards
      14:01:11 scroll home weather
      15:00 why? home cards
      ----
      9:01 scroll home cards
      9:01:10 scroll home weather
      9:16:10 rotate home weather > cards
      13:50 scroll home notes
      14:01 scroll home cards
      14:01:11 scroll home weather
      15:00 why cards: episode 0.0 of 1.0
      """)
  }

  @Test("R7 Developer mode lifts dwell, hold and budgets")
  func developerMode() throws {
    try play(
      """
      0:00 policy rotations=0
       stack home notes cards
       publish cards 9:00=5/1h
      8:59 tap home notes
      9:01 why? home cards
      9:02 developer on
      9:30 end
      ----
      9:01 why cards: hold 120.0 of 900.0 until 9:14
      9:02 rotate home notes > cards
      """)
  }

  @Test("R8 Of widgets with equal evidence the later episode wins, then the stack's order")
  func ties() throws {
    try play(
      """
      0:00 stack home notes cards weather mail
       stack work notes weather mail
       publish cards 9:00=5/1h
       publish weather 9:10=7/1h
       publish mail 9:10=2/1h
      8:59 tap home notes
       tap work notes
      10:00 end
      ----
      9:14 rotate home notes > weather
      9:14 rotate work notes > weather
      """)
  }

  @Test("R8 The same events give the same bytes, whatever the hash seed of the process")
  func bytes() throws {
    func device() throws -> Device {
      var scene = try Scene()
      for line in [
        "0:00 stack home notes cards weather mail", "0:00 publish cards 9:00=5/1h 12:00=7",
        "0:00 publish weather 9:10=7/1h 13:00=9 reload=end", "9:05 scroll home mail", "14:00 remove home notes",
      ] { try scene.play(Script.Line(line)) }
      return scene.device
    }
    let first = try device().encoded
    #expect(try device().encoded == first)
    // The FNV-1a hash of the bytes, computed in another process. It changes only with the format of a device.
    let hash = first.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    #expect(hash == 13_027_828_017_762_531_531)
  }

  @Test("R8 A device decoded while a request waits for a reduced budget wakes when the original would have")
  func fallenBudget() throws {
    var scene = try Scene()
    let requests = (0...6).map { "7:0\($0) publish cards 0:00=- reload=end" }
    for line in ["0:00 policy reloads=0-24 spacing=0s", "0:00 stack home cards", "6:00 hide home"] + requests {
      try scene.play(Script.Line(line))
    }
    _ = scene.device.advance(to: try Scene.time("25:30"))
    #expect(try scene.device.nextWake == Scene.time("31:00"))
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
  }

  @Test("R9 A device knows its next wake; waking earlier or later changes no decision")
  func wakes() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h", "8:50 tap home notes"] {
      try scene.play(Script.Line(line))
    }
    var (early, late) = (scene.device, scene.device)
    let dates = try ["9:00", "9:05", "10:00"].map(Scene.time)
    let end = try Scene.time("24:00")
    var wakes: [Instant] = []
    var actions: [Action] = []
    while let wake = early.nextWake, wake < end {
      wakes.append(wake)
      #expect(early.advance(to: wake.advanced(by: TimeSpan(milliseconds: -1))).isEmpty)
      actions += early.advance(to: wake)
    }
    #expect(wakes == dates)
    _ = early.advance(to: end)
    #expect(late.advance(to: end) == actions)
    #expect(actions.map(\.at) == [dates[0], dates[1]])
    #expect(early == late)
  }

  @Test("R10 A decision has its candidates, best first, with the first obstacle of each")
  func explanation() throws {
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards weather mail", "0:00 publish cards 9:00=5/1h 23:00=10",
      "0:00 publish weather 9:00=9/1h 23:00=10",
    ] { try scene.play(Script.Line(line)) }
    let actions = scene.device.advance(to: try Scene.time("9:00"))
    let decision = try #require(
      actions.compactMap { if case .rotate(let decision, _) = $0.order { decision } else { nil } }.first)
    #expect(decision.number == 1)
    #expect(try decision.at == Scene.time("9:00"))
    #expect(decision.explanation.candidates.map { Scene.name($0.widget) } == ["weather", "cards", "notes", "mail"])
    #expect(decision.explanation.chosen == decision.to && decision.from.map(Scene.name) == "notes")
    let obstacles = try #require(try scene.device.explanation(of: StackID("home"))).candidates.map { $0.obstacle?.gate }
    #expect(obstacles == [nil, .margin, .threshold, .threshold])
    #expect(try scene.device.explanation(of: StackID("nowhere")) == nil)
  }

  @Test("U1 Reports of displays change visibility, front, hold, reloads and the app in use")
  func reports() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 0:00=-
      1:00 hide home
      2:00 show home
      3:00 scroll home cards
      4:00 tap home cards
      5:00 pull cards
      6:00 open cards
      7:00 close cards
       stack? home
      ----
      3:00 scroll home cards
      5:00 reload cards user
      7:00 stack home notes [cards]
      """)
  }

  @Test("U2 A scroll takes effect at once and holds the stack")
  func scroll() throws {
    try play(
      """
      0:00 stack home notes cards weather
       publish cards 9:00=5/1h
      8:59 scroll home weather
      9:13:59 stack? home
      9:14 stack? home
      ----
      8:59 scroll home weather
      9:13:59 stack home notes cards [weather]
      9:14 rotate home weather > cards
      9:14 stack home notes [cards] weather
      """)
  }

  @Test("U3 The state that a display reads when it connects is the result of the actions so far")
  func connecting() throws {
    try play(
      """
      0:00 watch stack refresh
       stack home notes cards
       publish cards 9:00=5/1h
      9:30 stack? home
       entry? cards
      ----
      0:00 stack home
      0:00 stack home [notes]
      0:00 stack home [notes] cards
      9:00 refresh cards 9:00
      9:00 rotate home notes > cards
      9:30 stack home notes [cards]
      9:30 entry cards 9:00
      """)
  }

  /// Returns the `cards` candidate of a stack with another front, at 9:00.
  private func candidate(_ lines: String...) throws -> Candidate? {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards"] + lines { try scene.play(Script.Line(line)) }
    _ = scene.device.advance(to: try Scene.time("9:00"))
    return try scene.device.explanation(of: StackID("home"))?.candidates.first { Scene.name($0.widget) == "cards" }
  }

  @Test("T6 R10 A score that why-not removes from the front remains in the score reference of its kind")
  func silencedFront() throws {
    var scene = try Scene()
    // The front's score is in force from the previous timeline, so it is in no current timeline.
    for line in [
      "0:00 stack home cards@visa cards@giro", "0:00 publish cards@visa 9:00=100", "9:10 publish cards@visa 20:00=-",
      "9:20 publish cards@giro 9:20=1",
    ] { try scene.play(Script.Line(line)) }
    let answer = try scene.device.whyNot(scene.widget("cards@giro"), in: StackID("home"))
    guard case .gate(let threshold) = answer.first, answer.obstacles.count == 2 else {
      Issue.record("\(answer.obstacles)")
      return
    }
    #expect(threshold.gate == .threshold && threshold.measured > 0)
    #expect(scene.device.brings(lifting: 0..<2, of: answer))
    #expect(!scene.device.brings(lifting: 1..<2, of: answer))
  }
}
