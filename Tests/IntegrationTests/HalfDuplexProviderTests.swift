import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// A provider that sends no stream: it watches for reload requests and queries, and responds by unary calls.
@Suite("Providers without bidirectional streams", .timeLimit(.minutes(2)))
struct HalfDuplexProviderTests {
  private static let (device, app) = (Fixture.device, Fixture.weatherApp)
  private static let early = [Fixture.entry(Fixture.start), Fixture.entry(Fixture.after(.minutes(30)))]
  private static let late = [Fixture.entry(Fixture.after(.hours(1)), "late")]

  private func run(
    over callProtocol: TestProtocol, _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  private func publish(
    _ connection: RPCClient, _ entries: [TimelineEntry], for widget: Widget = Fixture.forecast,
    policy: TimelineReloadPolicy? = nil
  ) async throws -> PublishTimelineResponse {
    let request = try PublishTimelineRequest(
      device: Self.device, app: widget.kind.app, widget: widget, policy: policy, entries: entries)
    return try await connection.unary(ProviderService.publishTimeline, request)
  }

  @Test(
    "T8 A stream of reload requests starts with the placed widgets, and a unary publication answers a request",
    arguments: TestProtocol.allCases)
  func reloads(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var watch = try await WatchedCall(
        connection, ProviderService.watchReloads, WatchReloadsRequest(device: Self.device, app: Self.app))
      #expect(try await watch.next() == .attached(.english))
      #expect(try await watch.next() == .placed([PlacedWidget(widget: Fixture.forecast, family: .systemSmall)]))
      guard case .reload(let first) = try await watch.next() else { throw UnexpectedEvent() }
      #expect(first.widget == Fixture.forecast && first.reason == .placed)
      _ = try await publish(connection, Self.early, policy: .atEnd)
      #expect(try await server.dates(of: Fixture.forecast) == Self.early.map(\.date))
      server.clock.advance(to: Fixture.after(.minutes(30)))
      let second = ReloadRequest(
        widget: Fixture.forecast, family: .systemSmall, reason: .atEnd, at: Fixture.after(.minutes(30)))
      #expect(try await watch.next() == .reload(second))
      _ = try await publish(connection, Self.late, policy: .never)
      let german = try LanguageTag("de")
      try await server.display().registerDevice(Self.device, timeZone: Fixture.berlin, language: german)
      #expect(try await watch.next() == .language(german))
    }
  }

