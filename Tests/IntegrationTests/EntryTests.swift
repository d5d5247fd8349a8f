import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Testing

@Suite("Expiry and privacy of entries over sockets", .timeLimit(.minutes(2)))
struct EntryTests {
  /// Watches with responses of arbitrary bytes.
  private static let watch = RPCMethod<WatchRequest, [UInt8]>(
    path: DisplayService.watch.path, kind: .serverStreaming, request: DisplayService.watch.request, response: .bytes,
    requestSizeMax: DisplayService.requestSizeMax, responseSizeMax: DisplayService.updateSizeMax)

  private static let secret = "Qx7Vantablack"

  private static func text(_ text: String) -> EntryContent {
    valid { try EntryContent(mediaType: "text/plain", bytes: Array(text.utf8)) }
  }

  private static func secretEntry(
    _ date: Instant, redacted: EntryContent? = text("hidden"), expiry: Instant? = nil
  ) throws -> TimelineEntry {
    let details = EntryDetails(
      expiry: expiry, sensitivity: .isPrivate(redacted), link: try EntryLink("cards:\(secret)"))
    return try TimelineEntry(date: date, content: text(secret), details: details)
  }

  private static func publish(
    _ server: InProcessServer, _ widget: Widget, _ entries: [TimelineEntry], fallback: EntryContent? = nil
  ) async throws {
    _ = try await ProviderClient.run(
      server.connection(), device: Fixture.device, app: widget.kind.app, kinds: Fixture.descriptors(of: [widget])
    ) { provider in try await provider.publish(entries, policy: .never, for: widget, fallback: fallback) }
  }

