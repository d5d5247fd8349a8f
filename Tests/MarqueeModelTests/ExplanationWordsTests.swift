import MarqueeModel
import Testing

@Suite struct ExplanationWordsTests {
  private let noon = Instant.min.advanced(by: .hours(12))
  private let short: @Sendable (Instant) -> String = { String($0.description.dropFirst(11).dropLast()) }

  private func widget(_ name: String) throws -> Widget {
    Widget(kind: WidgetKind(app: try AppID("com.example"), name: try KindName(name)))
  }

  private func candidate(
    _ name: String, evidence: Double = 0, isInFront: Bool = false, gates: [GateResult] = []
  ) throws -> Candidate {
    let share = SignalShare(signal: .timeline, score: 30, reference: 50, strength: 0.6, weight: 0.8, share: evidence)
    return Candidate(
      widget: try widget(name), position: 0, isInFront: isInFront, evidence: evidence,
      signals: evidence > 0 ? [share] : [], episodeStart: nil, gates: gates)
  }

  private func explanation(front: String?, _ candidates: [Candidate], chosen: String? = nil) throws -> Explanation {
    Explanation(
      stack: try StackID("s"), at: noon, front: try front.map(widget), candidates: candidates,
      chosen: try chosen.map(widget))
  }

  private var held: GateResult {
    GateResult(
      .hold, isPassed: false, measured: 540, required: 900, clears: noon, since: noon.advanced(by: .minutes(-9)))
  }

