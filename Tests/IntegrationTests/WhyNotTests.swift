import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("why-not over sockets", .timeLimit(.minutes(2)))
struct WhyNotTests {
  @Test("R10 why-not explains the past, the present and the future, in numbers and in words")
  func times() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var watcher = try await Watcher(server.display())
      let admin = server.admin()
      let ask = { (at: Instant?) in
        try await admin.whyNot(Fixture.score, in: Fixture.stack, on: Fixture.device, at: at)
      }
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let kickOff = Fixture.after(.minutes(20))
      _ = try await provider.publish(1, Fixture.score, [Fixture.entry(kickOff, "0:0", score: 5)])
      try await server.display().report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      let now = try await ask(nil)
      #expect(now.timeZone == Fixture.berlin && now.whyNot.at == Fixture.start)
      #expect(now.whyNot.widget == Fixture.score && now.whyNot.stack == Fixture.stack)
      #expect(now.whyNot.first == .noEvidence(.scoreAhead(kickOff)))
      #expect(now.whyNot.first?.clears == kickOff)
      // The user has touched the stack: the hold is the next obstacle.
      let hold = now.whyNot.obstacles.compactMap { if case .gate(let gate) = $0 { gate } else { nil } }
      #expect(hold.map(\.gate) == [.hold] && hold.first?.clears == Fixture.after(.minutes(15)))
      #expect(now.whyNot.summary { _ in "then" } == "Score: its next positive score comes with the then entry")
      #expect(try await ask(kickOff).whyNot.obstacles.isEmpty)
      let later = try await ask(Fixture.after(.hours(1))).whyNot
      #expect(later.obstacles.isEmpty)
      server.clock.advance(to: kickOff)
      _ = try await watcher.nextEntry()
      #expect(try await watcher.nextFront().change.widget == Fixture.score)
      #expect(try await ask(nil).whyNot.obstacles.isEmpty)
      #expect(try await ask(Fixture.start).whyNot == now.whyNot)
      let before = try await callStatus { _ = try await ask(Fixture.after(.hours(-1))) }
      #expect(before?.code == .notFound && before?.message.hasPrefix("at: ") == true)
    }
  }

  @Test("R10 Before, between and after scores of zero or less, the next positive score is reported, which clears it")
  func nextPositive() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let (low, high) = (Fixture.after(.minutes(30)), Fixture.after(.minutes(60)))
      _ = try await provider.publish(
        1, Fixture.score,
        [
          Fixture.entry(Fixture.start, score: 0), Fixture.entry(low, score: -5, for: .minutes(10)),
          Fixture.entry(high, score: 7, for: .minutes(10)),
        ])
      for minute in [1, 35, 45] {
        let at = Fixture.after(.minutes(Int64(minute)))
        let answer = try await server.admin().whyNot(Fixture.score, in: Fixture.stack, on: Fixture.device, at: at)
        #expect(answer.whyNot.first == .noEvidence(.scoreAhead(high)) && answer.whyNot.first?.clears == high)
      }
      let (end, past) = (Fixture.after(.minutes(70)), Fixture.after(.minutes(80)))
      let ended = try await server.admin().whyNot(Fixture.score, in: Fixture.stack, on: Fixture.device, at: past)
      #expect(ended.whyNot.first == .noEvidence(.scoreEnded(entry: high, end: end)))
      #expect(ended.whyNot.first?.clears == nil)
    }
  }

  @Test("R10 A negative score is not reported any longer once its window has ended")
  func endedNegative() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await provider.publish(1, Fixture.score, [Fixture.entry(Fixture.start, score: -5, for: .minutes(10))])
      let gaps: [(Int64, EvidenceGap)] = [
        (5, .scoreNotPositive(-5, entry: Fixture.start)),
        (20, .scoreEnded(entry: Fixture.start, end: Fixture.after(.minutes(10)))),
      ]
      for (minute, gap) in gaps {
        let at = Fixture.after(.minutes(minute))
        let answer = try await server.admin().whyNot(Fixture.score, in: Fixture.stack, on: Fixture.device, at: at)
        #expect(answer.whyNot.first == .noEvidence(gap))
      }
    }
  }

  @Test("R10 A past score and the following obstacles are reported with their instants")
  func ended() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await provider.publish(1, Fixture.score, [Fixture.entry(Fixture.start, score: 5, for: .minutes(30))])
      let end = Fixture.after(.minutes(30))
      server.clock.advance(to: Fixture.after(.hours(1)))
      let answer = try await server.admin().whyNot(Fixture.score, in: Fixture.stack, on: Fixture.device).whyNot
      #expect(answer.first == .noEvidence(.scoreEnded(entry: Fixture.start, end: end)))
      #expect(answer.obstacles.count == 2)
      guard case .gate(let gate) = answer.obstacles.last else { throw UnexpectedEvent() }
      #expect(gate.gate == .smartRotate && !gate.isPassed)
    }
  }

  @Test("R10 A stack's explanation includes the suggestion candidate and its blocking gate")
  func suggestions() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      let nothing = try await admin.explanation(of: Fixture.stack, on: Fixture.device).suggestions
      #expect(nothing.candidates.isEmpty && nothing.suggestionSummary().hasPrefix("nothing to suggest"))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setWidgetSuggestions(false))
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      let windows: [(start: Instant, end: Instant?)] = [(Fixture.after(.hours(1)), Fixture.after(.hours(2)))]
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, windows)])
      let open = Fixture.after(.minutes(90))
      let answer = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: open)
      #expect(answer.explanation.candidates.map(\.widget) == [Fixture.forecast, Fixture.score])
      #expect(answer.suggestions.candidates.map(\.widget) == [Relevance.news])
      #expect(answer.suggestions.candidates.first?.gates.first { !$0.isPassed }?.gate == .widgetSuggestions)
      #expect(answer.suggestions.suggestionSummary() == "Headlines is not suggested: Widget Suggestions is off")
    }
  }

  @Test("Unknown objects are NOT_FOUND with the path of the field")
  func notFound() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      let unknown = Fixture.widget("Unknown", of: Fixture.weatherApp)
      let calls: [(String, () async throws -> Void)] = [
        ("widget.kind", { _ = try await admin.whyNot(unknown, in: Fixture.stack, on: Fixture.device) }),
        ("stack", { _ = try await admin.whyNot(Fixture.score, in: StackID("nowhere"), on: Fixture.device) }),
        ("device", { _ = try await admin.whyNot(Fixture.score, in: Fixture.stack, on: Fixture.otherDevice) }),
        ("device", { _ = try await admin.shortcuts(on: Fixture.otherDevice) }),
        ("device", { _ = try await admin.policy(on: Fixture.otherDevice) }),
        ("device", { _ = try await admin.setPolicy(reset: ["dwell"], on: Fixture.otherDevice) }),
        ("device", { for try await _ in admin.history(of: Fixture.otherDevice) {} }),
      ]
      for (index, (field, call)) in calls.enumerated() {
        let end = try await callStatus(call)
        #expect(end?.code == .notFound && end?.message.hasPrefix("\(field): ") == true, "call \(index): \(end as Any)")
      }
    }
  }
}
