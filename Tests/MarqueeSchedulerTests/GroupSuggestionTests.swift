import MarqueeModel
import MarqueeScheduler
import Testing

/// Suggestions of widgets in groups, on one stack and on several (rule R15).
@Suite struct GroupSuggestionTests {
  @Test("R15 While a stack suggests a widget, no other stack suggests one of its group, even a more relevant one")
  func suggestedElsewhere() throws {
    // The second window's episode is later, so that its widget ranks first, without a lead.
    try play(
      """
      0:00 stack home notes
       stack work mail
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:02-12:00
      9:30 whynot? work cards@giro
      12:30 end
      ----
      9:00 suggest home notes > cards@visa
      9:30 cards(which: giro): represented by cards(which: visa), which is in the same group
      11:00 withdraw home cards@visa: evidence ended
      11:00 suggest home notes > cards@giro
      12:00 withdraw home cards@giro: evidence ended
      """)
    // The stack that suggests the group replaces it by a widget with a lead, when its dwell allows.
    try play(
      """
      0:00 stack home notes
       stack work mail
       publish cards@giro 8:00=5/6h
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:02-11:00
      9:30 end
      ----
      9:00 suggest home notes > cards@visa
      9:05 withdraw home cards@visa: replaced
      9:05 suggest home cards@visa > cards@giro
      """)
  }

