import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Groups of widgets over sockets", .timeLimit(.minutes(2)))
struct GroupTests {
  private static let bills = valid { try GroupName("bills") }

  /// Publishes a score for a widget of the weather app, in the group.
  private static func publish(_ widget: Widget, score: Double, _ provider: ProviderClient) async throws {
    let entry = Fixture.entry(Fixture.start, score: score, for: .hours(2))
    try await provider.publish([entry], policy: .never, for: widget, group: bills)
  }

  @Test("R15 A name that begins with kind: is accepted only for widgets of that kind")
  func reserved() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let (automatic, other) = (try GroupName("kind:Forecast"), try GroupName("kind:Other"))
      let reason = "names that begin with 'kind:' are reserved for the group of all widgets of a kind"
      func publish(_ group: GroupName) async throws -> RPCStatus? {
        let request = try PublishTimelineRequest(
          device: Fixture.device, app: Fixture.weatherApp, widget: Fixture.forecast,
          entries: [Fixture.entry(Fixture.start)], group: group)
        let connection = server.connection()
        return try await callStatus { _ = try await connection.unary(ProviderService.publishTimeline, request) }
      }
      let refused = try await publish(other)
      #expect(refused?.code == .invalidArgument && refused?.message == "group: \(reason)")
      let accepted = try await publish(automatic)
      #expect(accepted == nil)
      let provider = try ProviderClient(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast]))
      let windows = [RelevanceProvider.date(try DateWindow(start: Fixture.start, end: nil))]
      let shortcut = try RelevantShortcut(
        kind: Fixture.forecast.kind.name, intent: nil, role: .action, providers: windows, group: other)
      let set = try await callStatus { try await provider.setRelevantShortcuts([shortcut]) }
      #expect(set?.code == .invalidArgument && set?.message == "shortcuts[0].group: \(reason)")
    }
  }

  @Test("X1 A name or title for people is not blank")
  func blank() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let (connection, app) = (server.connection(), Fixture.weatherApp)
      let kind = try WidgetDescriptor(kind: Fixture.forecast.kind, displayName: " \n", families: [.systemSmall])
      let kinds = try await callStatus {
        _ = try await connection.unary(
          ProviderService.registerKinds, RegisterKindsRequest(device: Fixture.device, app: app, kinds: [kind]))
      }
      #expect(kinds?.code == .invalidArgument && kinds?.message == "kinds[0].display_name: must not be blank")
      let type = try IntentTypeDescriptor(
        app: app, type: IntentType("Show"), parameters: [], combinations: [], title: "  ")
      let types = try await callStatus {
        _ = try await connection.unary(
          ProviderService.registerIntentTypes,
          RegisterIntentTypesRequest(device: Fixture.device, app: app, intentTypes: [type]))
      }
      #expect(types?.code == .invalidArgument && types?.message == "intent_types[0].title: must not be blank")
    }
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
