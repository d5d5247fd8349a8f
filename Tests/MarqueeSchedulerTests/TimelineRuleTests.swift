import MarqueeModel
import MarqueeScheduler
import Testing

/// Rules T1 to T10; the scripts cover combinations.
@Suite struct TimelineRuleTests {
  @Test("T1 A publication replaces the whole timeline, and a rejected one leaves it unchanged")
  func replacing() throws {
    var scene = try Scene()
    let cards = try scene.widget("cards")
    try scene.play(line("publish cards 9:00=5 10:00=6"))
    try scene.play(line("publish cards 11:00=7"))
    #expect(scene.device.timeline(of: cards)?.entries.map(\.date) == [try Scene.time("11:00")])
    let before = scene.device
    var limits = Limits()
    limits.entryCountMax = 1
    let entries = try ["12:00", "13:00"].map { TimelineEntry(date: try Scene.time($0)) }
    let event = Event.timelinePublished(cards, Timeline(submitted: entries, policy: .never))
    #expect(throws: RequestError.self) { try scene.device.check(event, limits: limits) }
    #expect(scene.device == before)
  }

  @Test("T2 The current entry is the latest one whose date has passed; of equal dates the last one sent")
  func currentEntry() throws {
    try play(
      """
      0:00 watch refresh
       publish cards 10:00=2 9:00=1 10:00=3
      9:59 entry? cards
      10:00 score? cards
      11:00 publish cards
       entry? cards
      ----
      9:00 refresh cards 9:00
      9:59 entry cards 9:00
      10:00 refresh cards 10:00
      10:00 score cards 3.0 of 3.0
      11:00 refresh cards -
      11:00 entry cards -
      """)
  }

  @Test("T3 Relevance is in force from the entry's date until exactly the end of its window")
  func relevance() throws {
    try play(
      """
      0:00 publish cards 9:00=5/30m
      8:59:59 score? cards
      9:00 score? cards
      9:29:59 score? cards
      9:30 score? cards
      ----
      8:59:59 score cards -
      9:00 score cards 5.0 of 5.0
      9:29:59 score cards 5.0 of 5.0
      9:30 score cards 0.0 of 5.0
      """)
  }

  @Test("T4 Relevance in force survives a new timeline that provides none")
  func survival() throws {
    try play(
      """
      0:00 stack home notes cards
       publish cards 9:00=5/2h 9:30=0
      9:10 publish cards 9:05=- 9:20=-
      10:59 score? cards
      11:00 score? cards
      ----
      9:00 rotate home notes > cards
      10:59 score cards 5.0 of 5.0
      11:00 score cards 0.0 of 5.0
      """)
  }

  @Test("T4 Entries dated before their publication count as reached at it")
  func lateEntries() throws {
    try play(
      """
      9:30 stack home notes cards
       publish cards 9:00=5/1h 9:10=-
       entry? cards
      10:00 score? cards
      ----
      9:30 rotate home notes > cards
      9:30 entry cards 9:10
      10:00 score cards 0.0 of 5.0
      """)
  }

  @Test("T5 A score of zero or less brings nothing to the front", arguments: ["0", "-1", "-1000000"])
  func eligibility(score: String) throws {
    try play(
      """
      0:00 policy threshold=0 margin=0
       stack home notes cards
       publish cards 9:00=\(score)
      10:00 why? home cards
      ----
      10:00 why cards: threshold 0.0 of 0.0
      """)
  }

  @Test("T6 A score is normalized by the highest of its kind: upcoming, in force, and of the last days")
  func measure() throws {
    try play(
      """
      0:00 publish cards@visa 9:00=10/1h
       publish cards@giro 9:00=2 200:00=4
      8:59 score? cards@giro
      9:30 score? cards@giro
      9:40 publish cards@visa
      177:59:59 score? cards@giro
      178:00 score? cards@giro
      ----
      8:59 score cards@giro -
      9:30 score cards@giro 2.0 of 10.0
      177:59:59 score cards@giro 2.0 of 10.0
      178:00 score cards@giro 2.0 of 4.0
      """)
  }

