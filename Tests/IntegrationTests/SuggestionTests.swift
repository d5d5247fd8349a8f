import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Widget Suggestions from relevant shortcuts, observed by a display; the first tests are the examples of WWDC21 10049.
@Suite("Suggestions over sockets", .timeLimit(.minutes(2)))
struct SuggestionTests {
  /// A server with a stack of two widgets, and a display that watches the stack.
  private func run(
    at start: Instant = Fixture.start,
    _ body: (InProcessServer, Stack, inout Watcher) async throws -> Void
  ) async throws {
    try await InProcessServer.run(at: start) { server in
      try await Fixture.build(server.connection())
      var watcher = try await Watcher(server.display())
      let stack = try #require(watcher.screen.stacks[Fixture.stack])
      try await body(server, stack, &watcher)
    }
  }

  /// Waits until the server has set its alarm, and advances the clock to it.
  private func pass(to instant: Instant, on server: InProcessServer) async throws {
    try await server.clock.sleeper(until: instant)
    server.clock.advance(to: instant)
  }

  /// The stack with a suggestion on top.
  private func suggesting(_ widget: Widget, on stack: Stack) -> Stack {
    Stack(
      id: stack.id, family: stack.family, members: [widget] + stack.members, front: 0,
      isSmartRotateOn: stack.isSmartRotateOn, isWidgetSuggestionsOn: stack.isWidgetSuggestionsOn, hasSuggestion: true)
  }

  @Test("R5 Cards with a purchase: suggested as information for the next 1800 s, then removed")
  func purchase() async throws {
    try await run { server, before, watcher in
      let end = Fixture.after(.seconds(1_800))
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let shortcut = Relevance.shortcut(Relevance.amex, [(Fixture.start, end)], role: .information)
      #expect(try await cards.setRelevantShortcuts([shortcut]).isEmpty)
      let shown = try await watcher.nextStack()
      #expect(shown.at == Fixture.start && shown.stack == suggesting(Relevance.amex, on: before))
      try await pass(to: end, on: server)
      let after = try await watcher.nextStack()
      #expect(after.at == end && after.stack == before)
      let listed = try await server.admin().shortcuts(on: Fixture.device).apps
      #expect(listed.map(\.app) == [Relevance.cardsApp] && listed.first?.shortcuts.first?.shortcut == shortcut)
      #expect(listed.first?.shortcuts.first?.windows.map(\.state) == [.ended])
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      #expect(decisions.map(\.kind) == [.suggestion] && decisions.first?.to == Relevance.amex)
    }
  }

