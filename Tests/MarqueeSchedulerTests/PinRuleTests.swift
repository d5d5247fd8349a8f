import MarqueeModel
import MarqueeScheduler
import Testing

/// Pins, and rotations that the user does not allow (rule R12). The day is a Monday.
@Suite struct PinRuleTests {
  @Test("R12 A pinned member comes to the front at once and stays, whatever the budget, the dwell and the evidence")
  func always() throws {
    try play(
      """
      0:00 policy rotations=1
       stack home notes cards mail
       publish mail 9:00=5/6h
      9:01 pin home cards
      10:00 scroll home notes
      10:15 explain? home
      11:00 unpin home cards
       rotate home off
      11:10 pin home notes
      12:00 end
      ----
      9:00 rotate home notes > mail
      9:01 pin home mail > cards
      10:00 scroll home notes
      10:15 pin home notes > cards
      10:15 cards is in front: pinned
      11:10 pin home cards > notes
      """)
  }

  @Test("R12 A rotation that settings block counts as blocked by their gates")
  func counts() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 9:00=5/6h
       allow home cards away
      10:00 allow home notes to
      11:00 pin home notes
      12:00 rotate home off
       counts?
      ----
      12:00 counts rotation smart rotate 1, rotation pinned 1, rotation never to 1, rotation never away 1
      """, ways: [.plain])
  }

  @Test("R12 After a pin, rotations wait for neither its moves nor their dwell")
  func afterwards() throws {
    try play(
      """
      0:00 stack home notes cards mail
       publish mail 8:30=5/6h
       pin home cards 8:00-9:00
      12:00 end
      ----
      8:00 pin home notes > cards
      9:00 rest home cards > notes
      9:00 rotate home notes > mail
      """)
  }

  @Test("R12 A pin holds daily or on weekdays, over midnight, and until the end of the day")
  func times() throws {
    try play(
      """
      0:00 stack home notes cards
       pin home cards 22:00-2:00 days=01
      5:00 scroll home notes
      26:30 scroll home notes
      51:00 scroll home notes
      60:00 pin home cards 0:00-24:00 days=3
      80:00 scroll home notes
      98:00 scroll home notes
      200:00 end
      ----
      22:00 pin home notes > cards
      26:00 rest home cards > notes
      46:00 pin home notes > cards
      50:00 rest home cards > notes
      72:00 pin home notes > cards
      80:00 scroll home notes
      80:15 pin home notes > cards
      96:00 rest home cards > notes
      """)
  }

  @Test("R12 C1 Times are wall-clock times of the device's offsets; skipped times do not hold, repeated ones do twice")
  func offsets() throws {
    try play(
      """
      0:00 offsets 0:00=3600 5:00=7200 10:00=3600
       stack home notes cards mail
       pin home cards 6:10-6:50
       pin home mail 11:20-11:40
      9:40 scroll home notes
      10:40 scroll home notes
      14:00 end
      ----
      9:20 pin home notes > mail
      9:40 rest home mail > notes
      10:20 pin home notes > mail
      10:40 rest home mail > notes
      """)
  }

  @Test("R12 The user wins over a pin for the time of the hold")
  func hold() throws {
    try play(
      """
      0:00 stack home notes cards
       pin home cards 9:00-10:00
      8:50 scroll home notes
      9:01 whynot? home cards
      9:02 developer on
      ----
      9:01 cards: held for another 4 min because the user touched the stack at 8:50
      9:02 pin home notes > cards
      """)
  }

  @Test("R12 Setting a pin that is in force ends the hold; removing one, or setting one for later, does not")
  func afterTouch() throws {
    try play(
      """
      0:00 stack home notes cards mail
       publish mail 9:00=5/6h
      8:50 scroll home cards
       pin home mail 9:30-10:00
      8:51 pin home notes focus=rest
      8:55 pin home notes
      9:01 scroll home cards
      9:02 unpin home notes
      9:31 pin home cards
      10:00 end
      ----
      8:50 scroll home cards
      8:55 pin home cards > notes
      9:01 scroll home cards
      9:16 rotate home cards > mail
      9:31 pin home mail > cards
      """)
  }

  @Test("R12 A member that pins replaced returns when none is in force, after the hold, unless the user chose another")
  func replacedFront() throws {
    try play(
      """
      0:00 stack home notes cards mail
       scroll home mail
       pin home cards 9:00-10:00
       pin home notes 9:30-11:00
      10:50 tap home notes
      11:02 whynot? home mail
      33:10 scroll home notes
      36:00 end
      ----
      0:00 scroll home mail
      9:00 pin home mail > cards
      9:30 pin home cards > notes
      11:02 mail: held for another 3 min because the user touched the stack at 10:50
      11:05 rest home notes > mail
      33:00 pin home mail > cards
      33:10 scroll home notes
      33:25 pin home notes > cards
      33:30 pin home cards > notes
      """)
  }

  @Test("R12 A member that a pin replaced does not return after its removal, or away from a front that must stay")
  func noReturn() throws {
    try play(
      """
      0:00 stack home notes cards mail
       pin home cards 9:00-10:00
       pin home mail 12:00-13:00
      9:30 remove home notes
      12:30 allow home mail to
      13:30 whynot? home cards
      13:40 allow home mail to away
      14:00 end
      ----
      9:00 pin home notes > cards
      12:00 pin home cards > mail
      13:30 cards: the user keeps the stack from rotating away from its front
      13:40 rest home mail > cards
      """)
  }

  @Test("R12 The return of a member that a pin replaced is explained by the pins and the hold")
  func explainedReturn() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 pin home cards 9:00-10:00", "9:00 publish notes 9:00=5"] {
      try scene.play(Script.Line(line))
    }
    #expect(scene.device.encoded.first == 248)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
    let actions = scene.device.advance(to: try Scene.time("10:00"))
    let decision = try #require(actions.compactMap(\.decision).first)
    let notes = try scene.widget("notes")
    #expect(decision.kind == .rest && decision.to == notes)
    #expect(decision.explanation.summary() == "notes returns: the pin that replaced it has ended")
    let gates = decision.explanation.candidates.first { $0.widget == notes }?.gates ?? []
    #expect(gates.map(\.gate) == [.pinned, .neverAway, .hold] && gates.allSatisfy(\.isPassed))
    #expect(try Decision(decoding: decision.encoded) == decision && scene.device.encoded.first != 248)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
  }

  @Test("R12 R4 After a pin, a stack returns every day to the widget whose evidence lasts")
  func lastingEvidence() throws {
    try play(
      """
      0:00 stack home cards notes
       publish cards 0:00=5
       pin home notes 12:00-13:00
      72:00 end
      ----
      12:00 pin home cards > notes
      13:00 rest home notes > cards
      36:00 pin home cards > notes
      37:00 rest home notes > cards
      60:00 pin home cards > notes
      61:00 rest home notes > cards
      """)
  }

  @Test("R12 R5 A suggestion is withdrawn when a pin begins, and none is made while it is in force")
  func suggestions() throws {
    try play(
      """
      0:00 stack home notes mail
       pin home mail 9:30-11:00
       shortcut cards 9:00-12:00 10:00-12:00
      10:30 whynot? home cards
      12:00 end
      ----
      9:00 suggest home notes > cards
      9:30 withdraw home cards: a member is pinned
      9:30 pin home notes > mail
      10:30 cards: mail is pinned in front
      11:00 rest home mail > notes
      11:00 suggest home notes > cards
      12:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R12 R4 A suggestion that a pin ends returns after it, as long as its evidence lasts")
  func suggestionAfterPin() throws {
    try play(
      """
      0:00 stack home notes mail
       pin home mail 9:30-9:40
       shortcut cards 9:00-12:00
      13:00 end
      ----
      9:00 suggest home notes > cards
      9:30 withdraw home cards: a member is pinned
      9:30 pin home notes > mail
      9:40 rest home mail > notes
      9:40 suggest home notes > cards
      12:00 withdraw home cards: evidence ended
      """)
  }