  @Test("T7 A non-finite score or duration, a negative duration or a date before 1970 cannot be published")
  func values() {
    for score in [Double.nan, .infinity, -.infinity] {
      #expect(throws: RequestError.self) { try TimelineEntryRelevance(score: score) }
    }
    #expect(throws: RequestError.self) { try TimelineEntryRelevance(score: 1, duration: TimeSpan(milliseconds: -1)) }
    #expect(TimeSpan(seconds: .nan) == nil && TimeSpan(seconds: .infinity) == nil)
    #expect(Instant(milliseconds: -1) == nil)
    #expect(Instant(milliseconds: Instant.max.milliseconds + 1) == nil)
  }

  @Test("T7 A window that would end after the year 9999 ends there")
  func longWindow() throws {
    var scene = try Scene()
    try scene.play(line("stack home notes cards"))
    let relevance = try TimelineEntryRelevance(score: 5, duration: TimeSpan(milliseconds: .max))
    let timeline = Timeline(submitted: [TimelineEntry(date: Scene.midnight, relevance: relevance)], policy: .never)
    _ = scene.device.handle(.timelinePublished(try scene.widget("cards"), timeline), at: Scene.midnight)
    #expect(scene.device.advance(to: .max).isEmpty)
    #expect(scene.device.nextWake == nil)
    #expect(try scene.device.stack(StackID("home"))?.front == 1)
  }

  @Test("T8 A request stays open until a timeline answers it, and is sent again when it is asked for a minute later")
  func reload() throws {
    try play(
      """
      0:00 publish cards 9:00=- reload=end
      9:00:59 pull cards
      9:30 ask cards
       pull cards
       open? cards
       reload? cards
      9:31 pull cards
      10:00 publish cards 9:40=- reload=never
       open? cards
       reload? cards
      ----
      9:00 reload cards atEnd
      9:30 reload cards app
      9:30 open cards app 9:30
      9:30 reload cards asked at 9:30, 2 of 10
      9:31 reload cards user
      10:00 open none
      10:00 reload cards none, 2 of 10
      """)
  }

  @Test("T9 A widget that is never in front gets ten requests a day, five minutes apart")
  func budget() throws {
    let publications = (1...11).map { "0:\(6 * $0) publish cards 0:00=- reload=end" }
    let requests = (1...10).map {
      "\(6 * $0 / 60):\($0 == 1 ? "06" : $0 == 10 ? "00" : "\(6 * $0)") reload cards atEnd"
    }
    try play(
      """
      \(publications.joined(separator: "\n"))
      23:00 reload? cards
      24:06 end
      ----
      \(requests.joined(separator: "\n"))
      23:00 reload cards waits until 24:06, 10 of 10
      24:06 reload cards atEnd
      """)
  }

  @Test("T9 A widget on the Home Screen outside stacks, which is always visible, has the highest budget at once")
  func outsideStacks() throws {
    try play(
      """
      0:00 policy reloads=1-3
       stack home notes cards
       publish cards 0:00=- reload=end
      0:10 publish cards 0:00=- reload=end
      0:20 reload? cards
       home cards
      0:30 publish cards 0:00=- reload=end
       reload? cards
      0:40 unhome cards
       publish cards 0:00=- reload=end
       reload? cards
      ----
      0:00 reload cards atEnd
      0:20 reload cards waits until 24:00, 1 of 1
      0:20 reload cards atEnd
      0:30 reload cards atEnd
      0:30 reload cards asked at 0:30, 3 of 3
      0:40 reload cards waits until 24:30, 3 of 1
      """)
  }

  @Test("T10 Displays receive the content unchanged")
  func content() throws {
    var scene = try Scene()
    try scene.play(line("stack home cards"))
    let content = try EntryContent(mediaType: "image/png", bytes: [0, 255, 137, 80])
    let entry = TimelineEntry(date: Scene.midnight, content: content)
    let event = Event.timelinePublished(try scene.widget("cards"), Timeline(submitted: [entry], policy: .never))
    let orders = scene.device.handle(event, at: Scene.midnight).map(\.order)
    #expect(orders == [.refresh(WidgetInstance(try scene.widget("cards"), in: .systemSmall), ShownEntry(entry))])
    #expect(scene.device.currentEntry(of: try scene.widget("cards"))?.content == content)
  }

  private func line(_ words: String) -> Script.Line {
    Script.Line(second: 0, words: words.split(separator: " ").map(String.init))
  }
}