  @Test("R10 A display receives a suggestion's reason and decision, and the reason for its removal")
  func reasons() async throws {
    try await run { server, _, watcher in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, [(Fixture.start, nil)])])
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      let reason = try #require(decisions.first).explanation.summary()
      #expect(reason.contains("its app marks it as relevant now"))
      #expect(
        try await watcher.next().suggestion == SuggestionChange(widget: Relevance.amex, decision: 1, reason: reason))
      try await server.display().report(.suggestionDismissed(Fixture.stack), on: Fixture.device)
      #expect(
        try await watcher.next().suggestion
          == SuggestionChange(widget: Relevance.amex, reason: SuggestionRemovalReason.dismissed.description))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      #expect(try await watcher.next().suggestion == nil)
    }
  }

  @Test("R2 Calendar is not in the stack: it is suggested at 9:30 for the meeting at 10")
  func meeting() async throws {
    let (nine, start) = (Fixture.after(.minutes(-41)), Fixture.after(.minutes(-11)))
    let meeting = Fixture.after(.minutes(19))
    try await run(at: nine) { server, before, watcher in
      let calendar = try await Relevance.provider(server.connection(), of: Relevance.calendar)
      try await calendar.setRelevantShortcuts([Relevance.shortcut(Relevance.calendar, [(start, meeting)])])
      try await pass(to: start, on: server)
      let shown = try await watcher.nextStack()
      #expect(shown.at == start && shown.stack == suggesting(Relevance.calendar, on: before))
      try await pass(to: meeting, on: server)
      let after = try await watcher.nextStack()
      #expect(after.at == meeting && after.stack == before)
    }
  }

  @Test("R5 Fitness shows after the workout, and the stack returns to its original state")
  func workout() async throws {
    try await run { server, _, watcher in
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      _ = try await watcher.nextFront()
      let before = try #require(watcher.screen.stacks[Fixture.stack])
      #expect(before.frontWidget == Fixture.score)
      let (start, end) = (Fixture.after(.hours(9)), Fixture.after(.minutes(570)))
      server.clock.advance(to: start)
      let fitness = try await Relevance.provider(server.connection(), of: Relevance.fitness)
      try await fitness.setRelevantShortcuts([Relevance.shortcut(Relevance.fitness, [(start, end)])])
      #expect(try await watcher.nextStack().stack == suggesting(Relevance.fitness, on: before))
      try await pass(to: end, on: server)
      let after = try await watcher.nextStack()
      #expect(after.at == end && after.stack == before)
    }
  }

  @Test("S3 Breaking news in two windows is suggested in each")
  func news() async throws {
    try await run { server, before, watcher in
      let windows = [60, 300].map { (minute: Int64) in
        (start: Fixture.after(.minutes(minute)), end: Optional(Fixture.after(.minutes(minute + 20))))
      }
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, windows)])
      for (start, end) in windows {
        let end = try #require(end)
        try await pass(to: start, on: server)
        let shown = try await watcher.nextStack()
        #expect(shown.at == start && shown.stack == suggesting(Relevance.news, on: before))
        try await pass(to: end, on: server)
        let after = try await watcher.nextStack()
        #expect(after.at == end && after.stack == before)
      }
    }
  }

  @Test("S4 An empty provider list depends on learned habits, and causes a warning")
  func emptyProviders() async throws {
    try await run { server, before, watcher in
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, [])])
      server.clock.advance(to: Fixture.after(.days(1)))
      let answer = try await server.admin().whyNot(Relevance.news, in: Fixture.stack, on: Fixture.device)
      #expect(answer.whyNot.first == .noEvidence(.useNotLearned))
      // The next update is the edit: nothing was suggested before it.
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      #expect(try await watcher.nextStack().stack.members == before.members)
    }
  }

  @Test("S7 A relevant intent is evidence like a shortcut, and is stored in a separate set")
  func relevantIntent() async throws {
    try await run { server, before, watcher in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let intent = RelevantIntent(
        intent: try #require(Relevance.amex.configuration), kind: Relevance.amex.kind.name,
        window: try DateWindow(start: Fixture.start))
      try await cards.setRelevantIntents([intent])
      #expect(try await watcher.nextStack().stack == suggesting(Relevance.amex, on: before))
      try await cards.setRelevantShortcuts([])
      #expect(try await server.admin().stacks(of: Fixture.device) == [suggesting(Relevance.amex, on: before)])
      // An instant is relevant for half an hour.
      let end = Fixture.after(.minutes(30))
      let window = try await server.admin().shortcuts(on: Fixture.device).apps.first?.intents.first?.window
      #expect(window?.end == end && window?.state == .open)
      try await cards.setRelevantIntents([])
      #expect(try await watcher.nextStack().stack == before)
    }
  }
}

