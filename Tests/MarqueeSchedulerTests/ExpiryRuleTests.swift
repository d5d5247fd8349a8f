import MarqueeModel
import MarqueeScheduler
import Testing

/// Rule W4: the expiry of entries.
@Suite struct ExpiryRuleTests {
  @Test("W4 A score ends when its entry expires, and only an entry with relevance provides one again")
  func score() throws {
    try play(
      """
      0:00 watch refresh
       stack home notes cards
       publish cards 9:00=5!9:40 10:00=- 11:00=2
      9:39:59 score? cards
      9:40 score? cards
       shown? cards
      10:00 score? cards
      11:00 score? cards
      ----
      9:00 refresh cards 9:00
      9:00 rotate home notes > cards
      9:39:59 score cards 5.0 of 5.0
      9:40 refresh cards 9:00 stale
      9:40 score cards 0.0 of 5.0
      9:40 shown cards 9:00 stale
      10:00 refresh cards 10:00
      10:00 score cards 0.0 of 5.0
      11:00 refresh cards 11:00
      11:00 score cards 2.0 of 5.0
      """)
  }

  @Test("W4 The expiry of an entry without relevance ends the score that an earlier one provided")
  func earlierScore() throws {
    try play(
      """
      0:00 publish cards 9:00=5 9:30=-!9:40 10:00=-
      9:39:59 score? cards
      9:40 score? cards
      10:30 score? cards
      ----
      9:39:59 score cards 5.0 of 5.0
      9:40 score cards 0.0 of 5.0
      10:30 score cards 0.0 of 5.0
      """)
  }

  @Test("W4 An expired entry is replaced by the fallback, until the next entry")
  func fallback() throws {
    try play(
      """
      0:00 watch refresh
       publish cards 9:00=-!9:40 10:00=- fallback=later
      9:50 shown? cards
      11:00 end
      ----
      9:00 refresh cards 9:00
      9:40 refresh cards 9:00 later
      9:50 shown cards 9:00 later
      10:00 refresh cards 10:00
      """)
  }

  @Test("W4 An expiry has no effect if the next entry is current by then", arguments: ["9:30", "9:31", "12:00"])
  func replaced(expiry: String) throws {
    try play(
      """
      0:00 watch refresh
       publish cards 9:00=5!\(expiry) 9:30=-
      13:00 score? cards
      ----
      9:00 refresh cards 9:00
      9:30 refresh cards 9:30
      13:00 score cards 5.0 of 5.0
      """)
  }

