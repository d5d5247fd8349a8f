import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Timelines over sockets", .timeLimit(.minutes(2)))
struct TimelineTests {
  @Test("T1 A timeline sent in pieces takes effect as a whole with its last piece", arguments: TestProtocol.duplex)
  func pieces(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.rain])
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let old = [Fixture.entry(Fixture.start, "old")]
      #expect(try await provider.publish(1, Fixture.forecast, old) == .accepted(1))
      let new = (0..<3).map { Fixture.entry(Fixture.after(.seconds($0)), "new \($0)") }
      try await provider.send(2, Fixture.forecast, [new[0]], policy: .never, commits: false)
      try await provider.send(2, nil, [new[1]], commits: false)
      // The response to a later timeline confirms that the pieces were received.
      #expect(try await provider.publish(3, Fixture.rain, [Fixture.entry(Fixture.start)]) == .accepted(3))
      #expect(try await server.dates(of: Fixture.forecast) == old.map(\.date))
      try await provider.send(2, nil, [new[2]])
      #expect(try await provider.next() == .accepted(2))
      #expect(try await server.dates(of: Fixture.forecast) == new.map(\.date))
    }
  }

  @Test("T1 An abandoned timeline leaves nothing behind", arguments: TestProtocol.duplex)
  func abandoned(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      #expect(try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(1))
      try await provider.send(2, Fixture.forecast, [Fixture.entry(Fixture.after(.hours(1)))], commits: false)
      try await provider.call.send(.abandon(ProviderStream.id(2)))
      try await provider.send(2, nil, [Fixture.entry(Fixture.after(.hours(2)))])
      guard case .rejected(_, .invalidArgument, let message, _) = try await provider.next() else {
        throw UnexpectedEvent()
      }
      #expect(message.hasPrefix("timeline.widget: "))
      #expect(try await server.dates(of: Fixture.forecast) == [Fixture.start])
    }
  }

  @Test(
    "T1 A connection lost within a timeline keeps the old one, and discards the pieces",
    arguments: TestProtocol.duplex)
  func cut(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.rain])
      try await ServerLink.run(from: server.directory.file("relay"), to: server.directory.file("socket")) { relay in
        let connection = relay.connection()
        var provider = try await ProviderStream(connection, app: Fixture.weatherApp)
        #expect(try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(1))
        try await provider.send(2, Fixture.forecast, [Fixture.entry(Fixture.after(.hours(1)))], commits: false)
        #expect(try await provider.publish(3, Fixture.rain, [Fixture.entry(Fixture.start)]) == .accepted(3))
        await relay.cut()
        let end = try await callStatus { _ = try await provider.next() }
        #expect(end?.code == .unavailable)
      }
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      try await provider.send(2, nil, [Fixture.entry(Fixture.after(.hours(2)))])
      guard case .rejected(_, .invalidArgument, _, _) = try await provider.next() else { throw UnexpectedEvent() }
      #expect(try await server.dates(of: Fixture.forecast) == [Fixture.start])
    }
  }

  @Test("T2 Warnings are part of the acknowledgement, and the entries are sorted", arguments: TestProtocol.duplex)
  func warnings(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let entries = [Fixture.after(.hours(2)), Fixture.after(.hours(1)), Fixture.after(.hours(1))].map {
        Fixture.entry($0)
      }
      let warnings = try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast])
      ) { try await $0.publish(entries, policy: .never, for: Fixture.forecast) }
      #expect(warnings.map(\.code) == ["entries-unsorted", "entries-same-date"])
      #expect(warnings.map(\.index) == [1, 2])
      #expect(try await server.dates(of: Fixture.forecast) == [Fixture.after(.hours(1)), Fixture.after(.hours(2))])
    }
  }

  @Test("L Warnings depend on the device's state before the publication", arguments: TestProtocol.duplex)
  func lint(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let timelines: [[TimelineEntry]] = [
        [Fixture.entry(Fixture.start, score: 1, for: .zero)], [Fixture.entry(Fixture.after(.hours(1)), score: 50)], [],
      ]
      let codes = try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast])
      ) { provider in
        var codes: [[String]] = []
        for timeline in timelines {
          codes.append(try await provider.publish(timeline, policy: .atEnd, for: Fixture.forecast).map(\.code))
        }
        return codes
      }
      #expect(
        codes == [
          ["score-never-cleared", "reload-over-budget"], ["scale-changed", "reload-over-budget"],
          ["reload-over-budget", "empty-while-in-force"],
        ])
    }
  }

  /// An invalid entry, and the field that the error names.
  struct Flaw: Sendable, CustomTestStringConvertible {
    let field: String
    let entry: [UInt8]
    var testDescription: String { field }

    static let date = Fixture.start.milliseconds
    static let all = [
      Flaw(field: "relevance.score", entry: WireBytes.entry(date: date, score: .nan, duration: 0)),
      Flaw(field: "relevance.score", entry: WireBytes.entry(date: date, score: -.infinity, duration: 0)),
      Flaw(field: "relevance.duration_ms", entry: WireBytes.entry(date: date, score: 1, duration: -1)),
      Flaw(field: "date_ms", entry: WireBytes.entry(date: -1, score: 1, duration: 0)),
      Flaw(field: "date_ms", entry: WireBytes.entry(date: .max, score: 1, duration: 0)),
    ]
  }

  @Test(
    "T7 A rejection names entry and field, and affects neither the stored timeline nor the stream",
    arguments: TestProtocol.duplex)
  func rejections(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let call = try await server.connection().bidirectional(WireBytes.provide)
      var events = call.responses.makeAsyncIterator()
      try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
      #expect(try await events.nextInTime() == .attached(.english))
      #expect(try await events.nextInTime() == .placed([PlacedWidget(widget: Fixture.forecast, family: .systemSmall)]))
      #expect(
        try await events.nextInTime()
          == .reload(ReloadRequest(widget: Fixture.forecast, family: .systemSmall, reason: .placed, at: Fixture.start)))
      let widget = WireBytes.widget(Fixture.forecast)
      let good = WireBytes.entry(date: Fixture.start.milliseconds, score: 1, duration: 600_000)
      try await call.send(WireBytes.timeline(1, widget: widget, entries: [good]))
      #expect(try await events.nextInTime() == .accepted(1))
      for (index, flaw) in Flaw.all.enumerated() {
        try await call.send(WireBytes.timeline(Int64(index) + 2, widget: widget, entries: [good, flaw.entry]))
        guard case .rejected(let id, let code, let message, _) = try await events.nextInTime() else {
          throw UnexpectedEvent()
        }
        #expect(id.number == UInt64(index) + 2 && code == .invalidArgument)
        #expect(message.hasPrefix("timeline.entries[1].\(flaw.field): "), "\(message)")
        #expect(try await server.dates(of: Fixture.forecast) == [Fixture.start])
      }
      let later = WireBytes.entry(date: Fixture.start.milliseconds + 1, score: 1, duration: 600_000)
      try await call.send(WireBytes.timeline(99, widget: widget, entries: [later]))
      #expect(try await events.nextInTime() == .accepted(99))
    }
  }

  @Test("A rejected timeline causes one response, regardless of its further pieces", arguments: TestProtocol.duplex)
  func rejectedOnce(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for publish in 1...16 as ClosedRange<UInt64> {
        try await provider.send(publish, Fixture.forecast, [], policy: .never, commits: false)
      }
      try await provider.send(17, Fixture.forecast, [Fixture.entry(Fixture.start)], commits: false)
      try await provider.send(17, nil, [Fixture.entry(Fixture.start)], commits: false)
      try await provider.send(17, nil, [Fixture.entry(Fixture.start)])
      guard case .rejected(let id, .resourceExhausted, let message, _) = try await provider.next() else {
        throw UnexpectedEvent()
      }
      #expect(id.number == 17 && message.contains("open-timeline-count-max"))
      try await provider.send(1, nil, [Fixture.entry(Fixture.start)])
      #expect(try await provider.next() == .accepted(1))
    }
  }
}

extension InProcessServer {
  /// The dates of a widget's stored timeline.
  func dates(of widget: Widget) async throws -> [Instant]? {
    try await admin().timeline(of: widget, on: Fixture.device).timeline?.entries.map(\.date)
  }
}
