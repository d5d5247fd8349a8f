import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// Apps that publish timelines for more and more widgets on the same device.
@Suite("Timeline retention over sockets", .timeLimit(.minutes(3)))
struct TimelineRetentionTests {
  private static let repetitionCount = 1_000

  /// Runs a server with the cards app, which publishes each requested timeline, and a stack with the weather widget.
  private func run(
    _ body: @escaping @Sendable (InProcessServer, ProviderClient, DisplayClient) async throws -> Void
  ) async throws {
    try await InProcessServer.run({ $0.appWriteSizeHourly = .max }) { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      let provider = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let clock = server.clock
      try await withThrowingTaskGroup { group in
        group.addTask { try await provider.run() }
        group.addTask {
          for await request in provider.reloadRequests {
            let entry = Fixture.entry(clock.now, "requested \(Self.card(of: request.widget))")
            try await provider.publish([entry], policy: .never, for: request.widget)
          }
        }
        try await body(server, provider, server.display())
        group.cancelAll()
      }
      try await Self.expectSmall(server)
    }
  }

  /// The device has a handful of timelines, and the server's files are small.
  private static func expectSmall(_ server: InProcessServer) async throws {
    let uses = try await server.admin().limits(of: Fixture.device)
    func use(_ name: String) throws -> Int { try #require(uses.first { $0.name == name }?.use) }
    // A widget that is no longer placed counts from the app's next publication on.
    #expect(try use("unplaced-timeline-count-max") <= 65)
    #expect(try use("device-size-max") < 65_536)
    #expect(try use("description-size-max") < 65_536)
  }

  private static func card(of widget: Widget) -> String {
    guard case .single(.object(let card)) = widget.configuration?.parameters.first?.value else { return "" }
    return card.identifier
  }

  /// Returns the text that the display shows for the widget, as soon as it shows one.
  private func text(of widget: Widget, on watcher: inout Watcher) async throws -> String {
    while true {
      if let entry = watcher.screen.entries[widget.small] {
        return String(decoding: entry.content.bytes, as: UTF8.self)
      }
      _ = try await watcher.next()
    }
  }

  @Test("W2 A widget that is configured a thousand times shows the content of each configuration")
  func configured() async throws {
    try await run { server, _, display in
      var watcher = try await Watcher(display)
      var old = Relevance.purchases("0")
      try await display.edit(Fixture.stack, on: Fixture.device, .add(old, at: nil))
      #expect(try await text(of: old, on: &watcher) == "requested 0")
      for number in 1...Self.repetitionCount {
        let new = Relevance.purchases("\(number)")
        try await display.edit(Fixture.stack, on: Fixture.device, .replace(old, with: new))
        #expect(try await text(of: new, on: &watcher) == "requested \(number)")
        old = new
      }
      #expect(try await server.admin().widgets(of: Fixture.device).widgets.count == 2 + 64)
    }
  }

  @Test("W2 A widget for another match every day, a thousand days long, is suggested with its content")
  func announced() async throws {
    try await run { server, provider, display in
      var watcher = try await Watcher(display)
      for day in 0..<Self.repetitionCount {
        let widget = Relevance.purchases("\(day)")
        let start = Fixture.after(.days(Int64(day))).advanced(by: .hours(1))
        // An app can publish in advance, or wait until the widget is suggested.
        let isAhead = day.isMultiple(of: 2)
        if isAhead { try await provider.publish([Fixture.entry(start, "ahead \(day)")], policy: .never, for: widget) }
        let window = try DateWindow(start: start, end: start.advanced(by: .hours(2)))
        _ = try await provider.setRelevantIntents([
          RelevantIntent(intent: try #require(widget.configuration), kind: widget.kind.name, window: window)
        ])
        server.clock.advance(to: start)
        #expect(try await text(of: widget, on: &watcher) == (isAhead ? "ahead \(day)" : "requested \(day)"))
        server.clock.advance(to: Fixture.after(.days(Int64(day + 1))))
      }
    }
  }

  @Test("W2 A widget that the user removes and adds again shows content again, also after a connection was lost")
  func again() async throws {
    try await run { server, _, display in
      var watcher = try await Watcher(display)
      for _ in 0..<3 {
        try await display.edit(Fixture.stack, on: Fixture.device, .add(Relevance.amex, at: nil))
        #expect(try await text(of: Relevance.amex, on: &watcher) == "requested amex")
        try await display.edit(Fixture.stack, on: Fixture.device, .remove(Relevance.amex))
        while watcher.screen.entries[Relevance.amex.small] != nil { _ = try await watcher.next() }
        try await server.restart()
        watcher = try await Watcher(display)
      }
    }
  }
}