  @Test("T8 Reload requests are sent to the stream that attached last, of either form", arguments: TestProtocol.duplex)
  func lastStream(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      let request = WatchReloadsRequest(device: Self.device, app: Self.app)
      var watch = try await WatchedCall(connection, ProviderService.watchReloads, request)
      #expect(try await watch.next() == .attached(.english))
      var stream = try await ProviderStream(connection, app: Self.app)
      #expect(try await stream.publish(1, Fixture.forecast, Self.early, policy: .atEnd) == .accepted(1))
      server.clock.advance(to: Fixture.after(.minutes(30)))
      #expect(try await stream.nextReload().reason == .atEnd)
      var last = try await WatchedCall(connection, ProviderService.watchReloads, request)
      #expect(try await last.next() == .attached(.english))
      guard case .placed = try await last.next(), case .reload(let open) = try await last.next() else {
        throw UnexpectedEvent()
      }
      #expect(open.reason == .atEnd)
      _ = try await publish(connection, Self.late)
      _ = try await server.display().report(.reload(Fixture.forecast), on: Self.device)
      guard case .reload(let user) = try await last.next() else { throw UnexpectedEvent() }
      #expect(user.reason == .user)
      // The stream before the last one takes its place, and not the first one.
      last.call.cancel()
      #expect(try await stream.nextReload() == user)
    }
  }

  @Test(
    "T1 A unary publication is stored, linted and rejected like one on a stream, and then changes nothing",
    arguments: TestProtocol.duplex)
  func publications(over callProtocol: TestProtocol) async throws {
    let change: @Sendable (inout MarqueeConfiguration) -> Void = { $0.limits.entryCountMax = 2 }
    try await InProcessServer.run(over: callProtocol, change) { server in
      try await Fixture.build(server.connection())
      let connection = server.connection()
      let unsorted = [Self.early[1], Self.early[0]]
      let warnings = try await publish(connection, unsorted).warnings
      let unary = try await server.admin().timeline(of: Fixture.forecast, on: Self.device).timeline
      let call = try await connection.bidirectional(ProviderService.provide)
      var events = call.responses.makeAsyncIterator()
      /// Publishes on the stream and returns the response.
      func publishOnStream(_ number: UInt64, _ widget: Widget, _ entries: [TimelineEntry]) async throws
        -> ProviderEvent
      {
        let id = try ProviderStream.id(number)
        try await call.send(.timeline(TimelinePart(publish: id, widget: widget, entries: entries, isCommit: true)))
        while let event = try await events.nextInTime() {
          switch event {
          case .accepted, .rejected: return event
          default: continue
          }
        }
        throw UnexpectedEvent()
      }
      try await call.send(.attach(Self.device, Self.app))
      let accepted = try await publishOnStream(1, Fixture.forecast, unsorted)
      #expect(accepted == .accepted(try ProviderStream.id(1), warnings: warnings) && !warnings.isEmpty)
      #expect(try await server.admin().timeline(of: Fixture.forecast, on: Self.device).timeline == unary)
      let unknown = Fixture.widget("Unknown", of: Self.app)
      let rejected = [(UInt64(2), Fixture.forecast, Self.early + Self.late), (3, unknown, Self.late)]
      for (number, widget, entries) in rejected {
        let end = try #require(try await callStatus { _ = try await publish(connection, entries, for: widget) })
        let event = try await publishOnStream(number, widget, entries)
        #expect(event == .rejected(try ProviderStream.id(number), end.code, message: end.message))
      }
      #expect(try await server.admin().timeline(of: Fixture.forecast, on: Self.device).timeline == unary)
      withExtendedLifetime(connection) { call.cancel() }
    }
  }

  // MARK: Queries

  private static func query() throws -> OptionsQuery {
    try OptionsQuery(intent: Intent(type: IntentType("CityIntent")), parameter: .init("city"))
  }

  private static let response = QueryResponse.options(ParameterOptions([ParameterOption(.string("a"), title: "a")]))

  private func ask(_ server: InProcessServer) -> Task<ParameterOptions, any Error> {
    let display = server.display()
    return Task { try await display.options(Self.query(), of: Self.app, on: Self.device) }
  }

  /// Opens a query stream, and returns it with its key.
  private func watchQueries(
    _ connection: RPCClient
  ) async throws -> (stream: WatchedCall<WatchQueriesRequest, ProviderQuery>, key: StreamKey) {
    var stream = try await WatchedCall(
      connection, ProviderService.watchQueries, WatchQueriesRequest(device: Self.device, app: Self.app))
    guard case .attached(let key?) = try await stream.next() else { throw UnexpectedEvent() }
    return (stream, key)
  }

  private func respond(
    _ connection: RPCClient, _ key: StreamKey, _ number: UInt64, _ response: QueryResponse = Self.response,
    app: AppID = Self.app, device: DeviceID = Self.device
  ) async throws -> RPCStatus? {
    let request = RespondToQueryRequest(device: device, app: app, stream: key, number: number, response: response)
    return try await callStatus { _ = try await connection.unary(ProviderService.respondToQuery, request) }
  }

  @Test(
    "A unary response reaches the display; a second, late or unknown one is rejected with its reason",
    arguments: TestProtocol.allCases)
  func queries(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var (stream, key) = try await watchQueries(connection)
      let first = ask(server)
      guard case .asked(1, .options, _) = try await stream.next() else { throw UnexpectedEvent() }
      #expect(try await respond(connection, key, 1) == nil)
      #expect(try await first.value.options.count == 1)
      let twice = try await respond(connection, key, 1)
      let closed = { (number: UInt64) in
        RPCStatus(.failedPrecondition, field: "response.number", "query \(number) was answered or cancelled")
      }
      #expect(twice == closed(1))
      let cancelled = ask(server)
      guard case .asked(2, .options, _) = try await stream.next() else { throw UnexpectedEvent() }
      cancelled.cancel()
      #expect(try await stream.next() == .cancelled(2))
      #expect(try await respond(connection, key, 2) == closed(2))
      let progress = QueryResponse.progress(IntentProgress(completedUnitCount: 1, totalUnitCount: 2))
      #expect(try await respond(connection, key, 2, progress) == closed(2))
      let unknown = try await respond(connection, key, 3)
      #expect(unknown?.code == .invalidArgument && unknown?.message.hasPrefix("response.number: no query 3") == true)
    }
  }

  @Test(
    "An invalid unary response is rejected with its path, and the query can be answered again",
    arguments: TestProtocol.allCases)
  func invalidResponses(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var (stream, key) = try await watchQueries(connection)
      let task = ask(server)
      guard case .asked(1, _, _) = try await stream.next() else { throw UnexpectedEvent() }
      let bad = ParameterOption(.string(String(repeating: "a", count: 5_000)), title: "too long")
      let end = try await respond(connection, key, 1, .options(ParameterOptions([bad])))
      #expect(end?.message.hasPrefix("response.options.options[0]") == true, "\(end as Any)")
      #expect(try await respond(connection, key, 1) == nil)
      #expect(try await task.value.options.count == 1)
    }
  }

  @Test(
    "A key names only an open stream of its app on its device; a query of a stream that ends fails",
    arguments: TestProtocol.allCases)
  func keys(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var (stream, key) = try await watchQueries(connection)
      let task = ask(server)
      guard case .asked(1, _, _) = try await stream.next() else { throw UnexpectedEvent() }
      var ends = [
        try await respond(connection, key, 1, app: Fixture.sportApp),
        try await respond(connection, key, 1, device: Fixture.otherDevice),
        try await respond(connection, try StreamKey("none"), 1),
      ]
      stream.call.cancel()
      let status = await #expect(throws: RPCStatus.self) { _ = try await task.value }
      #expect(status?.code == .unavailable)
      ends.append(try await respond(connection, key, 1))
      #expect(Set(ends).count == 1 && ends[0]?.code == .notFound, "\(ends)")
      #expect(ends[0]?.message.hasPrefix("stream: no open stream of the caller") == true)
    }
  }

  @Test("W6 The streams end with NOT_FOUND when their app is removed", arguments: TestProtocol.allCases)
  func removal(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var (queries, key) = try await watchQueries(connection)
      var reloads = try await WatchedCall(
        connection, ProviderService.watchReloads, WatchReloadsRequest(device: Self.device, app: Self.app))
      #expect(try await reloads.next() == .attached(.english))
      _ = try await server.display().removeApp(Self.app, from: Self.device)
      let end = await #expect(throws: RPCStatus.self) { while true { _ = try await reloads.next() } }
      #expect(end?.code == .notFound)
      #expect(try await queries.end()?.code == .notFound)
      #expect(try await respond(connection, key, 1)?.code == .notFound)
    }
  }
}
