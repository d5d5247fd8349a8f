import MarqueeModel
import MarqueeScheduler
import Testing

/// The statistics of widgets (rule R17).
@Suite struct StatisticsRuleTests {
  @Test("R17 Time at the front counts while the stack is visible, and each span of it once")
  func front() throws {
    try play(
      """
      0:00 stack home notes cards
      1:00 stats? notes
       stats? cards
      2:00 hide home
      3:00 scroll home cards
      4:00 stats? notes
       stats? cards
      5:00 show home
      6:00 hide home
      7:00 show home
      8:00 stats? cards
      ----
      1:00 stats notes since 0:00, shown 1, 3600 s
      1:00 stats cards none
      3:00 scroll home cards
      4:00 stats notes since 0:00, shown 1, scrolled away 1, 7200 s
      4:00 stats cards none
      8:00 stats cards since 5:00, shown 2, 7200 s
      """)
  }

  @Test("R17 A span without a duration is not counted, and one that continues at once is counted once")
  func instants() throws {
    try play(
      """
      0:00 stack home notes cards
      1:00 scroll home cards
       scroll home notes
      1:30 stats? notes
       stats? cards
      2:00 hide home
       show home
      2:30 stats? notes
      3:00 hide home
       show home
       hide home
      4:00 show home
      5:00 stats? notes
      ----
      1:00 scroll home cards
      1:00 scroll home notes
      1:30 stats notes since 0:00, shown 1, scrolled away 1, 5400 s
      1:30 stats cards since 1:00, scrolled away 1
      2:30 stats notes since 0:00, shown 1, scrolled away 1, 9000 s
      5:00 stats notes since 0:00, shown 2, scrolled away 1, 14400 s
      """)
  }

  @Test("R17 Time at the front of two stacks at once counts once")
  func stacks() throws {
    try play(
      """
      0:00 stack home cards
       publish cards 0:00=-
      1:00 stack wall cards
      2:00 drop home
      2:30 stats? cards
      3:00 drop wall
      4:00 stats? cards
      ----
      2:30 stats cards since 0:00, shown 1, 9000 s
      4:00 stats cards since 0:00, shown 1, 10800 s
      """)
  }

  @Test("R17 Rotations by Smart Rotate, taps and scrolls are counted; pins and returns to rest are no rotations")
  func reactions() throws {
    try play(
      """
      0:00 policy rest=30m
       stack home notes cards
       publish cards 9:00=5/1h
      9:01 tap home cards
      9:02 tap home cards
      11:00 pin home cards
      12:00 stats? notes
       stats? cards
      13:00 scroll home notes
      14:00 stats? cards
      ----
      9:00 rotate home notes > cards
      10:30 rest home cards > notes
      11:00 pin home notes > cards
      12:00 stats notes since 0:00, shown 2, 34200 s
      12:00 stats cards since 9:00, shown 2, rotations 1, tapped 2, 9000 s
      13:00 scroll home notes
      13:15 pin home notes > cards
      14:00 stats cards since 9:00, shown 3, rotations 1, tapped 2, scrolled away 1, 15300 s
      """)
  }

  @Test("R17 Suggestions that are made, kept and dismissed are counted")
  func suggestions() throws {
    try play(
      """
      0:00 stack home notes
       shortcut cards 9:00-9:30 12:00-12:30 15:00-15:30
      9:10 dismiss home
      12:10 stats? cards
      12:20 stats? cards
      15:10 keep home
      16:00 stats? cards
       appstats? cards
       worth? cards
      ----
      9:00 suggest home notes > cards
      9:10 withdraw home cards: dismissed
      12:00 suggest home notes > cards
      12:10 stats cards since 9:00, shown 2, suggested 2, dismissed 1, 1200 s
      12:20 stats cards since 9:00, shown 2, suggested 2, dismissed 1, 1800 s
      12:30 withdraw home cards: evidence ended
      15:00 suggest home notes > cards
      15:10 withdraw home cards: kept
      16:00 stats cards since 9:00, shown 3, suggested 3, kept 1, dismissed 1, 6000 s
      16:00 appstats cards since 9:00, shown 3, suggested 3, kept 1, dismissed 1, 6000 s
      16:00 worth cards 0 good 1 bad
      """)
  }

  @Test("R17 A suggestion over the front interrupts the time of the front, and blocking it counts as dismissal")
  func interruption() throws {
    try play(
      """
      0:00 stack home notes
       shortcut cards 9:00-10:00
      9:20 block cards
      12:00 stats? notes
       stats? cards
      ----
      9:00 suggest home notes > cards
      9:20 withdraw home cards: blocked
      12:00 stats notes since 0:00, shown 2, 42000 s
      12:00 stats cards since 9:00, shown 1, suggested 1, dismissed 1, 1200 s
      """)
  }

  @Test("R17 The counts of an app are the sums over its instances, remain without them, and go with their kind")
  func apps() throws {
    try play(
      """
      0:00 stack home duo
       large wall duo
       stack work notes duo
       publish duo 0:00=-
      1:00 tap home duo
       tap wall duo
       tap wall duo
      2:00 stats? duo
       stats? duo large
       appstats? duo
      3:00 drop wall
      4:00 appstats? duo
      5:00 unregister duo
       appstats? duo
      ----
      2:00 stats duo since 0:00, shown 1, tapped 1, 7200 s
      2:00 stats duo since 0:00, shown 1, tapped 2, 7200 s
      2:00 appstats duo since 0:00, shown 2, tapped 3, 14400 s
      4:00 appstats duo since 0:00, shown 2, tapped 3, 25200 s
      5:00 appstats duo nothing
      """)
  }