  @Test("R12 Of several pins in force, the first in the order of the stack wins")
  func several() throws {
    try play(
      """
      0:00 stack home notes cards mail
       pin home mail
       pin home cards 9:00-10:00
      9:30 explain? home
       whynot? home mail
      11:00 move home mail 0
       pin home cards 11:00-12:00
       stack? home
      ----
      0:00 pin home notes > mail
      9:00 pin home mail > cards
      9:30 cards is in front: pinned daily from 09:00 to 10:00
      9:30 mail: cards is pinned in front
      10:00 pin home cards > mail
      11:00 stack home [mail] notes cards
      """)
  }

  @Test("R10 R12 Why-not names the pin of another member, and the own pin that is not in force with its next start")
  func obstacles() throws {
    try play(
      """
      0:00 stack home notes cards mail
       pin home mail 6:00-7:00
      6:10 whynot? home notes
      6:55 tap home mail
       whynot? home notes
      7:01 whynot? home notes
      7:20 unpin home mail
      7:30 pin home cards 9:00-10:00 days=1
       pin home notes 8:00-8:30
      7:50 whynot? home cards
      8:10 whynot? home cards
       whynot? home mail
      9:00 publish cards 20:00=5/1h
       whynot? home cards
       pin home cards focus=rest
       whynot? home mail
      10:00 pin home mail 9:00-11:00 focus=rest
       whynot? home mail
      ----
      6:00 pin home notes > mail
      6:10 notes: mail is pinned in front
      6:55 notes: mail is pinned in front
      7:01 notes: held for another 9 min because the user touched the stack at 6:55
      7:10 rest home mail > notes
      7:50 cards: it is pinned on Tuesday from 09:00 to 10:00, but not now; its pin comes into force at 33:00
      8:10 cards: it is pinned on Tuesday from 09:00 to 10:00, but not now; its pin comes into force at 33:00
      8:10 mail: no entry provides a score, and no shortcut names it
      9:00 cards: its next positive score comes with the 20:00 entry
      9:00 mail: no entry provides a score, and no shortcut names it
      10:00 mail: it is pinned daily from 09:00 to 11:00, in the Focus rest, but not now
      """)
  }