  @Test("W4 A display shows the entry, then the fallback or that it is stale, and then the next entry")
  func expiry() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let (expiry, next) = (Fixture.after(.minutes(10)), Fixture.after(.minutes(20)))
      let entry = try TimelineEntry(
        date: Fixture.start, content: Self.text("now"), details: EntryDetails(expiry: expiry))
      let later = TimelineEntry(date: next, content: Self.text("later"))
      try await Self.publish(server, Fixture.forecast, [entry, later], fallback: Self.text("soon"))
      try await Self.publish(server, Fixture.score, [entry])
      var watcher = try await Watcher(server.display())
      #expect(watcher.screen.entries == [Fixture.forecast.small: entry, Fixture.score.small: entry])
      server.clock.advance(to: expiry)
      #expect(
        try await watcher.nextEntry() == CurrentEntry(Fixture.forecast.small, entry.fallenBack(to: Self.text("soon"))))
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.score.small, entry, isStale: true))
      #expect(try await Watcher(server.display()).screen == watcher.screen)
      try await server.restart()
      guard case .state(let state) = try await watcher.next().change else { throw UnexpectedEvent() }
      #expect(state.entries.map(\.isStale) == [false, true])
      server.clock.advance(to: next)
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.forecast.small, later))
    }
  }

  @Test("W5 A locked or shared screen receives no byte of private entries, in stacks and outside, now and later")
  func privacy() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await Fixture.register(server.connection(), widgets: [Fixture.rain])
      try await server.display().report(.homeWidgetAdded(Fixture.rain), on: Fixture.device)
      for widget in [Fixture.forecast, Fixture.rain] {
        let soon = try Self.secretEntry(Fixture.after(.minutes(1)), redacted: nil, expiry: Fixture.after(.minutes(2)))
        try await Self.publish(server, widget, [try Self.secretEntry(Fixture.start), soon])
      }
      var open = try await Watcher(server.display())
      let connection = server.connection()
      var (iterators, updates): ([MessageStream<[UInt8]>.AsyncIterator], [[UInt8]]) = ([], [])
      for screen in [ScreenState.locked, .shared] {
        let request = try WatchRequest(device: Fixture.device, screen: screen)
        var iterator = try await connection.serverStreaming(Self.watch, request).responses.makeAsyncIterator()
        updates.append(try #require(try await iterator.next()))
        iterators.append(iterator)
      }
      for minute in 1...2 { server.clock.advance(to: Fixture.after(.minutes(Int64(minute)))) }
      try await Self.publish(server, Fixture.forecast, [try Self.secretEntry(Fixture.start)])
      try await server.display().edit(Fixture.stack, on: Fixture.device, .remove(Fixture.forecast))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
      // Two new entries, two expiries, a publication, two states of the stack, and the entry of the added widget.
      for _ in 0..<8 {
        _ = try await open.next()
        for index in iterators.indices { updates.append(try #require(try await iterators[index].next())) }
      }
      // The label of the added widget precedes its stack.
      for index in iterators.indices { updates.append(try #require(try await iterators[index].next())) }
      #expect(updates.count == 20 && updates.allSatisfy { !Data($0).contains(Self.secret) })
      #expect(updates.count { Data($0).contains("hidden") } == 6)
      #expect(open.screen.entries[Fixture.forecast.small]?.content == Self.text(Self.secret))
      #expect(open.screen.entries[Fixture.forecast.small]?.details.link?.text == "cards:\(Self.secret)")
    }
  }

  @Test("W5 A display that watches again for another state of its screen receives the other form")
  func unlocking() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let entry = try Self.secretEntry(Fixture.start)
      try await Self.publish(server, Fixture.forecast, [entry])
      for screen in [ScreenState.locked, .unlocked, .shared] {
        var updates = try server.display().watch(Fixture.device, on: screen).makeAsyncIterator()
        guard case .state(let state) = try await updates.next()?.change else { throw UnexpectedEvent() }
        #expect(state.entries == [CurrentEntry(Fixture.forecast.small, entry).on(screen)])
      }
    }
  }

  @Test("W4 entry and inspect do not mention an expiry at which the next entry is current")
  func replacedInTime() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let entry = try Self.secretEntry(Fixture.start, expiry: Fixture.after(.minutes(10)))
      try await Self.publish(server, Fixture.forecast, [entry, Fixture.entry(Fixture.after(.minutes(5)), "next")])
      #expect(try await marquee("entry", "Forecast")[1] == "Current since 11:41:00, until 11:46:00.")
      #expect(try await marquee("inspect", "home").contains { $0.contains("1/2, private") })
    }
  }

  @Test("W4 W5 entry, timeline, inspect and explain show expiry, privacy and the link")
  func commands() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let entry = try Self.secretEntry(Fixture.start, expiry: Fixture.after(.minutes(10)))
      try await Self.publish(server, Fixture.forecast, [entry], fallback: Self.text("soon"))
      let before = try await marquee("entry", "Forecast")
      #expect(
        before.dropFirst() == [
          "Current since 11:41:00, until replaced; expires at 11:51:00.", "No relevance.",
          "Content: 13 bytes of text/plain",
          "Private: locked and shared screens show 6 bytes of text/plain.", "Link: cards:\(Self.secret)",
          "Fallback: 4 bytes of text/plain", Self.secret,
        ])
      server.clock.advance(to: Fixture.after(.minutes(10)))
      let after = try await marquee("entry", "Forecast")
      #expect(after[1] == "Current since 11:41:00, until replaced; expired at 11:51:00, and the fallback is shown.")
      #expect(after.last == "soon")
      let document = try await marquee.json("entry", "Forecast")
      #expect(document["expired"].flag == true && document["fallback"]["content"].text == "soon")
      #expect(document["entry"]["private"].flag == true && document["entry"]["content"].text == Self.secret)
      #expect(document["entry"]["redacted"]["content"].text == "hidden")
      #expect(document["entry"]["expiry"].text == "2021-06-07T11:51:00+02:00")
      let chart = try await marquee("timeline", "Forecast")
      #expect(chart.contains("The current entry expired at 11:51:00: nothing counts until the next one."))
      #expect(try await marquee("inspect", "home").contains { $0.contains("1/1, expired at 11:51:00, private") })
      // Its front has no evidence: nothing else has any, and the stack stays.
      let members = try await marquee.json("explain", "home")["candidates"].list
      let forecast = try #require(members.first { $0["widget"].text == "com.example.weather/Forecast" })
      #expect(forecast["expiry"].text == "2021-06-07T11:51:00+02:00" && forecast["evidence"].number == 0)
    }
  }

  @Test("T10 W4 W5 publish gives all entries an expiry, a fallback, a redacted form and a link")
  func publishing() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = try server.directory.write("date,score\n2021-06-07T11:41,1\n", to: "feed.csv")
      let arguments = ["publish", "csv", file, "--widget", "com.example.weather/Forecast"]
      let process = try marquee.start(
        arguments + [
          "--expires", "45m", "--fallback", "later", "--private", "--redacted", "hidden", "--link", "cards:amex",
        ])
      defer { process.send(signal: SIGKILL) }
      _ = try await process.log.line(with: "published")
      let document = try await marquee.json("entry", "Forecast")
      #expect(document["entry"]["expiry"].text == "2021-06-07T12:26:00+02:00")
      #expect(document["entry"]["redacted"]["content"].text == "hidden" && document["entry"]["private"].flag == true)
      #expect(document["entry"]["link"].text == "cards:amex" && document["fallback"]["content"].text == "later")
      let wrong = try await marquee.run(arguments + ["--redacted", "hidden"])
      #expect(wrong.exit == .code(64) && wrong.errors.contains("--redacted requires --private"), "\(wrong.errors)")
    }
  }
}

extension EntryTests {
  @Test("T10 publish sends cards, which entry and watch show as text")
  func cards() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let watching = try marquee.start(["watch", "home"])
      defer { watching.send(signal: SIGKILL) }
      _ = try await watching.log.line(with: "shows com.example.weather/Forecast")
      let file = try server.directory.write("date,score,title,stop\n2021-06-07T11:41,1,Bus 100,Zoo\n", to: "feed.csv")
      let process = try marquee.start(
        ["publish", "csv", file, "--widget", "com.example.weather/Forecast", "--cards"])
      defer { process.send(signal: SIGKILL) }
      _ = try await process.log.line(with: "published")
      #expect(try await marquee("entry", "Forecast").suffix(2) == ["Bus 100", "stop  Zoo"])
      let document = try await marquee.json("entry", "Forecast")
      #expect(document["entry"]["card_text"].text == "Bus 100\nstop  Zoo")
      #expect(document["entry"]["content"].text?.contains("AdaptiveCard") == true)
      #expect(try await watching.log.line(with: "its entry").hasSuffix(": Bus 100 · stop Zoo"))
    }
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
