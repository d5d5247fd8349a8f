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
    try await TestServer.run { server in
      try await Home.build(server.connection())
      var watcher = try await Watcher(server.display())
      let admin = server.admin()
      let ask = { (at: Instant?) in
        try await admin.whyNot(Home.score, in: Home.stack, on: Home.device, at: at)
      }
      var provider = try await ProviderStream(server.connection(), app: Home.sportApp)
      let kickOff = Home.after(.minutes(20))
      _ = try await provider.publish(1, Home.score, [Home.entry(kickOff, "0:0", score: 5)])
      try await server.display().report(.tapped(Home.stack, Home.forecast), on: Home.device)
      let now = try await ask(nil)
      #expect(now.timeZone == Home.berlin && now.whyNot.at == Home.start)
      #expect(now.whyNot.widget == Home.score && now.whyNot.stack == Home.stack)
      #expect(now.whyNot.first == .noEvidence(.scoreAhead(kickOff)))
      #expect(now.whyNot.first?.clears == kickOff)
      // The user has touched the stack: the hold is the next obstacle.
      let hold = now.whyNot.obstacles.compactMap { if case .gate(let gate) = $0 { gate } else { nil } }
      #expect(hold.map(\.gate) == [.hold] && hold.first?.clears == Home.after(.minutes(15)))
      #expect(now.whyNot.summary { _ in "then" } == "Score: its first score comes with the then entry")
      #expect(try await ask(kickOff).whyNot.obstacles.isEmpty)
      let later = try await ask(Home.after(.hours(1))).whyNot
      #expect(later.obstacles.isEmpty)
      server.clock.advance(to: kickOff)
      _ = try await watcher.nextEntry()
      #expect(try await watcher.nextFront().change.widget == Home.score)
      #expect(try await ask(nil).whyNot.obstacles.isEmpty)
      #expect(try await ask(Home.start).whyNot == now.whyNot)
      let before = try await callStatus { _ = try await ask(Home.after(.hours(-1))) }
      #expect(before?.code == .notFound && before?.message.hasPrefix("at: ") == true)
    }
  }

  @Test("R10 A past score and the following obstacles are reported with their instants")
  func ended() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      try await server.display().edit(Home.stack, on: Home.device, .setSmartRotate(false))
      var provider = try await ProviderStream(server.connection(), app: Home.sportApp)
      _ = try await provider.publish(1, Home.score, [Home.entry(Home.start, score: 5, for: .minutes(30))])
      let end = Home.after(.minutes(30))
      server.clock.advance(to: Home.after(.hours(1)))
      let answer = try await server.admin().whyNot(Home.score, in: Home.stack, on: Home.device).whyNot
      #expect(answer.first == .noEvidence(.scoreEnded(entry: Home.start, end: end)))
      #expect(answer.obstacles.count == 2)
      guard case .gate(let gate) = answer.obstacles.last else { throw UnexpectedEvent() }
      #expect(gate.gate == .smartRotate && !gate.isPassed)
    }
  }

  @Test("R10 A stack's explanation includes the suggestion candidate and its blocking gate")
  func suggestions() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let admin = server.admin()
      let nothing = try await admin.explanation(of: Home.stack, on: Home.device).suggestions
      #expect(nothing.candidates.isEmpty && nothing.suggestionSummary().hasPrefix("nothing to suggest"))
      try await server.display().edit(Home.stack, on: Home.device, .setWidgetSuggestions(false))
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      let windows: [(start: Instant, end: Instant?)] = [(Home.after(.hours(1)), Home.after(.hours(2)))]
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, windows)])
      let open = Home.after(.minutes(90))
      let answer = try await admin.explanation(of: Home.stack, on: Home.device, at: open)
      #expect(answer.explanation.candidates.map(\.widget) == [Home.forecast, Home.score])
      #expect(answer.suggestions.candidates.map(\.widget) == [Relevance.news])
      #expect(answer.suggestions.candidates.first?.gates.first { !$0.isPassed }?.gate == .widgetSuggestions)
      #expect(answer.suggestions.suggestionSummary() == "nothing is suggested; Headlines: Widget Suggestions is off")
    }
  }

  @Test("Unknown objects are NOT_FOUND with the path of the field")
  func notFound() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let admin = server.admin()
      let unknown = Home.widget("Unknown", of: Home.weatherApp)
      let calls: [(String, () async throws -> Void)] = [
        ("widget.kind", { _ = try await admin.whyNot(unknown, in: Home.stack, on: Home.device) }),
        ("stack", { _ = try await admin.whyNot(Home.score, in: StackID("nowhere"), on: Home.device) }),
        ("device", { _ = try await admin.whyNot(Home.score, in: Home.stack, on: Home.otherDevice) }),
        ("device", { _ = try await admin.shortcuts(on: Home.otherDevice) }),
        ("device", { _ = try await admin.policy(on: Home.otherDevice) }),
        ("device", { _ = try await admin.setPolicy(reset: ["dwell"], on: Home.otherDevice) }),
        ("device", { for try await _ in admin.record(Home.otherDevice) {} }),
      ]
      for (index, (field, call)) in calls.enumerated() {
        let end = try await callStatus(call)
        #expect(end?.code == .notFound && end?.message.hasPrefix("\(field): ") == true, "call \(index): \(end as Any)")
      }
    }
  }
}
