import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Reload requests over sockets", .timeLimit(.minutes(2)))
struct ReloadTests {
  static let app = Fixture.weatherApp
  static let end = Fixture.after(.minutes(30))

  /// A timeline whose last entry begins at ``end``.
  static let entries = [Fixture.entry(Fixture.start), Fixture.entry(end)]

  @Test(
    "T8 A connected provider receives one reload request, when the last entry's date has passed",
    arguments: TestProtocol.duplex)
  func connected(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await provider.publish(1, Fixture.forecast, Self.entries, policy: .atEnd) == .accepted(1))
      server.clock.advance(to: Self.end)
      #expect(
        try await provider.nextReload()
          == ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .atEnd, at: Self.end))
      server.clock.advance(to: Self.end.advanced(by: .days(2)))
      // The response is next on the stream: the reload was requested once.
      #expect(try await provider.publish(2, Fixture.forecast, [Fixture.entry(Self.end)]) == .accepted(2))
    }
  }

  @Test(
    "T8 Policy after requests a reload at its date, before or after the last entry; policy never requests none",
    arguments: TestProtocol.duplex)
  func policies(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.rain])
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      let early = Fixture.after(.minutes(10))
      #expect(try await provider.publish(1, Fixture.forecast, Self.entries, policy: .after(early)) == .accepted(1))
      #expect(try await provider.publish(2, Fixture.rain, Self.entries, policy: .never) == .accepted(2))
      server.clock.advance(to: early)
      #expect(
        try await provider.nextReload()
          == ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .after, at: early))
      let late = Fixture.after(.hours(2))
      #expect(try await provider.publish(3, Fixture.forecast, Self.entries, policy: .after(late)) == .accepted(3))
      server.clock.advance(to: late)
      #expect(
        try await provider.nextReload()
          == ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .after, at: late))
    }
  }

  @Test(
    "T8 A request waits for a provider, is sent once per stream, and to the next stream until it is answered",
    arguments: TestProtocol.duplex)
  func disconnected(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var first = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await first.publish(1, Fixture.forecast, Self.entries, policy: .atEnd) == .accepted(1))
      first.call.finish()
      for try await _ in first.call.responses {}
      server.clock.advance(to: Self.end)
      let request = ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .atEnd, at: Self.end)
      var second = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await second.nextReload() == request)
      var third = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await third.nextReload() == request)
      #expect(try await third.publish(1, Fixture.forecast, [Fixture.entry(Self.end)]) == .accepted(1))
      var fourth = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await fourth.publish(1, Fixture.forecast, [Fixture.entry(Self.end)]) == .accepted(1))
      #expect(try await second.publish(2, Fixture.forecast, [Fixture.entry(Self.end)]) == .accepted(2))
    }
  }

  @Test(
    "T8 A request that became due while the server was down is sent after the restart",
    arguments: TestProtocol.duplex)
  func restart(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await provider.publish(1, Fixture.forecast, Self.entries, policy: .atEnd) == .accepted(1))
      try await server.restart { server.clock.advance(to: Self.end.advanced(by: .hours(1))) }
      let request = ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .atEnd, at: Self.end)
      var second = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await second.nextReload() == request)
      try await server.restart()
      var third = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await third.nextReload() == request)
    }
  }

  @Test(
    "T8 The provider client receives requests across a restart and responds to them",
    arguments: TestProtocol.duplex)
  func client(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let kinds = Fixture.descriptors(of: [Fixture.forecast])
      try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Self.app, kinds: kinds, reconnection: .eager
      ) { provider in
        try await provider.publish(Self.entries, for: Fixture.forecast)
        try await server.restart { server.clock.advance(to: Self.end) }
        // The widget was placed without a timeline, so one was requested first.
        for await request in provider.reloadRequests where request.reason != .placed {
          #expect(request.widget == Fixture.forecast && request.reason == .atEnd)
          try await provider.publish([Fixture.entry(Self.end)], policy: .never, for: request.widget)
          break
        }
      }
      #expect(try await server.dates(of: Fixture.forecast) == [Self.end])
    }
  }

  @Test(
    "T9 A request over budget is delayed by the minimum spacing; the inspection shows until when",
    arguments: TestProtocol.duplex)
  func budget(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      _ = try await provider.publish(1, Fixture.forecast, Self.entries, policy: .atEnd)
      server.clock.advance(to: Self.end)
      _ = try await provider.nextReload()
      let soon = Self.end.advanced(by: .seconds(1))
      _ = try await provider.publish(2, Fixture.forecast, [Fixture.entry(soon)], policy: .atEnd)
      server.clock.advance(to: soon)
      let spaced = Self.end.advanced(by: .minutes(5))
      let member = try await server.admin().inspect(Fixture.stack, on: Fixture.device).members[0]
      #expect(member.reload.phase == .waiting(until: spaced) && member.reload.countedCount == 1)
      server.clock.advance(to: spaced)
      #expect(
        try await provider.nextReload()
          == ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .atEnd, at: spaced))
    }
  }

  @Test(
    "T9 Reloads requested by the user or for the app in use are neither counted nor delayed",
    arguments: TestProtocol.duplex)
  func uncounted(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol, { $0.policy.reloadCountMin = 0 }) { server in
      try await Fixture.build(server.connection())
      let display = server.display()
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      _ = try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)])
      try await display.report(.reload(Fixture.forecast), on: Fixture.device)
      #expect(try await provider.nextReload().reason == .user)
      _ = try await provider.publish(2, Fixture.forecast, [Fixture.entry(Fixture.start)])
      try await display.report(.appOpened(Self.app), on: Fixture.device)
      try await Habits.provider(server.connection(), Self.app, device: Fixture.device).requestReload()
      #expect(try await provider.nextReload().reason == .app)
      let member = try await server.admin().inspect(Fixture.stack, on: Fixture.device).members[0]
      #expect(member.reload.countedCount == 0 && member.reload.budget == 0)
    }
  }

  @Test(
    "A provider receives the placements of its widgets: first all, then those of each changed stack",
    arguments: TestProtocol.duplex)
  func placed(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.score])
      let display = server.display()
      let outside = Fixture.rain
      try await Fixture.register(server.connection(), widgets: [outside])
      try await display.report(.homeWidgetAdded(outside), on: Fixture.device)
      let inStack = PlacedWidget(widget: Fixture.forecast, family: .systemSmall)
      let all = [inStack, PlacedWidget(widget: outside, family: .systemSmall)]
      let app = Habits.provider(server.connection(), Self.app, device: Fixture.device)
      #expect(try await app.listPlacedWidgets() == all)
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      #expect(try await provider.nextPlaced() == all)
      try await display.edit(Fixture.stack, on: Fixture.device, .remove(Fixture.score))
      #expect(try await provider.nextPlaced() == [inStack])
      try await display.edit(Fixture.stack, on: Fixture.device, .remove(Fixture.forecast))
      try await display.edit(Fixture.stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
      #expect(try await provider.nextPlaced() == [inStack])
    }
  }

  @Test(
    "W3 A provider receives the placement of its widgets outside stacks, and nothing about their removal",
    arguments: TestProtocol.duplex)
  func placedOutside(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let display = server.display()
      var provider = try await ProviderStream(server.connection(), app: Self.app)
      for widget in [Fixture.score, Fixture.rain] {
        try await display.report(.homeWidgetAdded(widget), on: Fixture.device)
      }
      #expect(try await provider.nextPlaced() == [PlacedWidget(widget: Fixture.rain, family: .systemSmall)])
      try await display.report(.homeWidgetRemoved(Fixture.rain), on: Fixture.device)
      try await display.report(.homeWidgetAdded(Fixture.forecast), on: Fixture.device)
      #expect(try await provider.nextPlaced() == [PlacedWidget(widget: Fixture.forecast, family: .systemSmall)])
    }
  }
}