  @Test("R10 Why-not names a score that does not count outside of stacks, and every obstacle is lifted")
  func uncountedScore() throws {
    try play(
      """
      0:00 stack home notes
       publish cards 9:00=5
      10:00 whynot? home cards
      ----
      10:00 cards: its score 5 of the 9:00 entry counts only in a stack, and no shortcut names it
      """)
  }

  @Test("R10 R12 With the obstacles of pins lifted, the widget comes to the front")
  func liftedPins() throws {
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards mail", "0:00 pin home cards 8:00-9:00", "0:00 pin home mail 20:00-21:00",
      "0:00 publish notes 0:00=5", "8:30 end",
    ] { try scene.play(Script.Line(line)) }
    let (mail, notes) = (try scene.widget("mail"), try scene.widget("notes"))
    for widget in [mail, notes] {
      let answer = try scene.device.whyNot(widget, in: StackID("home"))
      #expect(scene.device.brings(lifting: answer.obstacles.indices, of: answer), "\(answer.obstacles)")
    }
    let answer = try scene.device.whyNot(mail, in: StackID("home"))
    let cards = try scene.widget("cards")
    #expect(try answer.obstacles.last == .pinned(by: cards, until: Scene.time("9:00")))
    #expect(answer.obstacles.count == 2)
  }

  @Test("R12 A pin holds at a place and in a Focus only, and not while the place is unknown")
  func context() throws {
    try play(
      """
      0:00 policy hold=0s
       stack home notes cards
       pin home cards place=48 focus=rest
      1:00 place 48.001
      2:00 focus rest
       scroll home notes
      3:00 place 48.01
       scroll home notes
      4:00 place 48
       place
       scroll home notes
      5:00 end
      ----
      2:00 pin home notes > cards
      2:00 scroll home notes
      2:00 pin home notes > cards
      3:00 rest home cards > notes
      4:00 pin home notes > cards
      4:00 rest home cards > notes
      """)
  }

  @Test("R12 Settings move with their member, remain with its replacement, and end with the member")
  func edits() throws {
    try play(
      """
      0:00 stack home notes cards mail
       pin home cards 9:00-10:00
       move home cards 2
       replace home cards weather
      9:30 stack? home
      10:00 remove home weather
       add home weather
      33:30 stack? home
      ----
      9:00 pin home notes > weather
      9:30 stack home notes mail [weather]
      10:00 rest home weather > notes
      33:30 stack home [notes] mail weather
      """)
  }

  @Test("W6 R12 Settings end with a removed kind or app, and do not return with its widgets")
  func removals() throws {
    try play(
      """
      0:00 stack home notes cards mail
       pin home cards 9:00-10:00
       allow home cards away
       allow home mail to
      1:00 uninstall cards
       unregister mail
       add home cards
       add home mail
       publish cards 11:00=5/1h
       publish mail 13:00=5/1h
       publish notes 14:00=5/1h
      15:00 end
      ----
      11:00 rotate home notes > cards
      13:00 rotate home cards > mail
      14:00 rotate home mail > notes
      """)
  }

  @Test("R12 A stack never rotates to a member of which the user does not allow it, even with most evidence")
  func neverTo() throws {
    try play(
      """
      0:00 stack home notes cards mail
       publish cards 9:00=5/2h
       publish mail 9:00=5/2h 20:00=10
       allow home cards away
      10:00 why? home cards
       whynot? home cards
      10:30 allow home cards to away
      ----
      9:00 rotate home notes > mail
      10:00 why cards: never to 0.0 of 1.0
      10:00 cards: the user keeps the stack from rotating to it
      10:30 rotate home mail > cards
      """)
  }

  @Test("R12 A stack neither rotates away from nor covers a front of which the user does not allow it")
  func neverAway() throws {
    try play(
      """
      0:00 stack home notes cards
       allow home notes to
       publish cards 9:00=5/2h
       shortcut mail 9:00-12:00
      9:30 why? home cards
       whynot? home mail
      10:00 scroll home cards
      10:30 stack? home
      12:00 end
      ----
      9:30 why cards: never away 0.0 of 1.0
      9:30 mail: the user keeps the stack from rotating away from its front
      10:00 scroll home cards
      10:15 suggest home cards > mail
      10:30 stack home [mail*] notes cards
      12:00 withdraw home mail: evidence ended
      """)
  }

  @Test("R12 A pin outranks a member's rotation rules")
  func outranking() throws {
    try play(
      """
      0:00 stack home notes cards
       allow home notes to
       allow home cards away
       pin home cards
      1:00 end
      ----
      0:00 pin home notes > cards
      """)
  }

  @Test("R12 Settings of a widget that is no member, or of a suggestion, are refused")
  func refusal() throws {
    try play(
      """
      0:00 stack home notes
       home mail
       shortcut cards 9:00-12:00
       pin home mail
       pin work notes
       allow home cards to
      9:30 pin home cards
      ----
      0:00 rejected notFound: widget: no such widget in the stack
      0:00 rejected notFound: stack: no stack with this name
      0:00 rejected notFound: widget: no such widget in the stack
      9:00 suggest home notes > cards
      9:30 rejected failedPrecondition: widget: the widget is a suggestion; keep it before changing its settings
      """)
  }

  @Test("R12 Times without weekdays or length, or out of the day, are refused")
  func invalidTimes() {
    func field(_ days: Weekdays, _ start: Int, _ end: Int) -> String? {
      do throws(RequestError) { _ = try PinTimes(weekdays: days, start: start, end: end) } catch { return error.field }
      return nil
    }
    #expect(field([], 0, 1) == "weekdays" && field(Weekdays(rawValue: 128), 0, 1) == "weekdays")
    #expect(field(.all, -1, 5) == "start_minute" && field(.all, 1_440, 5) == "start_minute")
    #expect(field(.all, 5, -1) == "end_minute" && field(.all, 5, 1_441) == "end_minute")
    #expect(field(.all, 5, 5) == "end_minute" && field(.all, 0, 0) == "end_minute")
    #expect(field(.all, 5, 0) == nil && field(.all, 0, 1_440) == nil)
  }

  @Test("R12 A stack's description has the settings of its members, and a decision has the pin")
  func descriptions() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 pin home cards 9:00-10:00 days=04 focus=rest", "0:00 focus rest"]
    {
      try scene.play(Script.Line(line))
    }
    let cards = try scene.widget("cards")
    let pin = try #require(try scene.device.stack(StackID("home"))?.settings[cards]?.pin)
    #expect(pin.words == "pinned on Monday and Friday from 09:00 to 10:00, in the Focus rest")
    #expect(scene.device.hasTimedPins)
    let decision = try #require(scene.device.advance(to: Scene.time("9:00")).first?.decision)
    #expect(decision.kind == .pin && decision.explanation.candidates.first { $0.widget == cards }?.pin == pin)
    #expect(decision.explanation.summary() == "cards is \(pin.words)")
    #expect(try Decision(decoding: decision.encoded) == decision)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
  }

  @Test(
    "R12 A pin's words name its days and times",
    arguments: [
      (.all, 0, 1_440, "daily from 00:00 to 24:00"), (.workdays, 420, 545, "on weekdays from 07:00 to 09:05"),
      (.weekend, 1_320, 360, "on weekends from 22:00 to 06:00"),
      (Weekdays(6), 60, 120, "on Sunday from 01:00 to 02:00"),
      ([Weekdays(0), Weekdays(2), Weekdays(5)], 60, 120, "on Monday, Wednesday and Saturday from 01:00 to 02:00"),
    ] as [(Weekdays, Int, Int, String)])
  func words(days: Weekdays, start: Int, end: Int, words: String) throws {
    #expect(try Pin(times: PinTimes(weekdays: days, start: start, end: end)).words == "pinned \(words)")
  }

  @Test("R12 A pin's words do not tell where its place is")
  func placeWords() throws {
    let center = try Place(latitude: 48, longitude: 11, display: "")
    #expect(Pin.always.words == "pinned")
    #expect(try Pin(place: PlaceRegion(center: center, radius: 150)).words == "pinned within 150 m of a place")
  }

  @Test("R12 The size of settings counts for the description of a device")
  func sizes() throws {
    var scene = try Scene()
    try scene.play(Script.Line("0:00 stack home notes cards"))
    var limits = Limits.default
    limits.descriptionSizeMax = try #require(scene.device.limitUses.first { $0.limit == "description-size-max" }).count
    let edit = StackEdit.setPin(try scene.widget("cards"), .always)
    let event = Event.stackEdited(try StackID("home"), edit)
    #expect(throws: RequestError.self) { try scene.device.check(event, limits: limits) }
    #expect(throws: Never.self) { try scene.device.check(event) }
  }
}
