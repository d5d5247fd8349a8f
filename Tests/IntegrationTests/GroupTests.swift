import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import Testing

@Suite("Groups of widgets over sockets", .timeLimit(.minutes(2)))
struct GroupTests {
  private static let bills = valid { try GroupName("bills") }

  /// Publishes a score for a widget of the weather app, in the group.
  private static func publish(_ widget: Widget, score: Double, _ provider: ProviderClient) async throws {
    let entry = Fixture.entry(Fixture.start, score: score, for: .hours(2))
    try await provider.publish([entry], policy: .never, for: widget, group: bills)
  }

  @Test("R15 Operators see the group of a timeline, and the widget that stands for another one, after a restart, too")
  func representative() async throws {
    try await InProcessServer.run { server in
      let members = [Fixture.score, Fixture.forecast, Fixture.rain]
      try await Fixture.build(server.connection(), members: members)
      try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast, Fixture.rain])
      ) { provider in
        try await Self.publish(Fixture.rain, score: 5, provider)
        // Another score of the kind halves the evidence.
        let later = Fixture.entry(Fixture.after(.hours(3)), score: 10)
        let entry = Fixture.entry(Fixture.start, score: 5, for: .hours(2))
        try await provider.publish([entry, later], policy: .never, for: Fixture.forecast, group: Self.bills)
      }
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.hours(1)))
      try await server.restart()
      let admin = server.admin()
      let timeline = try await admin.timeline(of: Fixture.forecast, on: Fixture.device).timeline
      let stack = try await admin.stacks(of: Fixture.device)[0]
      #expect(timeline?.group == Self.bills && stack.frontWidget == Fixture.score)
      let answer = try await admin.whyNot(Fixture.forecast, in: Fixture.stack, on: Fixture.device).whyNot
      #expect(answer.first == .represented(by: Fixture.rain))
      let candidates = try await admin.explanation(of: Fixture.stack, on: Fixture.device).explanation.candidates
      #expect(candidates.first { $0.widget == Fixture.forecast }?.representative == Fixture.rain)
      #expect(candidates.first { $0.widget == Fixture.rain }?.representative == nil)
    }
  }
}
