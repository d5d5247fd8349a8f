import MarqueeModel
import MarqueeScheduler
import Testing

/// Blocks of suggestions that end at a time (rule R14).
@Suite struct SnoozeTests {
  private let home: StackID
  private let cards: Widget

  init() throws {
    home = try StackID("home")
    cards = try Scene().widget("cards")
  }

  @Test("R14 A snooze removes the suggestion, and suggestions resume at its end without another event")
  func resumes() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes
       shortcut cards 9:00-10:00 11:00-12:00 13:00-14:00
      9:10 snooze cards 11:30
       stack? home
       worth? cards
      11:10 whynot? home cards
      15:00 end
      ----
      9:00 suggest home notes > cards
      9:10 withdraw home cards: blocked
      9:10 stack home [notes]
      9:10 worth cards 0 good 1 bad
      11:10 cards: snoozed by the user until 11:30
      11:30 suggest home notes > cards
      12:00 withdraw home cards: evidence ended
      13:00 suggest home notes > cards
      14:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R14 The episode of a suggestion that was removed remains spent after the snooze")
  func spent() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes
       shortcut cards 9:00-12:00 13:00-14:00
      9:10 snooze cards 9:30
      11:00 whynot? home cards
      13:00 end
      ----
      9:00 suggest home notes > cards
      9:10 withdraw home cards: blocked
      11:00 cards: its episode, which began at 9:00, is used up: the user dismissed, removed or scrolled \
      away from the widget
      13:00 suggest home notes > cards
      """)
  }

  @Test("R14 A snooze that is lifted early ends at once")
  func lifted() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes
       shortcut cards 9:00-10:00 11:00-12:00
      8:00 snooze cards 20:00
      9:30 unblock cards
      10:30 snoozeapp cards 20:00
      11:20 unblock cards
      11:30 unblockapp cards
      20:00 end
      ----
      9:30 suggest home notes > cards
      10:00 withdraw home cards: evidence ended
      11:30 suggest home notes > cards
      12:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R14 A later snooze replaces an earlier one or a block, and a block replaces a snooze")
  func replaced() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes
       shortcut cards 9:00-10:00 11:00-12:00 13:00-14:00
      8:00 snooze cards 13:30
      8:01 snooze cards 9:30
      9:50 snooze cards 11:30
      9:51 block cards
      11:40 whynot? home cards
      11:45 snooze cards 13:30
      15:00 end
      ----
      9:30 suggest home notes > cards
      9:50 withdraw home cards: blocked
      11:40 cards: blocked by the user
      13:30 suggest home notes > cards
      14:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R14 A snoozed app has no suggestions; of the snoozes of a widget and its app, the later end counts")
  func apps() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes
       shortcut cards 9:00-10:00 11:00-12:00
      9:10 snoozeapp cards 11:20
      9:11 snooze cards 11:10
      11:05 whynot? home cards
      11:15 whynot? home cards
      12:30 end
      ----
      9:00 suggest home notes > cards
      9:10 withdraw home cards: blocked
      11:05 cards: snoozed by the user until 11:20
      11:15 cards: snoozed by the user until 11:20
      11:20 suggest home notes > cards
      12:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R14 The gate of a snoozed widget opens at the end of the snooze, at which the device wakes")
  func explained() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes", "0:00 shortcut cards 9:00-12:00", "8:00 snooze cards 11:00", "9:30 end"] {
      try scene.play(Script.Line(line))
    }
    let end = try Scene.time("11:00")
    let answer = try scene.device.whyNot(cards, in: home)
    #expect(answer.obstacles.count == 1 && answer.first?.clears == end)
    #expect(scene.device.nextWake == end)
    let gate = try #require(scene.device.suggestionExplanation(of: home)?.candidates.first?.obstacle)
    #expect(gate.gate == .blocked && gate.clears == end && gate.measured == 0)
    #expect(scene.device.brings(lifting: answer.obstacles.indices, of: answer))
  }

  @Test("R14 Blocks and snoozes are listed, also by a decoded device, and a snooze until its end")
  func listed() throws {
    var scene = try Scene()
    for line in [
      "8:00 stack home notes", "8:00 block news", "8:00 blockapp mail", "8:00 snooze cards 11:00",
      "8:00 snoozeapp notes 10:00",
    ] { try scene.play(Script.Line(line)) }
    let lasting = [
      BlockedSuggestion(.widget(try scene.widget("news"))), BlockedSuggestion(.app(try scene.widget("mail").kind.app)),
    ]
    let (first, second) = (try Scene.time("10:00"), try Scene.time("11:00"))
    let snoozed = [
      BlockedSuggestion(.widget(cards), until: second),
      BlockedSuggestion(.app(try scene.widget("notes").kind.app), until: first),
    ]
    #expect(scene.device.blockedSuggestions == lasting + snoozed)
    var copy = try Device(decoding: scene.device.encoded)
    #expect(copy == scene.device && copy.encoded == scene.device.encoded)
    #expect(copy.nextWake == first)
    _ = copy.advance(to: first)
    #expect(copy.blockedSuggestions == lasting + snoozed.prefix(1) && copy.nextWake == second)
    _ = copy.advance(to: second)
    #expect(copy.blockedSuggestions == lasting && copy.nextWake == nil)
    _ = scene.device.advance(to: second)
    #expect(copy == scene.device && copy.encoded == scene.device.encoded)
  }

  @Test("R14 A snooze must end after the device's time, by at most 366 days")
  func ends() throws {
    let device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Scene.midnight)
    let ends: [(TimeSpan, String?)] = [
      (.days(-1), "must be after the device's time (it is 1 d before it)"),
      (.zero, "must be after the device's time (it is 0 s before it)"), (TimeSpan(milliseconds: 1), nil),
      (.days(366), nil),
      (TimeSpan(milliseconds: 31_622_400_001), "366 d 1 s ahead of the device's time, more than 366 d"),
      (TimeSpan(milliseconds: 436_240_800_000), "5049 d 2 h ahead of the device's time, more than 366 d"),
    ]
    for (span, reason) in ends {
      let end = Scene.midnight.advanced(by: span)
      for report in [.widgetSuggestionSnoozed(cards, until: end), .appSuggestionSnoozed(cards.kind.app, until: end)]
        as [UserReport]
      {
        var error: RequestError?
        do { try device.check(.reported(report)) } catch let found { error = found }
        #expect(error == reason.map { RequestError(.invalidArgument, field: "until", $0) }, "\(report)")
      }
    }
  }

  @Test("R14 Blocks and snoozes count together against block-count-max, and one of a listed widget adds nothing")
  func limits() throws {
    var scene = try Scene()
    for line in ["8:00 block news", "8:00 snooze cards 11:00", "8:00 snoozeapp cards 11:00"] {
      try scene.play(Script.Line(line))
    }
    var limits = Limits()
    limits.blockCountMax = 2
    let (news, mail, end) = (try scene.widget("news"), try scene.widget("mail"), try Scene.time("12:00"))
    let device = scene.device
    for report in [
      .widgetSuggestionSnoozed(news, until: end), .widgetSuggestionBlocked(cards, true),
      .appSuggestionBlocked(mail.kind.app, true),
    ] as [UserReport] {
      #expect(throws: Never.self) { try device.check(.reported(report), limits: limits) }
    }
    for report in [.widgetSuggestionSnoozed(mail, until: end), .widgetSuggestionBlocked(mail, true)] as [UserReport] {
      #expect(throws: RequestError.over(limit: "block-count-max", maximum: 2, count: 3)) {
        try device.check(.reported(report), limits: limits)
      }
    }
    #expect(device.limitUses.first { $0.limit == "block-count-max" }?.count == 2)
  }

  @Test("R14 A snooze that was made while the device's clock was ahead lasts for the time that remained")
  func clock() throws {
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Scene.midnight)
    let ahead = Scene.midnight.advanced(by: .days(4_000))
    _ = device.handle(.reported(.widgetSuggestionSnoozed(cards, until: ahead.advanced(by: .days(1)))), at: ahead)
    let now = Scene.midnight.advanced(by: .hours(1))
    _ = device.restateTime(at: now)
    #expect(device.blockedSuggestions == [BlockedSuggestion(.widget(cards), until: now.advanced(by: .days(1)))])
    #expect(try Device(decoding: device.encoded) == device)
  }
}
