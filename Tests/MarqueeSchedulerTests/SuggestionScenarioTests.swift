import MarqueeModel
import MarqueeScheduler
import Testing

/// The examples of Widget Suggestions in WWDC21 10049.
@Suite struct SuggestionScenarioTests {
  @Test("R5 Cards with a purchase: suggested as information for 1800 s from now, and then withdrawn")
  func purchase() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes", "9:41 shortcut cards@amex 9:41-10:11"] { try scene.play(Script.Line(line)) }
    let amex = try scene.widget("cards@amex")
    let home = try StackID("home")
    #expect(scene.device.stack(home)?.suggestedWidget == amex)
    #expect(scene.device.relevantShortcuts(of: amex.kind.app).map(\.role) == [.information])
    #expect(try scene.device.nextWake == Scene.time("9:41").advanced(by: .seconds(1_800)))
    _ = scene.device.advance(to: try Scene.time("10:10:59"))
    #expect(scene.device.stack(home)?.frontWidget == amex)
    _ = scene.device.advance(to: try Scene.time("10:11"))
    #expect(try scene.device.stack(home)?.members == [scene.widget("notes")])
  }

  @Test("R2 Calendar, which is not in the stack, is suggested at 9:30 for the meeting at 10")
  func calendar() throws {
    try play(
      """
      0:00 stack home weather reminders
       publish weather 7:00=5/2h 18:30=8/2h
       publish reminders 15:00=1/1h
       shortcut calendar 9:30-10:00
      9:45 stack? home
      10:00 stack? home
      24:00 stack? home
      ----
      9:30 suggest home weather > calendar
      9:45 stack home [calendar*] weather reminders
      10:00 withdraw home calendar: evidence ended
      10:00 stack home [weather] reminders
      15:00 rotate home weather > reminders
      18:30 rotate home reminders > weather
      24:00 stack home [weather] reminders
      """)
  }

  @Test("R5 Fitness shows after the workout, and the stack returns to its original state")
  func fitness() throws {
    try play(
      """
      0:00 stack home weather reminders
       scroll home reminders
      19:00 stack? home
       shortcut fitness 19:00-19:30
      19:10 stack? home
      20:00 stack? home
      ----
      0:00 scroll home reminders
      19:00 stack home weather [reminders]
      19:00 suggest home reminders > fitness
      19:10 stack home [fitness*] weather reminders
      19:30 withdraw home fitness: evidence ended
      20:00 stack home weather [reminders]
      """)
  }

  @Test("S3 Breaking news in two windows is suggested in each")
  func news() throws {
    try play(
      """
      0:00 stack home weather
       shortcut news 12:00-12:20 17:00-17:45
      18:00 stack? home
      ----
      12:00 suggest home weather > news
      12:20 withdraw home news: evidence ended
      17:00 suggest home weather > news
      17:45 withdraw home news: evidence ended
      18:00 stack home [weather]
      """)
  }

  @Test("S4 A shortcut without providers waits for a learned habit, and why-not says so")
  func emptyProviders() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes", "1:00 shortcut cards"] { try scene.play(Script.Line(line)) }
    #expect(scene.device.nextWake == nil)
    let answer = try scene.device.whyNot(scene.widget("cards"), in: StackID("home"))
    #expect(answer.first == .noEvidence(.useNotLearned))
  }

  @Test("S3 Windows are absolute instants: a change of time zone does not move them")
  func zones() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes", "0:00 shortcut cards 9:00-9:30"] { try scene.play(Script.Line(line)) }
    _ = scene.device.handle(.timeZoneChanged(try TimeZoneID("Europe/Berlin")), at: scene.device.now)
    #expect(try scene.device.nextWake == Scene.time("9:00"))
  }
}
