import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// A display that sends no stream: it runs intents, and replies to their prompts by unary calls.
@Suite("Displays without bidirectional streams", .timeLimit(.minutes(2)))
struct HalfDuplexDisplayTests {
  private typealias Run = WatchedCall<RunIntentRequest, PerformIntentUpdate>

  private static let (device, app) = (Fixture.device, Fixture.weatherApp)

  private func run(
    over callProtocol: TestProtocol, _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  /// Runs an intent, and returns the call with its key.
  private func runIntent(
    _ connection: RPCClient, from widget: Widget? = nil, heartbeat: HeartbeatInterval = .none
  ) async throws -> (run: Run, key: StreamKey) {
    let invocation = IntentInvocation(try Intent(type: IntentType("Order")), from: widget)
    let request = RunIntentRequest(device: Self.device, app: Self.app, invocation: invocation, heartbeat: heartbeat)
    var run = try await Run(connection, DisplayService.runIntent, request)
    guard case .begun(let key) = try await run.next() else { throw UnexpectedEvent() }
    return (run, key)
  }

  private func reply(
    _ connection: RPCClient, _ key: StreamKey, _ prompt: UInt64, _ isAgreed: Bool = true, device: DeviceID = Self.device
  ) async throws -> RPCStatus? {
    let request = ReplyToPromptRequest(device: device, run: key, prompt: prompt, isAgreed: isAgreed)
    return try await callStatus { _ = try await connection.unary(DisplayService.replyToPrompt, request) }
  }

  @Test(
    "An intent is run with progress and prompts, each of which has one reply, and ends with its outcome",
    arguments: TestProtocol.allCases)
  func prompts(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var provider = try await QueryProvider(server.duplexConnection())
      var (run, key) = try await runIntent(connection)
      let (number, subject) = try await provider.nextQuery()
      guard case .run = subject else { throw UnexpectedEvent() }
      let progress = IntentProgress(completedUnitCount: 1, totalUnitCount: 2)
      try await provider.call.send(.response(number, .progress(progress)))
      #expect(try await run.next() == .progress(progress))
      let prompt = IntentPrompt(.confirmation, dialog: "Order?")
      let closed = { (number: UInt64) in
        RPCStatus(
          .failedPrecondition, field: "prompt",
          "prompt \(number) is not open; only the latest prompt can be replied to, once")
      }
      #expect(try await reply(connection, key, 1) == closed(1))
      try await provider.call.send(.response(number, .prompt(prompt)))
      #expect(try await run.next() == .prompt(prompt, number: 1))
      #expect(try await reply(connection, key, 1, false) == nil)
      #expect(try await provider.next() == .reply(number, isAgreed: false))
      #expect(try await reply(connection, key, 1) == closed(1))
      try await provider.call.send(.response(number, .prompt(prompt)))
      #expect(try await run.next() == .prompt(prompt, number: 2))
      // A repeated reply to the first prompt does not reach the second one.
      #expect(try await reply(connection, key, 1) == closed(1))
      #expect(try await reply(connection, key, 2) == nil)
      #expect(try await provider.next() == .reply(number, isAgreed: true))
      try await provider.call.send(.response(number, .outcome(IntentOutcome(dialog: "Ordered"))))
      #expect(try await run.next() == .outcome(IntentOutcome(dialog: "Ordered")))
      await #expect(throws: UnexpectedEvent.self) { _ = try await run.next() }
      let late = try await reply(connection, key, 2)
      #expect(late?.code == .notFound && late?.message.hasPrefix("run: no open stream of the caller") == true)
    }
  }

