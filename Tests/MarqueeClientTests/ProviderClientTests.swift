import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct ProviderClientTests {
  @Test("A timeline is published in parts, and its warnings are returned once it is durable")
  func pieces() async throws {
    let server = try await FakeServer(provide: [FakeServer.acknowledge])
    let (few, many) = try await run(on: server) { provider in
      let few = try await provider.publish(Fixture.entries(3), for: Fixture.forecast)
      return (few, try await provider.publish(Fixture.entries(600), policy: .never, for: Fixture.forecast))
    }
    #expect(few.map(\.message) == ["1"])
    #expect(many.map(\.message) == ["3"])
    await server.shutDown()
  }

  @Test("A rejected timeline is thrown with the server's status, and the stream continues")
  func rejected() async throws {
    let server = try await FakeServer(provide: [
      { messages, responses in
        guard case .timeline(let part) = try await messages.next() else { return }
        try await responses.send(.rejected(part.publish, .failedPrecondition, message: "no such family"))
        try await FakeServer.acknowledge(&messages, responses)
      }
    ])
    try await run(on: server) { provider in
      let status = await #expect(throws: RPCStatus.self) {
        try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
      }
      #expect(status == RPCStatus(.failedPrecondition, "no such family"))
      try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
    }
    await server.shutDown()
  }

  @Test("An unacknowledged timeline is published again, completely, after the stream ended")
  func publishedAgain() async throws {
    let registrations = EventRecorder<Void>()
    let server = try await FakeServer(
      provide: [
        { messages, _ in
          _ = try await messages.next()
          throw RPCStatus(.unavailable, "going away")
        },
        { messages, _ in
          while case .timeline(let part) = try await messages.next(), !part.isCommit {}
          throw RPCStatus(.resourceExhausted, "too slow")
        }, FakeServer.acknowledge,
      ], register: { _ in registrations.record() })
    let warnings = try await run(on: server) { provider in
      try await provider.publish(Fixture.entries(600), for: Fixture.forecast)
    }
    #expect(warnings.map(\.message) == ["3"])
    for _ in 0..<3 { #expect(await registrations.next() != nil) }
    await server.shutDown()
  }

  @Test("A timeline that exhausts several streams fails; the next one succeeds")
  func exhausted() async throws {
    let exhaust: FakeServer.Provide = { messages, _ in
      _ = try await messages.next()
      throw RPCStatus(.resourceExhausted, "too large")
    }
    let server = try await FakeServer(provide: [exhaust, exhaust, exhaust, FakeServer.acknowledge])
    try await run(on: server) { provider in
      let status = await #expect(throws: RPCStatus.self) {
        try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
      }
      #expect(status == RPCStatus(.resourceExhausted, "too large"))
      try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
    }
    await server.shutDown()
  }

  @Test("A provider whose registration meets a full disk tries again; one over a limit ends at once")
  func overloaded() async throws {
    let (full, limit) = (RPCStatus(.resourceExhausted, "the disk is full"), RPCStatus(.resourceExhausted, "4 kinds"))
    let registrationCount = Mutex(0)
    let server = try await FakeServer(
      provide: [FakeServer.acknowledge],
      register: { _ in
        let count = registrationCount.withLock { count in
          count += 1
          return count
        }
        if count <= 2 { throw full.retryable() }
        if count > 3 { throw limit }
      })
    let failures = Mutex<[String]>([])
    var reconnection = Reconnection.fast
    reconnection.failed = { status in failures.withLock { $0.append(status.message) } }
    try await run(on: server, reconnection) { provider in
      _ = try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
    }
    #expect(failures.withLock(\.self) == ["the disk is full", "the disk is full"])
    let status = await #expect(throws: RPCStatus.self) {
      try await run(on: server) { provider in
        _ = try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
      }
    }
    #expect(status == limit && registrationCount.withLock(\.self) == 4)
    await server.shutDown()
  }

  @Test("Streams that end because the server is overloaded do not fail their timelines")
  func overloadedStreams() async throws {
    let overloaded: FakeServer.Provide = { messages, _ in
      _ = try await messages.next()
      throw RPCStatus(.resourceExhausted, "the queue is full").retryable()
    }
    let server = try await FakeServer(
      provide: Array(repeating: overloaded, count: 4) + [FakeServer.acknowledge])
    try await run(on: server) { provider in
      _ = try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
    }
    await server.shutDown()
  }

  @Test("W6 A provider whose app was removed stops, and does not register the app again")
  func removed() async throws {
    let registrationCount = Mutex(0)
    let removal = RPCStatus(.notFound, "app: the app was removed from the device")
    let server = try await FakeServer(
      provide: [{ _, _ in throw removal }, FakeServer.acknowledge],
      register: { _ in registrationCount.withLock { $0 += 1 } })
    let status = await #expect(throws: RPCStatus.self) {
      try await run(on: server) { provider in
        _ = try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
      }
    }
    #expect(status == removal)
    #expect(registrationCount.withLock(\.self) == 1)
    await server.shutDown()
  }

  @Test("A provider reconnects to a restarted server")
  func nextServer() async throws {
    let first = try await FakeServer(provide: [FakeServer.acknowledge])
    let widget = Fixture.forecast
    try await run(on: first) { provider in
      try await provider.publish(Fixture.entries(1), for: widget)
      try await first.restart()
      try await provider.publish(Fixture.entries(2), for: widget)
    }
    await first.shutDown()
  }

  @Test("T8 The latest unread reload request of each widget is delivered")
  func reloads() async throws {
    let request = ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .after, at: .min)
    let server = try await FakeServer(provide: [
      { messages, responses in
        for reason in [ReloadRequest.Reason.atEnd, .app, .after] {
          try await responses.send(
            .reload(ReloadRequest(widget: request.widget, family: .systemSmall, reason: reason, at: request.at)))
        }
        while try await messages.next() != nil {}
      }
    ])
    try await run(on: server) { provider in
      var iterator = provider.reloadRequests.makeAsyncIterator()
      var last: ReloadRequest?
      repeat { last = await iterator.next() } while last != nil && last != request
      #expect(last == request)
    }
    await server.shutDown()
  }

  @Test("W1 The latest unread reload request of each family of a widget is delivered, in order")
  func reloadsOfFamilies() async throws {
    let queue = WidgetQueue<ReloadRequest> { WidgetInstance($0.widget, in: $0.family) }
    func request(_ family: WidgetFamily, _ reason: ReloadRequest.Reason) -> ReloadRequest {
      ReloadRequest(widget: Fixture.forecast, family: family, reason: reason, at: .min)
    }
    let sent = [request(.systemSmall, .placed), request(.systemLarge, .app), request(.systemSmall, .user)]
    for request in sent { queue.deliver(request) }
    queue.finish()
    var received: [ReloadRequest] = []
    for await request in queue { received.append(request) }
    #expect(received == Array(sent.dropFirst()))
  }

  @Test("A rejected provider, and its waiting publishers, end with the server's status")
  func rejectedProvider() async throws {
    let server = try await FakeServer(register: { _ in throw RPCStatus(.notFound, "device: unknown") })
    let provider = try ProviderClient(
      server.client(), device: Fixture.device, app: Fixture.weatherApp,
      kinds: Fixture.descriptors(of: [Fixture.forecast]),
      reconnection: .fast)
    let (entries, widget) = (Fixture.entries(1), Fixture.forecast)
    let publication = Task { try await provider.publish(entries, for: widget) }
    let expected = RPCStatus(.notFound, "device: unknown")
    #expect(await #expect(throws: RPCStatus.self) { try await provider.run() } == expected)
    #expect(await #expect(throws: RPCStatus.self) { try await publication.value } == expected)
    let late = await #expect(throws: RPCStatus.self) { try await provider.publish(entries, for: widget) }
    #expect(late == expected)
    var iterator = provider.reloadRequests.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    let outer = await #expect(throws: RPCStatus.self) {
      try await self.run(on: server) { provider in
        _ = try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
      }
    }
    #expect(outer == expected)
    await server.shutDown()
  }

  @Test("Cancelling a publisher withdraws its timeline, even a partially sent one; the next one succeeds")
  func withdrawn() async throws {
    let seen = EventRecorder<String>()
    let gate = EventRecorder<Void>()
    let server = try await FakeServer(provide: [
      { messages, responses in
        guard case .timeline = try await messages.next() else { return }
        seen.record("begun")
        _ = await gate.next()
        while let message = try await messages.next() {
          switch message {
          case .abandon: seen.record("abandoned")
          case .timeline(let part) where part.isCommit:
            try await responses.send(.accepted(part.publish, warnings: []))
          default: break
          }
        }
      }
    ])
    try await run(on: server) { provider in
      // More than the stream's credit and backlog, so that the commit cannot have been sent.
      let large = Fixture.entries(600, contentSize: 60_000)
      let publisher = Task { try await provider.publish(large, for: Fixture.forecast) }
      #expect(await seen.next() == "begun")
      publisher.cancel()
      await #expect(throws: CancellationError.self) { try await publisher.value }
      gate.record()
      #expect(await seen.next() == "abandoned")
      try await provider.publish(Fixture.entries(1), for: Fixture.forecast)
    }
    await server.shutDown()
  }

  @Test("App Shortcuts without a handler of queries are rejected")
  func phrasesWithoutHandler() async throws {
    let server = try await FakeServer(provide: [FakeServer.acknowledge])
    let shortcut = try AppShortcutDescriptor(
      intent: Intent(type: IntentType("Show")), phrases: [PhraseTemplate([.text("Show "), .applicationName])])
    let book = try PhraseBook(applicationName: "Weather", shortcuts: [shortcut])
    let error = #expect(throws: RequestError.self) {
      try ProviderClient(
        server.client(), device: Fixture.device, app: Fixture.weatherApp, kinds: [], phrases: book)
    }
    #expect(error?.description == "phrases: App Shortcuts require a handler of queries")
    await server.shutDown()
  }

  @Test("Cancelling the provider ends it without an error, connected or not")
  func cancelled() async throws {
    let attached = EventRecorder<Void>()
    let server = try await FakeServer(provide: [
      { messages, _ in
        attached.record()
        _ = try await messages.next()
      }
    ])
    for isConnected in [true, false] {
      if !isConnected { await server.shutDown() }
      let provider = try ProviderClient(
        server.client(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast]),
        reconnection: .fast)
      let running = Task { try await provider.run() }
      if isConnected { #expect(await attached.next() != nil) }
      running.cancel()
      try await running.value
    }
  }

  @Test("An entry too large for a message, and too many timelines, are rejected before anything is sent")
  func limits() async throws {
    let server = try await FakeServer(provide: [FakeServer.acknowledge])
    let provider = try ProviderClient(
      server.client(), device: Fixture.device, app: Fixture.weatherApp,
      kinds: Fixture.descriptors(of: [Fixture.forecast]))
    let size = TimelinePieces.contentSizeMax + 1
    let status = await #expect(throws: RPCStatus.self) {
      try await provider.publish(Fixture.entries(2, contentSize: size), for: Fixture.forecast)
    }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.contains(" exceeds content-size-max (") == true)
    let waiting = (0...ProviderClient.publicationCountMax).map { _ in
      let (entries, widget) = (Fixture.entries(1), Fixture.forecast)
      return Task { try await provider.publish(entries, for: widget) }
    }
    let running = Task { try await provider.run() }
    var codes: [StatusCode] = []
    for task in waiting {
      do { _ = try await task.value } catch let status as RPCStatus { codes.append(status.code) }
    }
    #expect(codes.allSatisfy { $0 == .resourceExhausted } && codes.count <= 1)
    running.cancel()
    try await running.value
    await server.shutDown()
  }

  private func run<Result: Sendable>(
    on server: FakeServer, _ reconnection: Reconnection = .fast,
    _ body: @escaping @Sendable (ProviderClient) async throws -> Result
  ) async throws -> Result {
    try await ProviderClient.run(
      server.client(), device: Fixture.device, app: Fixture.weatherApp,
      kinds: Fixture.descriptors(of: [Fixture.forecast]),
      reconnection: reconnection, body)
  }
}
