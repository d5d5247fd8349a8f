import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Streams of widget events whose providers do not read (rule W7). The widgets have large configurations.
@Suite("Lagging streams of widget events", .timeLimit(.minutes(2)))
struct LaggingEventTests {
  private typealias Responses = MessageStream<WatchWidgetEventsResponse>.AsyncIterator

  /// Runs a server with a stack of the widgets, and a stream that reads nothing but that it is attached.
  private func run(
    backlogSizeMax: Int, _ body: (InProcessServer, inout Responses) async throws -> Void
  ) async throws {
    try await InProcessServer.run({ $0.transport.limits.streamBacklogSizeMax = backlogSizeMax }) { server in
      try await LargeWidgets.register(server.connection())
      for widget in LargeWidgets.all {
        try await server.display().edit(Fixture.stack, on: Fixture.device, .add(widget, at: nil))
      }
      var configuration = ClientConfiguration.eager
      configuration.limits.streamCredit = 16_384
      let connection = RPCClient(server.endpoint, configuration: configuration)
      let request = try WatchWidgetEventsRequest(device: Fixture.device, app: LargeWidgets.app)
      let call = try await connection.serverStreaming(ProviderService.watchWidgetEvents, request)
      defer { call.cancel() }
      var responses = call.responses.makeAsyncIterator()
      #expect(try await responses.nextInTime() == .attached(kindCount: 1))
      try await body(server, &responses)
    }
  }

  private func scroll(_ server: InProcessServer, to index: Int, at seconds: Int64) async throws {
    server.clock.advance(to: Fixture.after(.seconds(seconds)))
    let report = UserReport.scrolled(Fixture.stack, to: LargeWidgets.all[index])
    try await server.display().report(report, on: Fixture.device)
  }

  @Test("W7 While a provider does not read, its events are merged, and the order of each widget's events is kept")
  func merging() async throws {
    try await run(backlogSizeMax: 16_384) { server, responses in
      let last = LargeWidgets.all.count - 1
      for round in 0..<50 as Range<Int64> {
        try await scroll(server, to: last, at: 100 * round + 100)
        try await scroll(server, to: last - 1, at: 100 * round + 110)
      }
      try await server.display().report(.tapped(Fixture.stack, LargeWidgets.all[last]), on: Fixture.device)
      try await server.display().edit(Fixture.stack, on: Fixture.device, .remove(LargeWidgets.all[last]))
      server.clock.advance(to: Fixture.after(.hours(2)))
      var events: [WidgetEvent] = []
      while events.filter({ $0.placement.instance.widget == LargeWidgets.all[last] }).last?.change != .removed {
        guard case .event(let event, on: Fixture.device)? = try await responses.nextInTime() else {
          throw UnexpectedEvent()
        }
        events.append(event)
      }
      let changes = events.filter { $0.placement.instance.widget == LargeWidgets.all[last] }.map(\.change)
      #expect(changes == [.placed, .impressions(count: 50, visibleTime: .seconds(500)), .removed])
      // Nothing is repeated: the initial state, the first widget's end, and the last two widgets.
      #expect(events.count { $0.change == .placed } == LargeWidgets.all.count && events.count < 50)
    }
  }

  @Test("W7 A stream ends when more taps wait than its backlog may have")
  func taps() async throws {
    try await run(backlogSizeMax: 16_384) { server, responses in
      for widget in LargeWidgets.all.prefix(8) {
        try await server.display().report(.tapped(Fixture.stack, widget), on: Fixture.device)
      }
      var status: RPCStatus?
      do {
        while try await responses.nextInTime() != nil {}
      } catch let end as RPCStatus {
        status = end
      }
      #expect(status?.code == .resourceExhausted && status?.message.contains("stream-backlog-size-max") == true)
    }
  }
}