  @Test("R15 The end of a more relevant widget's snooze does not bring a second suggestion of its group")
  func snoozed() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       publish cards@visa 8:00=5/6h
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:00-11:00
      8:00 snooze cards@visa 9:02
      9:30 end
      ----
      9:00 suggest home notes > cards@giro
      9:05 withdraw home cards@giro: replaced
      9:05 suggest home cards@giro > cards@visa
      """)
  }

  @Test("R15 W1 Stacks of two families do not suggest two widgets of one group")
  func families() throws {
    try play(
      """
      0:00 stack home notes
       large work duo
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:02-12:00
      12:30 end
      ----
      9:00 suggest home notes > cards@visa
      11:00 withdraw home cards@visa: evidence ended
      11:00 suggest home notes > cards@giro
      12:00 withdraw home cards@giro: evidence ended
      """)
  }

  @Test("R15 R7 Developer mode does not lift groups")
  func developerMode() throws {
    try play(
      """
      0:00 stack home notes
       stack work mail
       developer on
       intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:02-11:00
      11:30 end
      ----
      9:00 suggest home notes > cards@visa
      11:00 withdraw home cards@visa: evidence ended
      """)
  }

  @Test("R15 R12 A member to which its stack may not rotate does not stand for its group")
  func unreachable() throws {
    for ban in ["rotate home off", "allow home cards@visa away"] {
      try play(
        """
        0:00 stack home notes cards@visa
         \(ban)
         publish cards@visa 8:00=5/5h
         publish cards@giro 8:00=3/5h
         intent cards@visa in=bills 9:00-11:00 + cards@giro in=bills 9:00-12:00
        13:00 end
        ----
        9:00 suggest home notes > cards@giro
        12:00 withdraw home cards@giro: evidence ended
        """)
    }
    try play(
      """
      0:00 stack home notes cards@visa cards@giro
       allow home cards@visa away
       publish cards@visa in=bills 9:00=5/2h
       publish cards@giro in=bills 9:00=3/4h
      9:10 end
      ----
      9:00 rotate home notes > cards@giro
      """)
  }

  @Test("R15 A suggestion stands for its group while it is more relevant than a member")
  func suggestionAgainstMember() throws {
    try play(
      """
      0:00 stack home notes cards@visa
       intent cards@giro in=bills 9:00-12:00
       publish cards@visa in=bills 9:30=5/4h
      9:31 scroll home notes
      10:00 why? home cards@visa
      13:00 end
      ----
      9:00 suggest home notes > cards@giro
      9:31 scroll home notes
      10:00 why cards@visa: group 0.0 of 1.0
      12:00 withdraw home cards@giro: evidence ended
      12:00 rotate home notes > cards@visa
      """)
  }

  @Test("R15 R5 A suggestion is withdrawn when a more relevant member of its group comes to the front")
  func withdrawal() throws {
    try play(
      """
      0:00 stack home notes cards@visa
       publish cards@visa 9:30=5/4h
       intent cards@giro in=bills 9:00-12:00 + cards@visa in=bills 9:30-11:00
      13:00 end
      ----
      9:00 suggest home notes > cards@giro
      9:30 rotate home cards@giro > cards@visa
      9:30 withdraw home cards@giro: represented by a member
      """)
    try play(
      """
      0:00 stack home notes cards@visa
       intent cards@giro in=bills 9:00-12:00 + cards@visa in=bills 9:02-11:00
      9:10 scroll home cards@visa
      9:30 end
      ----
      9:00 suggest home notes > cards@giro
      9:10 scroll home cards@visa
      9:10 withdraw home cards@giro: represented by a member
      """)
  }

  @Test("R15 A suggestion remains while a more relevant member of its group cannot come to the front")
  func remaining() throws {
    // The second window's episode is later, so that its widget ranks first, without a lead.
    try play(
      """
      0:00 stack home notes cards@visa
       intent cards@giro in=bills 9:00-11:00 + cards@visa in=bills 9:02-12:00
      12:30 end
      ----
      9:00 suggest home notes > cards@giro
      11:00 withdraw home cards@giro: evidence ended
      11:00 rotate home notes > cards@visa
      """)
    try play(
      """
      0:00 stack home notes cards@visa
       publish cards@visa 9:02=5/4h
       intent cards@giro in=bills 9:00-12:00 + cards@visa in=bills 9:02-11:00
      9:01 tap home cards@giro
      12:30 end
      ----
      9:00 suggest home notes > cards@giro
      9:16 rotate home cards@giro > cards@visa
      9:16 withdraw home cards@giro: represented by a member
      """)
    for ban in ["rotate home off", "allow home cards@visa away", "policy rotations=0"] {
      try play(
        """
        0:00 stack home notes cards@visa
         \(ban)
         publish cards@visa 9:02=5/2h
         intent cards@giro in=bills 9:00-12:00 + cards@visa in=bills 9:02-11:00
        12:30 end
        ----
        9:00 suggest home notes > cards@giro
        12:00 withdraw home cards@giro: evidence ended
        """)
    }
  }

  @Test("R15 A suggestion that the user dismissed stands for its group until its window ends; a blocked one does not")
  func dismissed() throws {
    try play(
      """
      0:00 stack home notes
       publish cards@visa 8:00=5/6h
       intent cards@visa in=bills 9:00-10:00 + cards@giro in=bills 9:00-11:00
      9:10 dismiss home
      12:00 end
      ----
      9:00 suggest home notes > cards@visa
      9:10 withdraw home cards@visa: dismissed
      10:00 suggest home notes > cards@giro
      11:00 withdraw home cards@giro: evidence ended
      """)
    try play(
      """
      0:00 stack home notes
       publish cards@visa 8:00=5/6h
       intent cards@visa in=bills 9:00-10:00 + cards@giro in=bills 9:00-11:00
      8:00 block cards@visa
      9:10 end
      ----
      9:00 suggest home notes > cards@giro
      """)
  }

  @Test("R15 D5 A widget that only a deleted donation configures is removed as a representative from decisions")
  func redactedRepresentative() throws {
    let scene = try Scene()
    let (visa, giro) = (try scene.widget("cards@visa"), try scene.widget("cards@giro"))
    func decision(_ representative: Widget?) throws -> Decision {
      let candidate = Candidate(
        widget: giro, position: 0, isInFront: false, evidence: 1, signals: [], episodeStart: nil,
        gates: [GateResult(.group, isPassed: false, measured: 0, required: 1)], representative: representative)
      let explanation = Explanation(
        stack: try StackID("home"), at: scene.device.now, front: nil, candidates: [candidate], chosen: giro)
      return Decision(kind: .suggestion, number: 1, to: giro, explanation: explanation)
    }
    let donation = Donation(
      id: try .init("payment"), date: scene.device.now, activity: .intent(try #require(visa.configuration)))
    var redaction = try #require(DonationRedaction(.donationsDeleted(visa.kind.app, .identifiers([donation.id]))))
    let event = Event.donated(visa.kind.app, [donation])
    redaction.select(in: event)
    let (isConcerned, redacted) = (redaction.trackVersions(in: event), redaction.redacted(event))
    #expect(isConcerned && redacted != nil)
    #expect(redaction.redacted(try decision(visa), on: scene.device) == (try decision(nil)))
    #expect(redaction.redacted(try decision(giro), on: scene.device) == (try decision(giro)))
  }
}
