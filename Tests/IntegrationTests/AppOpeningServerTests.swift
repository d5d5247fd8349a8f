import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Openings of apps reported by a display, learned by a server (rule P8).
@Suite("Openings of apps over sockets", .timeLimit(.minutes(2)))
struct AppOpeningServerTests {
  private static func time(_ day: Int64, _ hour: Int64, _ minute: Int64) -> Instant {
    // The server starts at 9:41 UTC.
    Fixture.start.advanced(by: .minutes((day + 1) * 1_440 - 581 + hour * 60 + minute))
  }

  /// Seven days on which the user opens the news app between 09:10 and 09:14, and another app at varying times.
  private static func live(_ server: InProcessServer) async throws {
    let display = server.display()
    for day in Int64(0)..<7 {
      for (app, hour, minute) in [
        (Relevance.news.kind.app, Int64(9), 10 + day % 5), (Fixture.forecast.kind.app, 11 + day, 7 * day),
      ] {
        server.clock.advance(to: time(day, hour, minute))
        try await display.report(.appOpened(app), on: Fixture.device)
        server.clock.advance(to: time(day, hour, minute + 3))
        try await display.report(.appClosed(app), on: Fixture.device)
      }
    }
  }

  private static func build(_ server: InProcessServer) async throws -> ProviderClient {
    try await Fixture.build(server.connection())
    let news = try await Relevance.provider(server.connection(), of: Relevance.news)
    // Registers the kinds.
    try await news.setRelevantShortcuts([])
    return news
  }

  @Test("P8 S4 An app that donates nothing and is opened every morning is suggested on the eighth")
  func suggested() async throws {
    try await InProcessServer.run { server in
      let news = try await Self.build(server)
      try await Self.live(server)
      try await news.setRelevantShortcuts([Relevance.shortcut(Relevance.news, [])])
      let (before, after) = (Self.time(7, 8, 30), Self.time(7, 9, 20))
      server.clock.advance(to: before)
      #expect(try await server.admin().decisions(on: Fixture.device).decisions.isEmpty)
      server.clock.advance(to: after)
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      #expect(decisions.map(\.kind) == [.suggestion] && decisions.first?.to == Relevance.news, "\(decisions)")
      #expect(decisions.first.map { $0.at >= before && $0.at < after } ?? false)
    }
  }

  @Test("P8 Openings are listed as activities of the app, survive a restart, and are deleted with its donations")
  func stored() async throws {
    try await InProcessServer.run { server in
      _ = try await Self.build(server)
      try await Self.live(server)
      try await server.display().report(.appOpened(try AppID("com.example.unknown")), on: Fixture.device)
      server.clock.advance(to: Self.time(7, 8, 45))
      try await server.restart()
      let app = Relevance.news.kind.app
      let listed = try await server.admin().donations(on: Fixture.device).donations
      #expect(listed.count == 14, "\(listed.map { "\($0.app) \($0.date)" })")
      #expect(listed.filter { $0.app == app }.count == 7)
      let areOpenings = listed.allSatisfy { $0.satisfied.first?.action.isAppOpening ?? false }
      #expect(areOpenings)
      #expect(listed.first { $0.app == app }?.display.title == "Open news")
      let likely = try await server.admin().prediction(on: Fixture.device).actions
      #expect(likely.contains { $0.action.app == app && $0.action.isAppOpening && $0.probability > 0.5 }, "\(likely)")
      _ = try await Habits.provider(server.connection(), app).deleteDonations(.everything)
      let kept = try await server.admin().donations(on: Fixture.device).donations
      #expect(kept.count == 7 && !kept.contains { $0.app == app })
    }
  }
}
