import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeServer
import MarqueeStore
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Device history over sockets", .timeLimit(.minutes(2)))
struct RecordTests {
  /// A device's origin and events, as a client reads them.
  private struct History {
    var origin: DeviceOrigin
    var device: Device
    var events: [(at: Instant, event: Event)] = []

    init(_ records: DeviceRecords) async throws {
      var iterator = records.makeAsyncIterator()
      let first = try await iterator.next()
      guard let first, case .origin(let origin) = first.step else { throw UnexpectedEvent() }
      self.origin = origin
      device = Device(
        id: origin.device, timeZone: origin.timeZone, policy: try Policy(origin.policy), at: first.at)
      while let record = try await iterator.next() { events.append((record.at, try Event(record))) }
    }

    /// The decisions that follow from the events.
    mutating func replay() -> [Decision] {
      var decisions: [Decision] = []
      for (at, event) in events { decisions += device.handle(event, at: at).compactMap(\.decision) }
      return decisions + device.advance(to: origin.until).compactMap(\.decision)
    }
  }

  /// Applies every kind of event to the device.
  private func live(_ server: TestServer) async throws {
    let (admin, display) = (server.admin(), server.display())
    try await Home.build(server.connection())
    var sport = try await ProviderStream(server.connection(), app: Home.sportApp)
    _ = try await sport.publish(1, Home.score, [Home.entry(Home.after(.minutes(20)), "0:0", score: 5.25)])
    let app = Habits.provider(server.connection(), Home.sportApp, device: Home.device)
    try await app.requestReload()
    try await app.requestReload(Home.score.kind.name)
    // The response to a later timeline confirms that the requests were received.
    try await sport.send(2, Home.score, [Home.entry(Home.after(.minutes(20)), "0:0", score: 5.25)])
    while case .reload = try await sport.next() {}
    let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
    let windows: [(start: Instant, end: Instant?)] = [(Home.after(.minutes(90)), nil)]
    try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, windows, role: .information)])
    let window = try DateWindow(start: Home.after(.hours(4)), end: Home.after(.hours(5)))
    let configuration = try #require(Relevance.amex.configuration)
    try await cards.setRelevantIntents([
      RelevantIntent(intent: configuration, kind: Relevance.amex.kind.name, window: window)
    ])
    let donations = (1...4).map { number in
      Habits.donation("\(number)", Habits.intent("T", ["n": .integer(number)]), group: "\(number % 2)")
    }
    let soup = Habits.provider(server.connection())
    try await soup.donate(donations)
    try await soup.deleteDonations(.group(.init("1")))
    try await display.report(.tapped(Home.stack, Home.forecast), on: Home.device)
    server.clock.advance(to: Home.after(.minutes(21)).advanced(by: TimeSpan(milliseconds: 7)))
    try await admin.setPolicy([PolicyNumber(name: "dwell", value: 1.5)], reset: ["hold"], on: Home.device)
    try await admin.setDeveloperMode(true, on: Home.device)
    #expect(try await !display.registerDevice(Home.device, timeZone: TimeZoneID("Asia/Tokyo")))
    let contents = try (0..<40).map { try EntryContent(mediaType: "x", bytes: .init(repeating: $0, count: 60_000)) }
    let large = contents.enumerated().map { index, content in
      TimelineEntry(date: Home.after(.minutes(Int64(index))), content: content)
    }
    let forecast = try ProviderClient(
      server.connection(), device: Home.device, app: Home.weatherApp, kinds: Home.descriptors(of: [Home.forecast]))
    let running = Task { try await forecast.run() }
    try await forecast.publish(large, policy: .never, for: Home.forecast)
    running.cancel()
    try await running.value
    server.clock.advance(to: Home.after(.hours(2)))
    // A read advances the device to the current time.
    _ = try await admin.inspect(Home.stack, on: Home.device)
  }

  @Test("The exported history has every event of the journal, and its replay gives the stored decisions")
  func everything() async throws {
    let (directory, history) = try await TestServer.run { server in
      try await live(server)
      var history = try await History(server.admin().record(Home.device))
      let state = try await server.admin().inspect(Home.stack, on: Home.device)
      let decisions = try await server.admin().decisions(on: Home.device).decisions
      #expect(history.replay() == decisions.reversed() && decisions.count >= 2)
      #expect(history.device.stack(Home.stack) == state.stack && history.device.nextWake == state.nextChange)
      // Deleted donations are not part of the history, and the replayed device has the remaining ones.
      let left = try await server.admin().donations(on: Home.device).donations
      #expect(history.device.donations(count: 9) == left && left.count == 2)
      #expect(history.origin.until == Home.after(.hours(2)) && history.origin.timeZone == Home.berlin)
      try await server.restart()
      let again = try await History(server.admin().record(Home.device))
      #expect(again.events.map(\.event) == history.events.map(\.event))
      return (server.directory, history)
    }
    let store = try Store(directory: directory.file("data"))
    var stored: [(at: Instant, event: Event)] = []
    while let page = Optional(try await store.events(of: Home.device, after: UInt64(stored.count))), !page.isEmpty {
      stored += page.map { ($0.at, $0.event) }
    }
    try store.close()
    #expect(history.events.map(\.event) == stored.map(\.event) && history.events.map(\.at) == stored.map(\.at))
    #expect(UInt64(stored.count) == history.origin.eventCount)
    let kinds = Set(history.events.map { $0.event.encoded[0] })
    // By the tags of stored events: all except those that no call causes, and policy changes, which a start causes.
    #expect(kinds == [1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14, 15, 17])
  }

  @Test("A change of the configured policy is part of the history, and the origin has the first policy")
  func configured() async throws {
    let restarts = Counter()
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.policy.margin = Double(restarts.increment()) / 8
    }
    try await TestServer.run(change) { server in
      try await Home.build(server.connection())
      try await server.restart()
      let history = try await History(server.admin().record(Home.device))
      #expect(try Policy(history.origin.policy).margin == 1.0 / 8)
      guard case .policyChanged(let policy) = history.events.last?.event else { throw UnexpectedEvent() }
      #expect(policy.margin == 2.0 / 8)
    }
  }

  @Test("The history of a device without events has only its origin")
  func beginning() async throws {
    try await TestServer.run { server in
      try await server.display().registerDevice(Home.device, timeZone: Home.berlin)
      let history = try await History(server.admin().record(Home.device))
      #expect(history.events.isEmpty && history.origin.eventCount == 0 && history.origin.until == Home.start)
    }
  }

  @Test("A slow reader delays a long history and receives all of it; one that disconnects ends it")
  func slow() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Home.weatherApp)
      for number in 1...100 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let entry = TimelineEntry(date: Home.start, content: content)
        #expect(try await provider.publish(number, Home.forecast, [entry]) == .accepted(number))
      }
      let (first, second) = (server.admin().record(Home.device), server.admin().record(Home.device))
      var iterator = first.makeAsyncIterator()
      _ = try await iterator.next()
      for try await _ in second { break }
      // The first reader has read nothing while the other began and disconnected, and other calls are processed.
      #expect(try await server.admin().stacks(of: Home.device).count == 1)
      var count = 0
      while try await iterator.next() != nil { count += 1 }
      #expect(count == 105)
    }
  }
}