  @Test("R10 A suggestion summary names the best candidate and its blocking gate")
  func suggestions() throws {
    let none = try explanation(front: "Mail", [])
    #expect(
      none.suggestionSummary()
        == "nothing to suggest: no shortcut or habit supports a widget that the device does not show")
    let waiting = try explanation(front: "Mail", [candidate("Calendar", evidence: 1, gates: [held])])
    #expect(
      waiting.suggestionSummary(format: short)
        == "Calendar is not suggested: held for another 6 min: the user touched the stack at 11:51:00")
    #expect(
      try explanation(front: "Mail", [candidate("Calendar", evidence: 1)]).suggestionSummary()
        == "Calendar may be suggested")
    #expect(
      try explanation(front: "Mail", [candidate("Calendar", evidence: 0.653)], chosen: "Calendar").suggestionSummary()
        == "Calendar is suggested: its score 30 is 60 % of its kind's best, evidence 0.65")
  }

  @Test("R10 A summary says which widget leads, or which one stays in front and why")
  func explanations() throws {
    let leads = try explanation(front: "Mail", [candidate("Calendar", evidence: 0.653)], chosen: "Calendar")
    #expect(leads.summary() == "Calendar leads: its score 30 is 60 % of its kind's best, evidence 0.65")
    let held = try explanation(front: "Mail", [candidate("Calendar", evidence: 1, gates: [held])])
    #expect(
      held.summary(format: short)
        == "Mail stays; Calendar: held for another 6 min: the user touched the stack at 11:51:00")
    let best = try explanation(front: "Mail", [candidate("Mail", evidence: 2, isInFront: true)])
    #expect(best.summary() == "Mail stays: its score 30 is 60 % of its kind's best, evidence 2")
    let quiet = try explanation(front: "Mail", [candidate("Mail", isInFront: true), candidate("Calendar")])
    #expect(quiet.summary() == "Mail stays: no widget of the stack has evidence")
    #expect(try explanation(front: nil, []).summary() == "the stack is empty")
  }

  @Test("R10 A candidate's summary states its evidence and its first blocking gate")
  func candidates() throws {
    #expect(
      try candidate("Calendar", evidence: 0.65, gates: [held]).summary(format: short)
        == "Calendar: its score 30 is 60 % of its kind's best, evidence 0.65; "
        + "held for another 6 min: the user touched the stack at 11:51:00")
    #expect(try candidate("Mail", isInFront: true).summary() == "Mail is in front: no evidence")
    let long = try candidate(String(repeating: "n", count: 200)).summary()
    #expect(long == String(repeating: "n", count: 79) + "…: no evidence")
  }

  @Test("R10 Each gate's summary states its measured and required values")
  func gates() {
    func words(
      _ gate: Gate, _ isPassed: Bool, _ measured: Double, _ required: Double, clears: Instant? = nil,
      since: Instant? = nil, end: EpisodeEnd? = nil
    ) -> String {
      GateResult(
        gate, isPassed: isPassed, measured: measured, required: required, clears: clears, since: since, episodeEnd: end
      ).summary(format: short)
    }
    #expect(words(.smartRotate, true, 1, 1) == "Smart Rotate is on")
    #expect(words(.smartRotate, false, 0, 1) == "Smart Rotate is off")
    #expect(words(.threshold, true, 0.65, 0.4) == "evidence 0.65 reaches the threshold 0.4")
    #expect(words(.threshold, false, 0.001, 0.4) == "evidence 0.001 is below the threshold 0.4")
    #expect(words(.threshold, false, 0.0012345, 0.4) == "evidence 0.0012 is below the threshold 0.4")
    #expect(words(.threshold, false, 0.001234, 0.001236) == "evidence 0.00123 is below the threshold 0.00124")
    #expect(words(.margin, false, -0.000_067_8, 0.1) == "behind the front by 6.8e-05, 0.1 needed")
    #expect(words(.margin, true, 0.25, 0.1) == "ahead of the front by 0.25, 0.1 needed")
    #expect(words(.margin, false, -0.25, 0.1) == "behind the front by 0.25, 0.1 needed")
    let cost = "0.06 needed because of the stack's rotations in the last 24 hours"
    #expect(words(.gain, true, 0.25, 0.06) == "raises the probability of use by 0.25, \(cost)")
    #expect(words(.gain, true, 0.25, 0) == "raises the probability of use by 0.25, more than 0 needed")
    #expect(words(.gain, false, -0.125, 0.1) == "the widget in front is at least as likely to be used")
    #expect(words(.margin, true, .infinity, 0.1) == "nothing is in front")
    #expect(words(.episode, true, 1, 1) == "its episode may move the stack")
    #expect(
      words(.episode, false, 0, 1, since: noon)
        == "its episode, which began at 12:00:00, is used up: it already moved a stack, "
        + "or the user dismissed, removed or scrolled away from the widget")
    #expect(
      words(.episode, false, 0, 1, since: noon, end: .moved)
        == "its episode, which began at 12:00:00, is used up: it already moved a stack")
    #expect(
      words(.episode, false, 0, 1, since: noon, end: .rejected)
        == "its episode, which began at 12:00:00, is used up: "
        + "the user dismissed, removed or scrolled away from the widget")
    #expect(words(.dwell, true, .infinity, 300) == "no rotation or suggestion yet")
    #expect(
      words(.dwell, true, 400, 300, since: noon)
        == "the last rotation or suggestion was at 12:00:00, 6 min 40 s ago; 5 min needed")
    #expect(
      words(.hold, true, 266_400, 900, since: noon)
        == "the user touched the stack at 12:00:00, 3 d 2 h ago; 15 min needed")
    #expect(
      words(.dwell, true, 10, 300, since: noon)
        == "lifted in developer mode: held for another 4 min 50 s: the last rotation or suggestion was at 12:00:00")
    #expect(words(.hold, true, .infinity, 900) == "the user has not touched the stack")
    #expect(words(.blocked, true, 1, 1) == "it may be suggested")
    #expect(words(.blocked, false, 0, 1) == "blocked by the user")
    #expect(words(.blocked, false, 0, 1, clears: noon) == "snoozed by the user until 12:00:00")
    #expect(words(.rotationBudget, true, 12, 48) == "this would be rotation 12 in 24 hours, 48 allowed")
    #expect(
      words(.rotationBudget, false, 49, 48, clears: noon)
        == "this would be rotation 49 in 24 hours, 48 allowed, again from 12:00:00")
    #expect(
      words(.rotationBudget, true, 49, 48)
        == "lifted in developer mode: this would be rotation 49 in 24 hours, 48 allowed")
  }

  @Test("R10 R12 R13 The gates of members' settings and of the resting front are stated")
  func settings() {
    func words(_ gate: Gate, _ isPassed: Bool, clears: Instant? = nil, since: Instant? = nil) -> String {
      let required = gate == .rest ? 1_800.0 : 1
      let measured = isPassed ? required : gate == .rest ? 900 : 0
      return GateResult(
        gate, isPassed: isPassed, measured: measured, required: required, clears: clears, since: since
      ).summary(format: short)
    }
    #expect(words(.pinned, true) == "no other widget is pinned now")
    #expect(words(.pinned, false) == "another widget is pinned")
    #expect(words(.pinned, false, clears: noon) == "another widget is pinned")
    #expect(words(.neverTo, true) == "the stack may rotate to it")
    #expect(words(.neverTo, false) == "the user keeps the stack from rotating to it")
    #expect(words(.neverAway, true) == "the stack may rotate away from its front")
    #expect(words(.neverAway, false) == "the user keeps the stack from rotating away from its front")
    #expect(
      words(.rest, true, since: noon)
        == "the stack has had neither evidence nor a pin since 12:00:00, for 30 min; 30 min needed")
    #expect(
      words(.rest, false, clears: noon, since: noon)
        == "held for another 15 min: the stack has had neither evidence nor a pin since 12:00:00")
  }

  @Test("R10 R15 Summaries name the widget that stands for a candidate's group")
  func groups() throws {
    let closed = GateResult(.group, isPassed: false, measured: 0, required: 1)
    let open = GateResult(.group, isPassed: true, measured: 1, required: 1)
    #expect(closed.summary() == "another widget of its group comes first")
    #expect(open.summary() == "no other widget of its group comes first")
    let visa = Candidate(
      widget: try widget("Visa"), position: 1, isInFront: false, evidence: 1, signals: [], episodeStart: nil,
      gates: [held, closed], representative: try widget("Giro"))
    let words = "represented by Giro, which is in the same group"
    #expect(visa.summary(of: closed) == words && visa.summary(of: held) == held.summary())
    #expect(Obstacle.represented(by: try widget("Giro")).summary() == words)
    func name(_ widget: Widget) -> String { "My \(widget.kind.name)" }
    let named = "represented by My Giro, which is in the same group"
    #expect(visa.summary(of: closed, name: name) == named)
    #expect(Obstacle.represented(by: try widget("Giro")).summary(name: name) == named)
    let waiting = Candidate(
      widget: try widget("Visa"), position: 1, isInFront: false, evidence: 1, signals: [], episodeStart: nil,
      gates: [closed], representative: try widget("Giro"))
    #expect(try explanation(front: "Mail", [waiting]).summary() == "Mail stays; Visa: \(words)")
    #expect(try explanation(front: "Mail", [waiting]).suggestionSummary() == "Visa is not suggested: \(words)")
  }

  @Test("R10 A number that is below its minimum does not read like it, and a lead of 0 does not suffice")
  func comparisons() {
    func words(_ gate: Gate, _ measured: Double, _ required: Double) -> String {
      GateResult(gate, isPassed: measured > 0 && measured >= required, measured: measured, required: required).summary()
    }
    #expect(words(.threshold, 0.3996, 0.4) == "evidence 0.3996 is below the threshold 0.4")
    #expect(words(.threshold, 0.4, 0.4) == "evidence 0.4 reaches the threshold 0.4")
    #expect(words(.threshold, 0.4004, 0.4) == "evidence 0.4 reaches the threshold 0.4")
    #expect(words(.threshold, 0.399_999_96, 0.4) == "evidence 0.39999996 is below the threshold 0.4")
    #expect(words(.threshold, 0, 0) == "no evidence")
    #expect(words(.margin, 0.2841, 0.2843) == "ahead of the front by 0.2841, 0.2843 needed")
    #expect(words(.margin, 0, 0) == "as strong as the front, a lead needed")
    #expect(words(.occupancy, 0.0999, 0.1) == "ahead of the suggestion on top by 0.0999, 0.1 needed")
    #expect(
      EvidenceGap.unlikely(probability: 0.1999, required: 0.2).summary()
        == "its use within half an hour is unlikely: the probability is 0.1999, 0.2 needed")
    #expect(
      EvidenceGap.unlikely(probability: 0.35, required: 0.2).summary()
        == "its use within half an hour is likely, but not predicted for this widget: "
        + "the probability is 0.35, 0.2 needed")
  }

  @Test("R10 P1 The probability of a prediction, which is quantized, is stated as a range")
  func predictions() throws {
    func words(_ score: Double, adjusted strength: Double? = nil) throws -> String {
      let share = SignalShare(
        signal: .prediction, score: score, reference: 1, strength: strength ?? score, weight: 0.8, share: 1)
      let candidate = Candidate(
        widget: try widget("Coffee"), position: 0, isInFront: true, evidence: 1, signals: [share], episodeStart: nil,
        gates: [])
      return candidate.summary()
    }
    let use = "Coffee is in front: its use within half an hour has a probability of"
    // It can be above the default minimum, 20 %, or below it.
    #expect(try words(3.0 / 16) == "\(use) 18 to 25 %, evidence 1")
    #expect(try words(15.0 / 16) == "\(use) 93 to 100 %, evidence 1")
    #expect(try words(1) == "\(use) 100 %, evidence 1")
    #expect(try words(1.0 / 16) == "\(use) 6 to 13 %, evidence 1")
    #expect(try words(1.0 / 32) == "\(use) less than 7 %, evidence 1")
    #expect(try words(0.5, adjusted: 0.25) == "\(use) 50 to 57 %, adjusted to 25 % by past reactions, evidence 1")
  }

  @Test("R10 The evidence is rounded as it was compared with the threshold")
  func comparedEvidence() throws {
    let gate = GateResult(.threshold, isPassed: false, measured: 0.3996, required: 0.4)
    let close = try candidate("Calendar", evidence: 0.3996, gates: [gate])
    #expect(
      close.summary() == "Calendar: its score 30 is 60 % of its kind's best, evidence 0.3996; "
        + "evidence 0.3996 is below the threshold 0.4")
  }

  @Test("R10 Reasons say how often a habit was observed; of a single observation, that it is the last one")
  func counts() {
    func words(_ done: Int, _ days: Int, _ followed: Int, _ times: Int, isDayOff: Bool = false) -> String {
      HabitReasons(
        slotMinute: 510, isDayOff: isDayOff, dayCount: days, doneDayCount: done, previousCount: times,
        followedCount: followed
      ).words
    }
    #expect(
      words(9, 10, 1, 2)
        == "08:30–09:00 on 9 of the last 10 active weekdays, followed the previous action 1 of the last 2 times")
    #expect(words(1, 1, 1, 1) == "08:30–09:00 on the last active weekday, followed the previous action the last time")
    #expect(words(1, 1, 0, 1, isDayOff: true) == "08:30–09:00 on the last active weekend day")
    #expect(words(0, 1, 0, 1) == "done longer ago or at other times")
    #expect(reason(.frequent(doneDayCount: 1, dayCount: 1)) == "done on the last day")
    #expect(reason(.frequent(doneDayCount: 1, dayCount: 3)) == "done on 1 of the last 3 days")
    let list = "number 1 in the app's list of upcoming media"
    #expect(reason(.upcoming(place: 1, playedCount: 0, playCount: 1)) == list)
    #expect(
      reason(.upcoming(place: 1, playedCount: 1, playCount: 1))
        == "\(list), and its last play was of the same container")
    #expect(
      reason(.upcoming(place: 1, playedCount: 1, playCount: 2))
        == "\(list), and 1 of its last 2 plays was of the same container")
    #expect(
      reason(.messages(sentCount: 1, messageCount: 1, focus: nil)) == "the last message went to this person")
  }

  @Test("R10 Reasons name no situation by its identifier", arguments: RoutineSituation.allCases)
  func situations(_ situation: RoutineSituation) {
    let habit = HabitReasons(
      slotMinute: 510, isDayOff: false, dayCount: 0, doneDayCount: 0, previousCount: 0, followedCount: 0,
      routine: .init(situation, percentage: 80))
    let ahead = SurfaceSuggestion.Reason.relevance(.situationAbsent(situation)).words()
    for text in [habit.words, ahead, situation.words] {
      // No capital within a word.
      let hasCapital = text.contains { $0.isUppercase }
      #expect(!hasCapital, "\(text)")
    }
    guard situation == .headphonesConnected else { return }
    #expect(habit.words == "at the same time after headphones were connected, 80 % of the time")
    #expect(ahead == "it waits for the situation headphones connected")
  }

  private func reason(_ reason: SurfaceSuggestion.Reason) -> String { reason.words() }

  @Test("Extreme numbers do not trap in summaries")
  func extremes() throws {
    for number in [Double.infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -0.0] {
      for gate in Gate.allCases {
        for required in [0, .greatestFiniteMagnitude] {
          let result = GateResult(gate, isPassed: false, measured: number, required: required)
          #expect(!result.summary().isEmpty)
        }
      }
    }
  }
}
