import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("First provider", .timeLimit(.minutes(2)))
struct FirstProviderTests {
  @Test("It publishes a timeline that the display shows, and responds to the reload request")
  func run() async throws {
    try await InProcessServer.run { server in
      let rain = Fixture.widget("Rain", of: Fixture.weatherApp)
      try await Fixture.build(server.connection(), members: [rain])
      var watcher = try await Watcher(server.display())
      let (endpoint, clock) = (server.endpoint, server.clock)
      try await withThrowingTaskGroup { group in
        group.addTask {
          try await provideRain(on: endpoint, to: Fixture.device) { [Fixture.entry(clock.now, "\(clock.now)")] }
        }
        let first = try await watcher.nextEntry()
        #expect(first.entry?.date == Fixture.start)
        // The timeline ends at once, so the server requests the next one as often as the budget allows.
        server.clock.advance(to: Fixture.after(.minutes(5)))
        let second = try await watcher.nextEntry()
        #expect(second.entry?.date == Fixture.after(.minutes(5)))
        group.cancelAll()
      }
    }
  }
}