  @Test("R17 The counts of a suggestion that ended remain, and continue with the next one; as does its worth")
  func formerInstances() throws {
    try play(
      """
      0:00 stack home notes
       shortcut cards 9:00-9:30
      10:00 stats? cards
       shortcut cards 12:00-12:30
      12:10 dismiss home
      13:00 shortcut -cards
      14:00 appstats? cards
       worth? cards
      15:00 unregister cards
       appstats? cards
      ----
      9:00 suggest home notes > cards
      9:30 withdraw home cards: evidence ended
      10:00 stats cards since 9:00, shown 1, suggested 1, 1800 s
      12:00 suggest home notes > cards
      12:10 withdraw home cards: dismissed
      14:00 appstats cards since 9:00, shown 2, suggested 2, dismissed 1, 2400 s
      14:00 worth cards 0 good 1 bad
      15:00 appstats cards nothing
      """)
  }

  // MARK: Values

  private static func scene(_ lines: String...) throws -> Scene {
    var scene = try Scene()
    for line in lines { try scene.play(Script.Line(line)) }
    return scene
  }

  @Test("R17 The worth is that of the reactions to the instance and, for the app, to all of its instances")
  func worth() throws {
    let scene = try Self.scene(
      "0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h 12:00=6/1h", "9:00:05 scroll home notes",
      "12:00:30 tap home cards", "13:00 end")
    let statistics = scene.device.statistics(of: try scene.widget("cards").kind.app)
    #expect(statistics.instances.map(\.statistics.worth) == [5.0 / 7])
    #expect(statistics.total.worth == 5.0 / 7)
    #expect(scene.device.statistics(of: try AppID("com.example.absent")).total.worth == 4.0 / 5)
    let apps = try ["cards", "notes"].map { try AppID("com.example.\($0)") }
    #expect(scene.device.statistics.map(\.app) == apps)
  }

  @Test("R17 Counts survive storing, and a device without them is stored without a mark")
  func format() throws {
    let plain = try Self.scene("0:00 stack home notes cards").device
    #expect(plain.encoded.first == 14 && !plain.hasCounts)
    let device = try Self.scene("0:00 stack home notes cards", "1:00 tap home notes", "2:00 hide home").device
    #expect(device.encoded.prefix(2) == [255, 14] && device.hasCounts)
    let none = TimelineSource { _ in Timeline(submitted: [], policy: .never) }
    let stored = try Device(stored: device.stored(.included), none)
    #expect(stored == device && stored.encoded == device.encoded)
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [255] + plain.encoded) }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [255] + device.encoded) }
  }

  @Test("R17 Counts of removed instances survive storing, and a clock that is moved back")
  func formerFormat() throws {
    var scene = try Self.scene(
      "0:00 stack home notes cards", "1:00 tap home notes", "2:00 remove home notes", "3:00 end")
    let device = scene.device
    #expect(device.encoded.prefix(2) == [249, 14] && !device.hasCounts)
    #expect(try Device(decoding: device.encoded) == device)
    let notes = try scene.widget("notes").kind.app
    #expect(device.statistics(of: notes).total.frontTime == .hours(2))
    #expect(device.hasContent(of: notes))
    let plain = try Self.scene("0:00 stack home notes cards").device
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [249] + plain.encoded) }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [249] + device.encoded) }
    _ = scene.device.restateTime(at: try Scene.time("0:30"))
    let restated = scene.device.statistics(of: notes).total
    #expect(restated.frontTime == .minutes(30) && restated.tapCount == 1)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
  }

  @Test("R17 A clock that is moved back keeps the counts, and no more time at the front than has passed")
  func restatedClock() throws {
    var scene = try Self.scene(
      "0:00 stack home notes cards", "1:00 scroll home cards", "2:00 scroll home notes", "3:00 tap home notes")
    let notes = try scene.widget("notes").kind.app
    #expect(scene.device.statistics(of: notes).total.frontTime == .hours(2))
    _ = scene.device.restateTime(at: try Scene.time("0:30"))
    let restated = scene.device.statistics(of: notes).total
    #expect(restated.frontTime == .minutes(30) && restated.tapCount == 1 && restated.shownCount == 2)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
    _ = scene.device.advance(to: try Scene.time("1:00"))
    #expect(scene.device.statistics(of: notes).total.frontTime == .hours(1))
  }

  @Test("R17 After a clock was moved back to the end of a span, the present span remains another one")
  func restatedToSpanEnd() throws {
    var scene = try Self.scene(
      "0:00 stack home notes cards", "1:00 scroll home cards", "2:00 scroll home notes", "2:30 scroll home cards")
    let cards = try scene.widget("cards").kind.app
    #expect(scene.device.statistics(of: cards).total.shownCount == 2)
    _ = scene.device.restateTime(at: try Scene.time("2:00"))
    #expect(scene.device.statistics(of: cards).total.shownCount == 2)
  }
}