extension SuggestionTests {
  /// A server with a suggestion until half an hour after the start, and again from two hours after the start.
  private func runSuggesting(
    _ body: (InProcessServer, ProviderClient, Stack, inout Watcher) async throws -> Void
  ) async throws {
    try await run { server, before, watcher in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let windows = [
        (Fixture.start, Fixture.after(.minutes(30))), (Fixture.after(.hours(2)), Fixture.after(.hours(3))),
      ]
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, windows.map { ($0.0, $0.1) })])
      #expect(try await watcher.nextStack().stack == suggesting(Relevance.amex, on: before))
      try await body(server, cards, before, &watcher)
    }
  }

  @Test("U1 A dismissed suggestion is removed at once, returns in its next window, and permanently lowers engagement")
  func dismissed() async throws {
    try await runSuggesting { server, _, before, watcher in
      try await server.display().report(.suggestionDismissed(Fixture.stack), on: Fixture.device)
      #expect(try await watcher.nextStack().stack == before)
      let second = Fixture.after(.hours(2))
      let worth = { () async throws -> Double? in
        let explanation = try await server.admin().explanation(of: Fixture.stack, on: Fixture.device, at: second)
          .explanation
        return explanation.candidates.first { $0.widget == Relevance.amex }?.signals.first?.strength
      }
      // The prior is 4 good : 1 bad outcomes; one more bad one lowers 4/5 to 4/6.
      let strength = try #require(try await worth())
      #expect((strength - 4.0 / 6 / 0.8).magnitude < 1e-5)
      try await server.restart()
      #expect(try await worth() == strength)
      watcher = try await Watcher(server.display())
      #expect(watcher.screen.stacks[Fixture.stack] == before)
      try await pass(to: second, on: server)
      #expect(try await watcher.nextStack().stack == suggesting(Relevance.amex, on: before))
    }
  }

  @Test("U1 A suggestion that is kept becomes a member, and stays when its window ends")
  func kept() async throws {
    try await runSuggesting { server, _, before, watcher in
      try await server.display().report(.suggestionKept(Fixture.stack), on: Fixture.device)
      let kept = try await watcher.nextStack().stack
      #expect(kept.members == [Relevance.amex] + before.members && !kept.hasSuggestion)
      server.clock.advance(to: Fixture.after(.hours(4)))
      #expect(try await server.admin().stacks(of: Fixture.device).map(\.members) == [kept.members])
    }
  }

  @Test("U1 A blocked widget or app is removed and not suggested until unblocked, also after a restart")
  func blocked() async throws {
    let pairs: [(block: UserReport, allow: UserReport)] = [
      (.widgetSuggestionBlocked(Relevance.amex, true), .widgetSuggestionBlocked(Relevance.amex, false)),
      (.appSuggestionBlocked(Relevance.cardsApp, true), .appSuggestionBlocked(Relevance.cardsApp, false)),
    ]
    for (block, allow) in pairs {
      try await runSuggesting { server, _, before, watcher in
        try await server.display().report(block, on: Fixture.device)
        #expect(try await watcher.nextStack().stack == before)
        try await server.restart()
        server.clock.advance(to: Fixture.after(.hours(2)))
        let answer = try await server.admin().whyNot(Relevance.amex, in: Fixture.stack, on: Fixture.device).whyNot
        guard case .gate(let gate) = answer.first else { throw UnexpectedEvent() }
        #expect(gate.gate == .blocked)
        watcher = try await Watcher(server.display())
        try await server.display().report(allow, on: Fixture.device)
        #expect(try await watcher.nextStack().stack == suggesting(Relevance.amex, on: before))
      }
    }
  }

  @Test("R14 A snoozed widget or app is removed, and suggested again when the snooze ends, also after a restart")
  func snoozed() async throws {
    let end = Fixture.after(.minutes(150))
    for snooze in [
      .widgetSuggestionSnoozed(Relevance.amex, until: end), .appSuggestionSnoozed(Relevance.cardsApp, until: end),
    ] as [UserReport] {
      try await runSuggesting { server, _, before, watcher in
        try await server.display().report(snooze, on: Fixture.device)
        #expect(try await watcher.nextStack().stack == before)
        try await server.restart()
        watcher = try await Watcher(server.display())
        server.clock.advance(to: Fixture.after(.hours(2)))
        let answer = try await server.admin().whyNot(Relevance.amex, in: Fixture.stack, on: Fixture.device).whyNot
        #expect(answer.first?.clears == end)
        try await pass(to: end, on: server)
        let shown = try await watcher.nextStack()
        #expect(shown.at == end && shown.stack == suggesting(Relevance.amex, on: before))
        #expect(try await server.display().blockedSuggestions(on: Fixture.device).blocked.isEmpty)
      }
    }
  }

  @Test("R14 Blocks and snoozes are listed and lifted, also after a restart, and a snooze must end in the future")
  func blockedList() async throws {
    try await run { server, _, _ in
      let end = Fixture.after(.hours(5))
      let display = server.display()
      try await display.report(.widgetSuggestionSnoozed(Fixture.rain, until: end), on: Fixture.device)
      try await display.report(.appSuggestionBlocked(Relevance.cardsApp, true), on: Fixture.device)
      let late = try await callStatus {
        try await display.report(.widgetSuggestionSnoozed(Fixture.rain, until: Fixture.start), on: Fixture.device)
      }
      let reason = "must be after the device's time (it is 0 s before it)"
      #expect(late == RPCStatus(.invalidArgument, field: "widget_suggestion_snoozed.until_ms", reason))
      try await server.restart()
      let restarted = server.display()
      let listed = try await restarted.blockedSuggestions(on: Fixture.device)
      #expect(listed.at == Fixture.start && listed.timeZone == Fixture.berlin)
      let snoozed = BlockedSuggestion(.widget(Fixture.rain), until: end)
      #expect(listed.blocked == [BlockedSuggestion(.app(Relevance.cardsApp)), snoozed])
      #expect(listed.displays.map(\.title) == ["cards", "Rain"])
      try await restarted.report(.appSuggestionBlocked(Relevance.cardsApp, false), on: Fixture.device)
      #expect(try await restarted.blockedSuggestions(on: Fixture.device).blocked == [snoozed])
      try await restarted.report(.widgetSuggestionBlocked(Fixture.rain, false), on: Fixture.device)
      #expect(try await restarted.blockedSuggestions(on: Fixture.device).blocked.isEmpty)
    }
  }

  @Test("R5 A suggestion ends when a new set omits it, the user adds its widget, or the toggle is turned off")
  func withdrawn() async throws {
    try await runSuggesting { server, cards, before, watcher in
      try await cards.setRelevantShortcuts([])
      #expect(try await watcher.nextStack().stack == before)
    }
    try await runSuggesting { server, _, before, watcher in
      try await server.display().report(.homeWidgetAdded(Relevance.amex), on: Fixture.device)
      #expect(try await watcher.next().change == .homeWidgetAdded(Relevance.amex.small))
      #expect(try await watcher.nextStack().stack == before)
    }
    try await runSuggesting { server, _, before, watcher in
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setWidgetSuggestions(false))
      while watcher.screen.stacks[Fixture.stack]?.hasSuggestion == true { _ = try await watcher.nextStack() }
      #expect(watcher.screen.stacks[Fixture.stack]?.members == before.members)
    }
  }

  @Test("U3 A display that connects later shows the suggestion with its entry, like an earlier one")
  func joining() async throws {
    try await run { server, before, watcher in
      try await Relevance.provider(server.connection(), of: Relevance.news).setRelevantShortcuts([])
      var stream = try await ProviderStream(server.connection(), app: Relevance.news.kind.app)
      let entry = Fixture.entry(Fixture.start, "headline")
      _ = try await stream.publish(1, Relevance.news, [entry])
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      let windows: [(start: Instant, end: Instant?)] = [(Fixture.start, Fixture.after(.hours(1)))]
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, windows)])
      #expect(try await watcher.nextStack().stack == suggesting(Relevance.news, on: before))
      #expect(try await watcher.nextEntry() == CurrentEntry(Relevance.news.small, entry))
      #expect(try await Watcher(server.display()).screen == watcher.screen)
    }
  }
}
