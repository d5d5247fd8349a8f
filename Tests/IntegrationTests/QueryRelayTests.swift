import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Provider queries", .timeLimit(.minutes(2)))
struct QueryRelayTests {
  private static func query() throws -> OptionsQuery {
    try OptionsQuery(intent: Intent(type: IntentType("CityIntent")), parameter: .init("city"), count: 2)
  }

  private func run(
    over callProtocol: TestProtocol, _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  private func ask(_ server: InProcessServer, _ app: AppID = Fixture.weatherApp) -> Task<ParameterOptions, any Error> {
    let display = server.display()
    return Task { try await display.options(Self.query(), of: app, on: Fixture.device) }
  }

  private func status(_ task: Task<some Sendable, any Error>) async -> RPCStatus? {
    do {
      _ = try await task.value
      return nil
    } catch {
      return error as? RPCStatus
    }
  }

  @Test(
    "The response reaches the requester, truncated to the requested number of options",
    arguments: TestProtocol.duplex)
  func answers(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      var provider = try await QueryProvider(server.connection())
      let (first, second) = (ask(server), ask(server))
      let numbers = [try await provider.nextQuery().number, try await provider.nextQuery().number]
      #expect(Set(numbers) == [1, 2])
      let option = { (name: String) in ParameterOption(.string(name), title: name) }
      // Respond to the second query first, with three options instead of two.
      try await provider.call.send(.response(2, .options(ParameterOptions([option("c"), option("d"), option("e")]))))
      try await provider.call.send(.response(1, .options(ParameterOptions([option("a")]))))
      let counts = [try await first.value.options.count, try await second.value.options.count]
      #expect(counts.sorted() == [1, 2])
    }
  }

  @Test(
    "A provider that disconnects, rejects or responds with another type fails only its query",
    arguments: TestProtocol.duplex)
  func failures(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      var provider = try await QueryProvider(server.connection())
      let (gone, rejected, other, unreadable) = (ask(server), ask(server), ask(server), ask(server))
      var numbers: [UInt64] = []
      for _ in 0..<4 { numbers.append(try await provider.nextQuery().number) }
      try await provider.call.send(.response(numbers[0], .rejected(.failedPrecondition, message: "not now")))
      try await provider.call.send(.response(numbers[1], .outcome(IntentOutcome())))
      let bad = ParameterOption(.string(String(repeating: "a", count: 5_000)), title: "too long")
      try await provider.call.send(.response(numbers[2], .options(ParameterOptions([bad]))))
      let answered = provider.call
      let ends = await withTaskGroup(of: StatusCode?.self) { group in
        for task in [gone, rejected, other, unreadable] { group.addTask { await status(task)?.code } }
        var ends: [StatusCode?: Int] = [:]
        for _ in 0..<3 { ends[await group.next() ?? nil, default: 0] += 1 }
        // All three responses have arrived; the provider disconnects with one query open.
        answered.cancel()
        ends[await group.next() ?? nil, default: 0] += 1
        return ends
      }
      #expect(ends == [.failedPrecondition: 3, .unavailable: 1])
      #expect(await status(ask(server))?.code == .unavailable)
    }
  }

  @Test("Queries go to the last attached stream, and only to the app's own provider", arguments: TestProtocol.duplex)
  func attachments(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      let first = try await QueryProvider(server.connection())
      var second = try await QueryProvider(server.connection())
      let task = ask(server)
      try await second.call.send(.response(try await second.nextQuery().number, .options(ParameterOptions([]))))
      #expect(try await task.value.options.isEmpty)
      #expect(await status(ask(server, Fixture.sportApp))?.code == .unavailable)
      first.call.cancel()
    }
  }

  @Test(
    "A response to an unknown query ends its stream; the provider is notified of cancelled queries",
    arguments: TestProtocol.duplex)
  func numbers(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      var provider = try await QueryProvider(server.connection())
      let task = ask(server)
      let number = try await provider.nextQuery().number
      task.cancel()
      #expect(try await provider.next() == .cancelled(number))
      // A late response is ignored.
      try await provider.call.send(.response(number, .options(ParameterOptions([]))))
      try await provider.call.send(.response(number + 1, .options(ParameterOptions([]))))
      let end = await #expect(throws: RPCStatus.self) { while true { _ = try await provider.next() } }
      #expect(end?.code == .invalidArgument && end?.message.hasPrefix("response.number: no query 2") == true)
    }
  }

  @Test(
    "A display that ends its requests declines the confirmation; an unsolicited reply is rejected",
    arguments: TestProtocol.duplex)
  func replies(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      var provider = try await QueryProvider(server.connection())
      let begin = PerformIntentRequest.begin(
        Fixture.device, Fixture.weatherApp, IntentInvocation(try Self.query().intent))
      let connection = server.connection()
      defer { withExtendedLifetime(connection) {} }
      let silent = try await connection.bidirectional(DisplayService.performIntent)
      try await silent.send(begin)
      silent.finish()
      let number = try await provider.nextQuery().number
      try await provider.call.send(.response(number, .prompt(IntentPrompt(.confirmation))))
      #expect(try await provider.next() == .reply(number, isAgreed: false))
      try await provider.call.send(.response(number, .outcome(IntentOutcome(dialog: "left"))))
      var updates: [PerformIntentUpdate] = []
      for try await update in silent.responses { updates.append(update) }
      #expect(updates.last == .outcome(IntentOutcome(dialog: "left")))
      let hasty = try await connection.bidirectional(DisplayService.performIntent)
      try await hasty.send(begin)
      _ = try await provider.nextQuery().number
      try await hasty.send(.reply(isAgreed: true))
      let end = await #expect(throws: RPCStatus.self) { for try await _ in hasty.responses {} }
      #expect(end?.code == .failedPrecondition)
    }
  }

  @Test(
    "Only a configurable widget of the stack is configured, with its kind's intent type; otherwise nothing changes",
    arguments: TestProtocol.duplex)
  func configurations(over callProtocol: TestProtocol) async throws {
    try await run(over: callProtocol) { server in
      _ = try await QueryProvider(server.connection())
      let before = try await server.admin().stacks(of: Fixture.device)
      let intent = try Self.query().intent
      let display = server.display()
      for (stack, widget, code) in [
        (Fixture.stack, Fixture.forecast, StatusCode.failedPrecondition),
        (try StackID("nowhere"), Fixture.forecast, .notFound),
        (Fixture.stack, Widget(kind: Fixture.forecast.kind, configuration: intent), .notFound),
      ] {
        let task = Task { try await display.configure(widget, in: stack, on: Fixture.device, as: intent) }
        #expect(await status(task)?.code == code)
      }
      #expect(try await server.admin().stacks(of: Fixture.device) == before)
    }
  }
}
