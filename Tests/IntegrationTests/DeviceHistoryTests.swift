import MarqueeClient
import MarqueeExport
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
struct DeviceHistoryTests {
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
  private func live(_ server: InProcessServer) async throws {
    let (admin, display) = (server.admin(), server.display())
    try await Fixture.build(server.connection())
    var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
    _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.after(.minutes(20)), "0:0", score: 5.25)])
    let app = Habits.provider(server.connection(), Fixture.sportApp, device: Fixture.device)
    try await app.requestReload()
    try await app.requestReload(Fixture.score.kind.name)
    // The response to a later timeline confirms that the requests were received.
    try await sport.send(2, Fixture.score, [Fixture.entry(Fixture.after(.minutes(20)), "0:0", score: 5.25)])
    while case .reload = try await sport.next() {}
    let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
    let windows: [(start: Instant, end: Instant?)] = [(Fixture.after(.minutes(90)), nil)]
    try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, windows, role: .information)])
    let window = try DateWindow(start: Fixture.after(.hours(4)), end: Fixture.after(.hours(5)))
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
    try await display.report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
    server.clock.advance(to: Fixture.after(.minutes(21)).advanced(by: TimeSpan(milliseconds: 7)))
    try await admin.setPolicy([PolicyNumber(name: "dwell", value: 1.5)], reset: ["hold"], on: Fixture.device)
    try await admin.setDeveloperMode(true, on: Fixture.device)
    #expect(try await !display.registerDevice(Fixture.device, timeZone: TimeZoneID("Asia/Tokyo")))
    let contents = try (0..<40).map { try EntryContent(mediaType: "x", bytes: .init(repeating: $0, count: 60_000)) }
    let large = contents.enumerated().map { index, content in
      TimelineEntry(date: Fixture.after(.minutes(Int64(index))), content: content)
    }
    let forecast = try ProviderClient(
      server.connection(), device: Fixture.device, app: Fixture.weatherApp,
      kinds: Fixture.descriptors(of: [Fixture.forecast]))
    let running = Task { try await forecast.run() }
    try await forecast.publish(large, policy: .never, for: Fixture.forecast)
    running.cancel()
    try await running.value
    server.clock.advance(to: Fixture.after(.hours(2)))
    // A read advances the device to the current time.
    _ = try await admin.inspect(Fixture.stack, on: Fixture.device)
  }

  @Test("The exported history has every event of the journal, and its replay gives the stored decisions")
  func everything() async throws {
    let (directory, history) = try await InProcessServer.run { server in
      try await live(server)
      var history = try await History(server.admin().history(of: Fixture.device))
      let state = try await server.admin().inspect(Fixture.stack, on: Fixture.device)
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      #expect(history.replay() == decisions.reversed() && decisions.count >= 2)
      #expect(history.device.stack(Fixture.stack) == state.stack && history.device.nextWake == state.nextChange)
      // Deleted donations are not part of the history, and the replayed device has the remaining ones.
      let left = try await server.admin().donations(on: Fixture.device).donations
      #expect(history.device.donations(count: 9) == left && left.count == 2)
      #expect(history.origin.until == Fixture.after(.hours(2)) && history.origin.timeZone == Fixture.berlin)
      try await server.restart()
      let again = try await History(server.admin().history(of: Fixture.device))
      #expect(again.events.map(\.event) == history.events.map(\.event))
      return (server.directory, history)
    }
    let store = try Store(directory: directory.file("data"))
    var stored: [(at: Instant, event: Event)] = []
    while let page = Optional(try await store.events(of: Fixture.device, after: UInt64(stored.count))), !page.isEmpty {
      stored += page.map { ($0.at, $0.event) }
    }
    try store.close()
    #expect(history.events.map(\.event) == stored.map(\.event) && history.events.map(\.at) == stored.map(\.at))
    #expect(UInt64(stored.count) == history.origin.eventCount)
    let kinds = Set(history.events.map { $0.event.encoded[0] })
    // By the tags of stored events: all except those that no call causes, and policy changes, which a start causes.
    #expect(kinds == [1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 14, 15, 17, 29])
  }

  @Test("A change of the configured policy is part of the history, and the origin has the first policy")
  func configured() async throws {
    let restarts = Counter()
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.policy.margin = Double(restarts.increment()) / 8
    }
    try await InProcessServer.run(change) { server in
      try await Fixture.build(server.connection())
      try await server.restart()
      let history = try await History(server.admin().history(of: Fixture.device))
      #expect(try Policy(history.origin.policy).margin == 1.0 / 8)
      guard case .policyChanged(let policy) = history.events.last?.event else { throw UnexpectedEvent() }
      #expect(policy.margin == 2.0 / 8)
    }
  }

  @Test("The history of a device without events has only its origin")
  func beginning() async throws {
    try await InProcessServer.run { server in
      try await server.display().registerDevice(Fixture.device, timeZone: Fixture.berlin)
      let history = try await History(server.admin().history(of: Fixture.device))
      #expect(history.events.isEmpty && history.origin.eventCount == 0 && history.origin.until == Fixture.start)
    }
  }

  @Test("A slow reader delays a long history and receives all of it; one that disconnects ends it")
  func slow() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for number in 1...100 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let entry = TimelineEntry(date: Fixture.start, content: content)
        #expect(try await provider.publish(number, Fixture.forecast, [entry]) == .accepted(number))
      }
      let (first, second) = (server.admin().history(of: Fixture.device), server.admin().history(of: Fixture.device))
      var iterator = first.makeAsyncIterator()
      _ = try await iterator.next()
      for try await _ in second { break }
      // The first reader has read nothing while the other began and disconnected, and other calls are processed.
      #expect(try await server.admin().stacks(of: Fixture.device).count == 1)
      var count = 0
      while try await iterator.next() != nil { count += 1 }
      #expect(count == 105)
    }
  }
}
