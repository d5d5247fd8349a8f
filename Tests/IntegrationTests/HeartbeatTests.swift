import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Heartbeats over sockets", .timeLimit(.minutes(2)))
struct HeartbeatTests {
  private static let (device, app) = (Fixture.device, Fixture.weatherApp)
  private static let second = valid { try HeartbeatInterval(.seconds(1)) }

  private func run(
    over callProtocol: TestProtocol, _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  @Test(
    "Each watch sends a heartbeat after the requested silence, again after the next, and then its changes",
    arguments: TestProtocol.allCases)
  func watches(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var display = try await WatchedCall(
        connection, DisplayService.watch, try WatchRequest(device: Self.device, heartbeat: Self.second))
      var surface = try await WatchedCall(
        connection, DisplayService.watchSurface,
        WatchSurfaceRequest(device: Self.device, surface: .lockScreen, heartbeat: Self.second))
      var widgetEvents = try await WatchedCall(
        connection, ProviderService.watchWidgetEvents,
        try WatchWidgetEventsRequest(device: Self.device, app: Fixture.sportApp, heartbeat: Self.second))
      var reloads = try await WatchedCall(
        connection, ProviderService.watchReloads,
        WatchReloadsRequest(device: Self.device, app: Self.app, heartbeat: Self.second))
      var queries = try await WatchedCall(
        connection, ProviderService.watchQueries,
        WatchQueriesRequest(device: Self.device, app: Self.app, heartbeat: Self.second))
      guard case .state = try await display.next().change else { throw UnexpectedEvent() }
      let list = try await surface.next()
      #expect(!list.isHeartbeat)
      #expect(try await widgetEvents.next() == .attached(kindCount: 1))
      #expect(try await reloads.next() == .attached(.english))
      guard case .attached(_?) = try await queries.next() else { throw UnexpectedEvent() }
      for _ in 1...2 {
        #expect(try await display.next() == DisplayUpdate(at: Fixture.start, .heartbeat))
        let unchanged = WatchSurfaceResponse(
          at: Fixture.start, suggestions: [], timeZone: Fixture.berlin, isHeartbeat: true)
        #expect(try await surface.next() == unchanged)
        while try await widgetEvents.next() != .heartbeat {}
        while try await reloads.next() != .heartbeat {}
        #expect(try await queries.next() == .heartbeat)
      }
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.score), on: Self.device)
      var change = try await display.next().change
      while change == .heartbeat { change = try await display.next().change }
      guard case .front(let front) = change else { throw UnexpectedEvent() }
      #expect(front.widget == Fixture.score)
    }
  }

  @Test(
    "A provider's stream has heartbeats if the message that attaches it requests them",
    arguments: TestProtocol.duplex)
  func providers(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var stream = try await ProviderStream(connection, app: Self.app, heartbeat: Self.second)
      var silent = try await ProviderStream(connection, app: Fixture.sportApp)
      for _ in 1...2 { #expect(try await stream.next() == .heartbeat) }
      #expect(
        try await stream.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(1))
      let german = try LanguageTag("de")
      try await server.display().registerDevice(Self.device, timeZone: Fixture.berlin, language: german)
      #expect(try await silent.next() == .language(german))
    }
  }

  @Test(
    "A run sends heartbeats while the app works, and none after the outcome; without a request, there are none",
    arguments: TestProtocol.allCases)
  func runs(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var provider = try await QueryProvider(server.duplexConnection())
      let invocation = IntentInvocation(try Intent(type: IntentType("Order")))
      let request = RunIntentRequest(
        device: Self.device, app: Self.app, invocation: invocation, heartbeat: Self.second)
      var silent = request
      silent.heartbeat = .none
      var quiet = try await WatchedCall(connection, DisplayService.runIntent, silent)
      let other = try await provider.nextQuery().number
      var run = try await WatchedCall(connection, DisplayService.runIntent, request)
      let number = try await provider.nextQuery().number
      guard case .begun = try await run.next(), case .begun = try await quiet.next() else { throw UnexpectedEvent() }
      for _ in 1...2 { #expect(try await run.next() == .heartbeat) }
      for query in [number, other] {
        try await provider.call.send(.response(query, .outcome(IntentOutcome(dialog: "done"))))
      }
      #expect(try await run.next() == .outcome(IntentOutcome(dialog: "done")))
      await #expect(throws: UnexpectedEvent.self) { _ = try await run.next() }
      #expect(try await quiet.next() == .outcome(IntentOutcome(dialog: "done")))
    }
  }
}
