import MarqueeModel
import MarqueeScheduler
import Testing

/// Groups of widgets, of which the most relevant one stands for all (rule R15).
@Suite struct GroupRuleTests {
  @Test("R15 Of the members of a group, a stack rotates to the most relevant one only")
  func members() throws {
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       publish cards@visa in=bills 9:00=5/2h
       publish cards@giro in=bills 9:00=3/4h
      9:30 scroll home notes
      9:50 why? home cards@giro
       whynot? home cards@giro
       explain? home
      12:00 end
      ----
      9:00 rotate home notes > cards@visa
      9:30 scroll home notes
      9:50 why cards@giro: group 0.0 of 1.0
      9:50 cards(which: giro): represented by cards(which: visa), which is in the same group
      9:50 notes stays; cards(which: visa): its episode, which began at 9:00, is used up: the user \
      dismissed, removed or scrolled away from the widget
      11:00 rotate home notes > cards@giro
      """)
  }

  @Test("R15 Widgets of other groups, and of a group of another app with the same name, are independent")
  func others() throws {
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       publish cards@visa in=bills 9:00=5/2h
       publish cards@giro in=debts 9:00=3/4h
      9:30 scroll home notes
      9:50 end
      ----
      9:00 rotate home notes > cards@visa
      9:30 scroll home notes
      9:45 rotate home notes > cards@giro
      """)
    try play(
      """
      0:00 stack home notes cards@visa mail
       publish cards@visa in=bills 9:00=5/2h
       publish mail in=bills 9:10=3/4h 20:00=9
      9:30 scroll home notes
      9:50 end
      ----
      9:00 rotate home notes > cards@visa
      9:30 scroll home notes
      9:45 rotate home notes > mail
      """)
  }

  @Test("R15 Of the widgets of a group that can be suggested, the most relevant one is suggested, on one stack")
  func suggestions() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       publish cards@visa 8:00=5/6h
       intent cards@visa in=bills 9:00-10:00 + cards@giro in=bills 9:00-11:00
      9:30 whynot? work cards@giro
       whynot? home cards@giro
      12:00 end
      ----
      9:00 suggest home notes > cards@visa
      9:30 cards(which: giro): represented by cards(which: visa), which is in the same group
      9:30 cards(which: giro): behind the front by 1.61, 0.01 needed
      10:00 withdraw home cards@visa: evidence ended
      10:00 suggest home notes > cards@giro
      11:00 withdraw home cards@giro: evidence ended
      """)
  }

  @Test("R15 A member stands for its group while it is more relevant, although the user scrolled away from it")
  func memberAgainstSuggestion() throws {
    try play(
      """
      0:00 stack home notes cards@visa
       publish cards@visa 9:00=5/2h
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:00-12:00
      9:01 scroll home notes
      13:00 end
      ----
      9:00 rotate home notes > cards@visa
      9:01 scroll home notes
      11:00 suggest home notes > cards@giro
      12:00 withdraw home cards@giro: evidence ended
      """)
  }

  @Test("R15 Windows with one start are one window, in the groups of all")
  func union() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       publish cards@visa 8:00=5/6h
       intent cards@visa in=travel 9:00-10:00 + cards@visa in=bills 9:00-11:00 + cards@giro in=travel 9:00-12:00
      12:30 end
      ----
      9:00 suggest home notes > cards@visa
      11:00 withdraw home cards@visa: evidence ended
      11:00 suggest home notes > cards@giro
      12:00 withdraw home cards@giro: evidence ended
      """)
  }

  @Test("R15 Setting a window again with another group, or a timeline without one, changes groups at once")
  func changes() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       publish cards@visa 8:00=5/6h
       intent cards@visa in=bills 9:00-12:00 + cards@giro in=bills 9:00-12:00
      9:30 intent cards@visa in=bills 9:00-12:00 + cards@giro in=debts 9:00-12:00
      12:00 end
      ----
      9:00 suggest home notes > cards@visa
      9:30 suggest work mail > cards@giro
      12:00 withdraw home cards@visa: evidence ended
      12:00 withdraw work cards@giro: evidence ended
      """)
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       publish cards@visa in=bills 9:00=5/4h
       publish cards@giro in=bills 9:00=3/4h
      9:30 scroll home notes
      10:00 publish cards@visa 9:00=5/4h
      ----
      9:00 rotate home notes > cards@visa
      9:30 scroll home notes
      10:00 rotate home notes > cards@giro
      """)
  }

  @Test("R15 A shortcut and a relevant intent of one app can name one group")
  func shortcuts() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       shortcut cards@visa in=bills 9:00-10:00
       publish cards@visa 8:00=5/6h
       intent cards@giro in=bills 9:00-11:00
      12:00 end
      ----
      9:00 suggest home notes > cards@visa
      10:00 withdraw home cards@visa: evidence ended
      10:00 suggest home notes > cards@giro
      11:00 withdraw home cards@giro: evidence ended
      """)
  }

  @Test("R15 W4 A widget whose entry has expired does not stand for its group")
  func expired() throws {
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       publish cards@visa in=bills 9:00=5/4h!10:00
       publish cards@giro in=bills 9:00=3/4h
      9:30 scroll home notes
      10:00 end
      ----
      9:00 rotate home notes > cards@visa
      9:30 scroll home notes
      10:00 rotate home notes > cards@giro
      """)
  }

  @Test("R15 R12 A pinned member comes to the front although another one stands for its group")
  func pinned() throws {
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       publish cards@visa in=bills 9:00=5/2h
       publish cards@giro in=bills 9:00=3/2h
      9:40 pin home cards@giro
      ----
      9:00 rotate home notes > cards@visa
      9:40 pin home cards@visa > cards@giro
      """)
  }

  @Test("R15 A member stands for its group until it is removed or replaced")
  func edited() throws {
    for edit in ["remove home cards@visa", "replace home cards@visa mail"] {
      try play(
        """
        0:00 stack home notes cards@visa cards@giro
         publish cards@visa in=bills 9:00=5/4h
         publish cards@giro in=bills 9:00=3/4h
        9:30 scroll home notes
        10:00 \(edit)
        10:10 end
        ----
        9:00 rotate home notes > cards@visa
        9:30 scroll home notes
        10:00 rotate home notes > cards@giro
        """)
    }
  }

  @Test("R15 A change of the policy's window length ends no group early")
  func pointLength() throws {
    var scene = try Scene()
    func play(_ lines: String...) throws { for line in lines { try scene.play(Script.Line(line)) } }
    try play(
      "0:00 stack home notes", "0:00 publish cards@visa 8:00=5/6h",
      "0:00 intent cards@visa in=bills 9:00 + cards@giro in=bills 9:00-12:00", "9:01 end")
    var policy = scene.device.policy
    policy.pointLength = .hours(2)
    _ = scene.device.handle(.policyChanged(policy), at: scene.device.now)
    try play("10:59 whynot? home cards@giro", "11:00 end")
    #expect(
      scene.output == [
        "9:00 suggest home notes > cards@visa",
        "10:59 cards(which: giro): behind the front by 1.61, 0.01 needed",
        "11:00 withdraw home cards@visa: evidence ended", "11:00 suggest home notes > cards@giro",
      ])
  }

  @Test("R15 A suggestion that a group blocks counts as blocked by its gate")
  func counts() throws {
    try play(
      """
      0:00 stack home notes cards@visa
       publish cards@visa 9:00=5/2h
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:00-12:00
      9:01 scroll home notes
      9:20 counts?
      ----
      9:00 rotate home notes > cards@visa
      9:01 scroll home notes
      9:20 counts rotation episode 1, suggestion margin 1, suggestion group 1
      """, ways: [.plain])
  }

  @Test("R10 R15 Explanations name the widget that stands for a candidate's group, and are encoded with it")
  func explanations() throws {
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards@visa cards@giro", "0:00 publish cards@visa in=bills 9:00=5/2h",
      "0:00 publish cards@giro in=bills 9:00=3/4h",
    ] {
      try scene.play(Script.Line(line))
    }
    let decision = try #require(scene.device.advance(to: Scene.time("9:00")).compactMap(\.decision).first)
    let visa = try scene.widget("cards@visa")
    let candidates = decision.explanation.candidates
    #expect(candidates.map(\.representative) == [nil, visa, nil])
    #expect(candidates[0].gates.first { $0.gate == .group }?.isPassed == true)
    #expect(candidates[2].gates.allSatisfy { $0.gate != .group })
    #expect(
      candidates[1].summary().hasSuffix("represented by cards(which: visa), which is in the same group"))
    #expect(try Decision(decoding: decision.encoded) == decision)
    #expect(try Device(decoding: scene.device.encoded) == scene.device)
    // A pin opens the gate of groups, which is then no longer listed.
    for line in ["9:30 pin home cards@giro", "9:30 scroll home notes"] { try scene.play(Script.Line(line)) }
    let pinned = try #require(scene.device.explanation(of: StackID("home"))).candidates
    let giro = try scene.widget("cards@giro")
    let own = try #require(pinned.first { $0.widget == giro })
    #expect(own.gates.map(\.gate) == [.hold] && own.representative == nil)
  }

}
