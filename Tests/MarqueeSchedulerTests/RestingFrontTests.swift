import MarqueeModel
import MarqueeScheduler
import Testing

/// The return of stacks without evidence to their resting front (rule R13).
@Suite struct RestingFrontTests {
  @Test("R13 A stack without evidence returns to its first member after the policy's time, but not by default")
  func first() throws {
    try play(
      """
      0:00 stack home notes cards mail
       publish cards 9:00=5/1h 11:00=5/1h
      10:50 policy rest=30m
      12:10 explain? home
      13:00 counts?
      ----
      9:00 rotate home notes > cards
      12:10 cards stays: no widget of the stack has evidence
      12:30 rest home cards > notes
      13:00 counts rotation unused 1
      """)
  }

  @Test("R13 The resting front is the member that the user scrolled to last or put first, not one with a pin to come")
  func target() throws {
    try play(
      """
      0:00 policy rest=30m rotations=1
       stack home notes cards mail
      7:00 scroll home mail
       publish cards 9:00=5/1h
      11:00 pin home notes 23:00-23:30
      11:20 unpin home notes
      12:00 move home cards 0
      13:00 end
      ----
      7:00 scroll home mail
      9:00 rotate home mail > cards
      10:30 rest home cards > mail
      12:00 rest home mail > cards
      """)
  }

  @Test("R13 Suggestions, pins, the hold, Smart Rotate and a front that must stay delay the return")
  func delays() throws {
    try play(
      """
      0:00 policy rest=30m hold=45m
       stack home notes cards
       publish cards 9:00=5/1h
      9:50 tap home cards
      10:30 rotate home off
      12:00 whynot? home notes
      12:10 allow home cards to
       rotate home on
       whynot? home notes
      13:00 allow home cards to away
      14:00 end
      ----
      9:00 rotate home notes > cards
      12:00 notes: Smart Rotate is off
      12:10 notes: the user keeps the stack from rotating away from its front
      13:00 rest home cards > notes
      """)
  }

  @Test("R13 The time begins when the evidence of all members, every suggestion and every pin has ended")
  func beginning() throws {
    try play(
      """
      0:00 policy rest=30m
       stack home notes cards mail
       pin home cards 8:00-9:00
       publish mail 7:00=5/50m
      8:30 shortcut weather 9:10-10:00
      10:15 whynot? home notes
      11:00 end
      ----
      7:00 rotate home notes > mail
      8:00 pin home mail > cards
      9:00 rest home cards > mail
      9:10 suggest home mail > weather
      10:00 withdraw home weather: evidence ended
      10:15 notes: held for another 15 min: the stack has had neither evidence nor a pin since 10:00
      10:30 rest home mail > notes
      """)
  }

  @Test("W6 R13 A removed resting front is replaced by the next choice, and does not return with its widget")
  func removals() throws {
    try play(
      """
      0:00 policy rest=30m hold=0s
       stack home notes mail weather
       scroll home mail
       publish weather 2:00=5/1h
      4:00 unregister mail
       add home mail
       publish weather 5:00=5/1h
      7:00 end
      ----
      0:00 scroll home mail
      2:00 rotate home mail > weather
      3:30 rest home weather > mail
      4:00 rest home weather > notes
      5:00 rotate home notes > weather
      6:30 rest home weather > notes
      """)
  }

  @Test("R13 A resting front that the user removes is replaced by the first member")
  func edits() throws {
    try play(
      """
      0:00 policy rest=30m
       stack home notes cards mail
       scroll home cards
       publish mail 1:00=5/1h
      1:30 remove home cards
       add home cards
      3:00 end
      ----
      0:00 scroll home cards
      1:00 rotate home cards > mail
      2:30 rest home mail > notes
      """)
  }

  @Test("R13 A return changes no budget, episode or engagement, and is explained with its gates")
  func effects() throws {
    var scene = try Scene()
    for line in ["0:00 policy rest=30m rotations=1", "0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h"] {
      try scene.play(Script.Line(line))
    }
    let actions = scene.device.advance(to: try Scene.time("12:00"))
    let decisions = actions.compactMap(\.decision)
    #expect(decisions.map(\.kind) == [.rotation, .rest] && decisions.map(\.number) == [1, 2])
    let rest = try #require(decisions.last)
    #expect(rest.explanation.summary() == "notes is the resting front: no widget of the stack has evidence")
    let gates = rest.explanation.candidates.first { $0.widget == rest.to }?.gates ?? []
    #expect(gates.map(\.gate) == [.smartRotate, .neverAway, .rest, .hold] && gates.allSatisfy(\.isPassed))
    #expect(gates[2].measured == 1_800 && gates[2].required == 1_800)
    #expect(try Decision(decoding: rest.encoded) == rest)
    for line in ["12:00:05 scroll home cards", "12:01 worth? notes"] { try scene.play(Script.Line(line)) }
    #expect(scene.output.last == "12:01 worth notes 0 good 0 bad")
  }

  @Test("R13 A device whose clock is set back, or that is decoded, returns after the remaining time")
  func clocks() throws {
    var scene = try Scene()
    for line in ["0:00 policy rest=30m hold=0s", "0:00 stack home notes cards", "1:00 publish cards 1:00=5/1h"] {
      try scene.play(Script.Line(line))
    }
    _ = scene.device.advance(to: try Scene.time("2:20"))
    #expect(try scene.device.nextWake == Scene.time("2:30"))
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
    _ = scene.device.restateTime(at: try Scene.time("2:00"))
    #expect(try scene.device.nextWake == Scene.time("2:30"))
  }
}