  @Test("W4 Shortcuts do not bring a widget with an expired entry to the front until its next entry is current")
  func rotation() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 8:00=-!8:30 10:00=-
       shortcut cards 9:00-12:00
      9:30 whynot? home cards
      13:00 end
      ----
      9:30 cards: its 8:00 entry expired at 8:30, and nothing counts for it until the 10:00 entry
      10:00 rotate home notes > cards
      """)
  }

  @Test("W4 R5 A suggestion is withdrawn when the entry of its widget expires, and not made while it is expired")
  func suggestion() throws {
    try play(
      """
      0:00 stack home notes
       publish cards 8:00=-!9:30
       publish clock 8:00=-!8:30
       shortcut cards 9:00-12:00
       shortcut clock 10:00-12:00
      10:30 publish clock 8:00=-
      ----
      9:00 suggest home notes > cards
      9:30 withdraw home cards: evidence ended
      10:30 suggest home notes > clock
      """)
  }

  @Test("W4 R4 The next entry begins new episodes of shortcuts, which rotate again")
  func rotationAgain() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 8:00=-!9:30 10:00=-
       shortcut cards 9:00-12:00
      9:40 scroll home notes
      11:00 end
      ----
      9:00 rotate home notes > cards
      9:40 scroll home notes
      10:00 rotate home notes > cards
      """)
  }

  @Test("W4 R5 The next entry or timeline brings a withdrawn suggestion back, unless the user dismissed it")
  func suggestionAgain() throws {
    try play(
      """
      0:00 stack home notes
       publish cards 8:00=-!9:30 10:00=-!10:30
       shortcut cards 9:00-12:00
      10:40 publish cards 8:00=-!10:50
      10:45 dismiss home
      11:30 publish cards 8:00=-
      ----
      9:00 suggest home notes > cards
      9:30 withdraw home cards: evidence ended
      10:00 suggest home notes > cards
      10:30 withdraw home cards: evidence ended
      10:40 suggest home notes > cards
      10:45 withdraw home cards: dismissed
      """)
  }

  @Test("W4 An entry that expired before its publication provides nothing, and a later expiry begins a new episode")
  func latePublication() throws {
    try play(
      """
      9:50 watch refresh
       stack home notes cards
       publish cards 9:00=5!9:40
       score? cards
       publish cards 9:00=5!9:40
      9:55 publish cards 9:00=5!10:30
      10:00 scroll home notes
      10:30 explain? home
      ----
      9:50 refresh cards 9:00 stale
      9:50 score cards 0.0 of 5.0
      9:55 refresh cards 9:00
      9:55 rotate home notes > cards
      10:00 scroll home notes
      10:30 refresh cards 9:00 stale
      10:30 notes stays: no widget of the stack has evidence
      """)
  }

  @Test("W4 T4 A score of an earlier timeline ends if the new one's current entry has expired, else with its expiry")
  func earlierTimeline() throws {
    try play(
      """
      0:00 publish cards 7:00=5
      9:00 publish cards 8:00=-!8:30 10:00=-
       score? cards
      10:00 score? cards
      11:00 publish cards 11:00=4
       publish cards 8:00=-!8:30 9:00=-!11:30
      11:29:59 score? cards
      11:30 score? cards
      ----
      9:00 score cards 0.0 of 5.0
      10:00 score cards 0.0 of 5.0
      11:29:59 score cards 4.0 of 5.0
      11:30 score cards 0.0 of 5.0
      """)
  }

  @Test("W4 An expiry requests no reload: only the reload policy does")
  func reload() throws {
    try play(
      """
      0:00 publish cards 9:00=-!9:40 reload=end
      8:59 reload? cards
      9:00 publish cards 9:00=-!9:40
      9:50 reload? cards
      ----
      8:59 reload cards at 9:00, 0 of 10
      9:00 reload cards atEnd
      9:50 reload cards none, 1 of 10
      """)
  }

  @Test("W4 A pin keeps a widget with an expired entry in front")
  func pin() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 8:00=-!8:30
       pin home cards 9:00-10:00
      9:30 stack? home
      ----
      9:00 pin home notes > cards
      9:30 stack home notes [cards]
      """)
  }

  @Test("W4 R10 Explanations name the expiry, and without it the widget would be in front")
  func explanation() throws {
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards", "0:00 policy dwell=0s", "0:00 publish cards 9:00=5!9:40",
      "0:00 publish notes 9:30=1", "9:35 scroll home notes", "10:00 whynot? home cards",
    ] { try scene.play(Script.Line(line)) }
    #expect(
      scene.output.last
        == "10:00 cards: its 9:00 entry expired at 9:40, and nothing counts for it until its app publishes a later one")
    let (home, cards) = (try StackID("home"), try scene.widget("cards"))
    let candidate = try #require(scene.device.explanation(of: home)?.candidates.first { $0.widget == cards })
    #expect(try candidate.expiry == Scene.time("9:40") && candidate.evidence == 0 && candidate.episodeStart == nil)
    #expect(
      candidate.summary { Scene.text($0) }.hasPrefix("cards: no evidence; its entry expired at 9:40; "))
    let whyNot = try scene.device.whyNot(cards, in: home)
    #expect(scene.device.brings(lifting: 0..<whyNot.obstacles.count, of: whyNot))
    #expect(!scene.device.brings(lifting: 1..<whyNot.obstacles.count, of: whyNot))
  }

  @Test("W4 A clock that is set back before an expiry shows the entry again, with its relevance")
  func clock() throws {
    var scene = try Scene()
    for line in ["0:00 publish cards 9:00=5!9:40", "10:00 end"] {
      try scene.play(Script.Line(line))
    }
    let cards = try scene.widget("cards")
    #expect(scene.device.shownEntry(of: cards)?.isStale == true)
    _ = scene.device.restateTime(at: try Scene.time("9:30"))
    #expect(scene.device.shownEntry(of: cards)?.isStale == false)
    #expect(scene.device.memberStatus(of: cards)?.relevance?.effectiveScore == 5)
    #expect(scene.device.nextWake == (try Scene.time("9:40")))
  }

  @Test("W4 Redacted contents, links and the fallback count toward the sizes and their limits")
  func sizes() throws {
    let scene = try Scene()
    let registration = try scene.registering("cards") { .reported(.reload($0)) }[0]
    var device = scene.device
    _ = device.handle(registration, at: device.now)
    let content = try EntryContent(mediaType: "x", bytes: [1, 2, 3])
    let details = EntryDetails(sensitivity: .isPrivate(content), link: try EntryLink("a:bc"))
    let entry = try TimelineEntry(date: device.now, content: content, details: details)
    let timeline = Timeline(submitted: [entry], policy: .never, fallback: content)
    #expect(timeline.contentSize == 3 * 4 + 4)
    let event = Event.timelinePublished(try scene.widget("cards"), timeline)
    for (name, path, least) in [
      ("content-size-max", \Limits.contentSizeMax, 6), ("timeline-size-max", \.timelineSizeMax, 16),
    ] {
      var limits = Limits()
      limits[keyPath: path] = least - 1
      let error = #expect(throws: RequestError.self) { try device.check(event, limits: limits) }
      #expect(error?.reason.contains(" exceeds \(name) (") == true)
      limits[keyPath: path] = least
      try device.check(event, limits: limits)
    }
    _ = device.handle(event, at: device.now)
    let uses = Dictionary(uniqueKeysWithValues: device.limitUses.map { ($0.limit, $0.count) })
    #expect(uses["content-size-max"] == 6 && uses["timeline-size-max"] == 16)
  }
}