  @Test(
    "A run whose display cancels it is cancelled for the app, and its key becomes invalid",
    arguments: TestProtocol.allCases)
  func cancellation(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var provider = try await QueryProvider(server.duplexConnection())
      let (run, key) = try await runIntent(connection)
      let number = try await provider.nextQuery().number
      try await provider.call.send(.response(number, .prompt(IntentPrompt(.confirmation))))
      #expect(try await reply(connection, key, 1, device: Fixture.otherDevice)?.code == .notFound)
      run.call.cancel()
      #expect(try await provider.next() == .cancelled(number))
      #expect(try await reply(connection, key, 1)?.code == .notFound)
    }
  }

  @Test("A reply after the app's answer is rejected, and does not reach the app", arguments: TestProtocol.allCases)
  func lateReply(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var queries = try await WatchedCall(
        connection, ProviderService.watchQueries, WatchQueriesRequest(device: Self.device, app: Self.app))
      guard case .attached(let stream?) = try await queries.next() else { throw UnexpectedEvent() }
      var (run, key) = try await runIntent(connection)
      guard case .asked(let number, .run, _) = try await queries.next() else { throw UnexpectedEvent() }
      func respond(_ response: QueryResponse) async throws {
        let request = RespondToQueryRequest(
          device: Self.device, app: Self.app, stream: stream, number: number, response: response)
        _ = try await connection.unary(ProviderService.respondToQuery, request)
      }
      try await respond(.prompt(IntentPrompt(.confirmation)))
      #expect(try await run.next() == .prompt(IntentPrompt(.confirmation), number: 1))
      try await respond(.outcome(IntentOutcome()))
      let late = try await reply(connection, key, 1)
      #expect(late?.code == .failedPrecondition || late?.code == .notFound, "\(late as Any)")
      #expect(try await run.next() == .outcome(IntentOutcome()))
      // The reply would have been sent before this query.
      _ = try await runIntent(connection)
      guard case .asked(number + 1, .run, _) = try await queries.next() else { throw UnexpectedEvent() }
    }
  }

  @Test(
    "A run without a provider, of another app's widget, or on an unknown device fails like PerformIntent",
    arguments: TestProtocol.duplex)
  func failures(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      func status(_ device: DeviceID, _ widget: Widget?) async throws -> [RPCStatus?] {
        let invocation = IntentInvocation(try Intent(type: IntentType("Order")), from: widget)
        let request = RunIntentRequest(device: device, app: Self.app, invocation: invocation)
        var run = try await Run(connection, DisplayService.runIntent, request)
        let call = try await connection.bidirectional(DisplayService.performIntent)
        try await call.send(.begin(device, Self.app, invocation))
        let end = try await callStatus { for try await _ in call.responses {} }
        return [try await run.end(), end]
      }
      let absent = try await status(Self.device, nil)
      #expect(absent[0] == absent[1] && absent[0]?.code == .unavailable)
      let unknown = try await status(DeviceID("nothing"), nil)
      #expect(unknown.allSatisfy { $0?.code == .notFound }, "\(unknown)")
      let foreign = try await status(Self.device, Fixture.score)
      let reason = "must be the app that performs the intent"
      #expect(foreign[0] == RPCStatus(.invalidArgument, field: "run.widget.kind.app", reason))
      #expect(foreign[1] == RPCStatus(.invalidArgument, field: "begin.run.widget.kind.app", reason))
    }
  }

  @Test("The deadline of a run ends it, and the provider is notified", arguments: TestProtocol.allCases)
  func deadline(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var provider = try await QueryProvider(server.duplexConnection())
      let request = RunIntentRequest(
        device: Self.device, app: Self.app, invocation: IntentInvocation(try Intent(type: IntentType("Order"))))
      let options = CallOptions(timeout: .milliseconds(200))
      let call = try await connection.serverStreaming(DisplayService.runIntent, request, options: options)
      let number = try await provider.nextQuery().number
      #expect(try await provider.next() == .cancelled(number))
      let end = try await callStatus { for try await _ in call.responses {} }
      #expect(end?.code == .deadlineExceeded)
    }
  }

  @Test("A widget whose button ran an intent is reloaded, as with PerformIntent", arguments: TestProtocol.duplex)
  func reload(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let connection = server.connection()
      var stream = try await ProviderStream(connection, app: Self.app)
      #expect(try await stream.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(1))
      var provider = try await QueryProvider(server.duplexConnection())
      var (run, _) = try await runIntent(connection, from: Fixture.forecast)
      let number = try await provider.nextQuery().number
      try await provider.call.send(.response(number, .outcome(IntentOutcome())))
      #expect(try await run.next() == .outcome(IntentOutcome()))
      let request = try await stream.nextReload()
      #expect(request.widget == Fixture.forecast && request.reason == .user)
    }
  }

  @Test(
    "Keys are valid only for the caller that opened the stream, whose other calls and tokens may use them",
    arguments: TestProtocol.allCases)
  func callers(over callProtocol: TestProtocol) async throws {
    let directory = try TemporaryDirectory()
    let mint = try TokenMint()
    let policy = try mint.write(to: directory)
    try await InProcessServer.run(over: callProtocol, { $0.accessPolicy = policy }) { server in
      try await Fixture.build(server.connection())
      func connection(_ principal: TestPrincipal, _ subject: String, until seconds: Int = 0) async throws -> RPCClient {
        var claims = principal.claims ?? .init()
        claims.sub = subject
        claims.exp += seconds
        return callProtocol.client(server.tcpEndpoint, .bearing(try await mint.token(claims)))
      }
      let ownApp = try await connection(.provider, "app")
      var queries = try await WatchedCall(
        ownApp, ProviderService.watchQueries, WatchQueriesRequest(device: Self.device, app: Self.app))
      guard case .attached(let stream?) = try await queries.next() else { throw UnexpectedEvent() }
      var (run, key) = try await runIntent(try await connection(.display, "own"))
      guard case .asked(let number, .run, _) = try await queries.next() else { throw UnexpectedEvent() }
      func respond(_ connection: RPCClient, _ response: QueryResponse) async throws -> RPCStatus? {
        let request = RespondToQueryRequest(
          device: Self.device, app: Self.app, stream: stream, number: number, response: response)
        return try await callStatus { _ = try await connection.unary(ProviderService.respondToQuery, request) }
      }
      let prompt = IntentPrompt(.confirmation)
      #expect(try await respond(try await connection(.provider, "other"), .prompt(prompt))?.code == .notFound)
      #expect(try await respond(server.connection(), .prompt(prompt))?.code == .notFound)
      #expect(try await respond(try await connection(.provider, "app", until: 60), .prompt(prompt)) == nil)
      #expect(try await run.next() == .prompt(prompt, number: 1))
      #expect(try await reply(try await connection(.display, "other"), key, 1)?.code == .notFound)
      #expect(try await reply(server.connection(), key, 1)?.code == .notFound)
      #expect(try await reply(try await connection(.display, "own", until: 60), key, 1) == nil)
      #expect(try await queries.next() == .reply(number, isAgreed: true))
    }
  }
}
