import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The events of widgets for their apps (rule W7). The stack has Forecast in front, Rain, and Score of another app.
@Suite("Widget events over sockets", .timeLimit(.minutes(2)))
struct WidgetEventTests {
  /// A provider that reads its events one by one, as lines of text.
  private struct Reader {
    private var events: WidgetEvents.AsyncIterator

    init(_ server: InProcessServer, of app: AppID = Fixture.weatherApp, kinds: [KindName] = []) throws {
      let provider = try ProviderClient(
        server.connection(), device: Fixture.device, app: app, kinds: [], reconnection: .eager)
      events = try provider.widgetEvents(ofKinds: kinds).makeAsyncIterator()
    }

    mutating func next() async throws -> WidgetEventUpdate {
      guard let update = try await events.nextInTime() else { throw UnexpectedEvent() }
      return update
    }

    mutating func nextEvent() async throws -> WidgetEvent {
      guard case .event(let event) = try await next() else { throw UnexpectedEvent() }
      return event
    }

    /// The next events: the seconds since the start, the kind, `*` outside stacks, and the event.
    mutating func lines(_ count: Int) async throws -> [String] {
      var lines: [String] = []
      while lines.count < count {
        let event = try await nextEvent()
        let seconds = Fixture.start.span(to: event.at).milliseconds / 1_000
        let kind = event.placement.instance.widget.kind.name.text + (event.placement.stack == nil ? "*" : "")
        lines.append("\(seconds) \(kind) \(Self.words(event.change))" + (event.isInitial ? ", initial" : ""))
      }
      return lines
    }

    private static func words(_ change: WidgetEvent.Change) -> String {
      switch change {
      case .placed: "placed"
      case .suggested: "suggested"
      case .removed: "removed"
      case .resized(let family): "resized from \(family)"
      case .visible: "visible"
      case .hidden: "hidden"
      case .impressions(let count, let time): "\(count) impressions, \(time.milliseconds / 1_000) s"
      case .tapped(let entry, let link): "tapped \(entry.map { "\($0)" } ?? "-") \(link?.text ?? "-")"
      }
    }
  }

  private static let members = [Fixture.forecast, Fixture.rain, Fixture.score]

  private static func run(_ body: (InProcessServer, DisplayClient) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection(), members: members)
      try await body(server, server.display())
    }
  }

  /// Reads the initial state at a time.
  private static func start(_ reader: inout Reader, at seconds: Int64 = 0) async throws {
    let attached = try await reader.next()
    #expect(attached == .attached(kindCount: 2))
    let lines = try await reader.lines(3)
    #expect(
      lines == [
        "\(seconds) Forecast placed, initial", "0 Forecast visible, initial", "\(seconds) Rain placed, initial",
      ])
  }

  private static func advance(_ server: InProcessServer, to seconds: Int64) {
    server.clock.advance(to: Fixture.after(.seconds(seconds)))
  }

  /// Waits until a report is scheduled, and advances to it.
  private static func reach(_ server: InProcessServer, _ seconds: Int64) async throws {
    try await server.clock.sleeper(until: Fixture.after(.seconds(seconds)))
    advance(server, to: seconds)
  }

  @Test("W7 A widget's changes are reported after a second, and then at most once a minute, with their sums")
  func minute() async throws {
    try await Self.run { server, display in
      var reader = try Reader(server)
      try await Self.start(&reader)
      Self.advance(server, to: 10)
      try await display.report(.scrolled(Fixture.stack, to: Fixture.rain), on: Fixture.device)
      try await Self.reach(server, 11)
      let first = try await reader.lines(3)
      #expect(first == ["10 Forecast 1 impressions, 10 s", "10 Forecast hidden", "10 Rain visible"])
      for (second, widget) in [(20, Fixture.forecast), (30, Fixture.score), (40, Fixture.rain)] {
        Self.advance(server, to: Int64(second))
        try await display.report(.scrolled(Fixture.stack, to: widget), on: Fixture.device)
      }
      Self.advance(server, to: 50)
      try await display.report(.hidden(Fixture.stack), on: Fixture.device)
      Self.advance(server, to: 70)
      // The tap is the next event: nothing was sent since.
      try await display.report(.tapped(Fixture.stack, Fixture.rain), on: Fixture.device)
      let tap = try await reader.lines(1)
      #expect(tap == ["70 Rain tapped - -"])
      try await Self.reach(server, 71)
      let second = try await reader.lines(3)
      #expect(
        second == ["30 Forecast 1 impressions, 10 s", "50 Rain 2 impressions, 20 s", "50 Rain hidden"])
    }
  }

  @Test("W7 A tap is sent at once, with the date and the link of the entry, also outside stacks")
  func taps() async throws {
    try await Self.run { server, display in
      var reader = try Reader(server)
      try await Self.start(&reader)
      let entry = try TimelineEntry(
        date: Fixture.start, details: EntryDetails(link: EntryLink("rain://today")))
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      #expect(try await provider.publish(1, Fixture.rain, [entry]) == .accepted(1))
      Self.advance(server, to: 5)
      for widget in [Fixture.score, Fixture.rain] {
        try await display.report(.tapped(Fixture.stack, widget), on: Fixture.device)
      }
      let tap = try await reader.nextEvent()
      #expect(tap.change == .tapped(entry: Fixture.start, link: try EntryLink("rain://today")))
      #expect(tap.at == Fixture.after(.seconds(5)) && tap.placement.stack == Fixture.stack)
      try await display.report(.homeWidgetAdded(Fixture.rain, in: .systemMedium), on: Fixture.device)
      let instance = WidgetInstance(Fixture.rain, in: .systemMedium)
      // No provider continues it.
      let status = try await callStatus {
        _ = try await display.continueInApp(.homeWidget(instance), on: Fixture.device)
      }
      #expect(status?.code == .unavailable)
      let placed = try await reader.nextEvent()
      let outside = try await reader.nextEvent()
      #expect(placed.change == .placed && placed.placement == WidgetPlacement(instance, in: nil))
      #expect(outside.change == tap.change && outside.placement == placed.placement)
    }
  }

  @Test("W7 The user places, resizes and removes widgets, outside stacks and with edits of stacks")
  func placements() async throws {
    try await Self.run { server, display in
      try await display.report(.homeWidgetAdded(Fixture.rain, in: .systemSmall), on: Fixture.device)
      var reader = try Reader(server, kinds: [Fixture.rain.kind.name])
      #expect(try await reader.next() == .attached(kindCount: 2))
      let initial = try await reader.lines(2)
      #expect(initial == ["0 Rain placed, initial", "0 Rain* placed, initial"])
      try await display.report(.homeWidgetRemoved(Fixture.rain, in: .systemSmall), on: Fixture.device)
      try await display.report(.homeWidgetAdded(Fixture.rain, in: .systemMedium), on: Fixture.device)
      try await display.edit(Fixture.stack, on: Fixture.device, .remove(Fixture.rain))
      try await Self.reach(server, 1)
      let lines = try await reader.lines(2)
      #expect(lines == ["0 Rain removed", "0 Rain* resized from systemSmall"])
      // Another widget takes its place, and then the stack is removed.
      try await display.edit(Fixture.stack, on: Fixture.device, .replace(Fixture.score, with: Fixture.rain))
      try await display.edit(Fixture.stack, on: Fixture.device, .removeStack)
      try await display.edit(Fixture.stack, on: Fixture.device, .create(.systemMedium))
      try await display.edit(Fixture.stack, on: Fixture.device, .add(Fixture.rain, at: nil))
      try await Self.reach(server, 61)
      let later = try await reader.lines(2)
      #expect(later == ["1 Rain placed", "1 Rain visible"])
    }
  }

  @Test("W7 A suggestion is an event, and so is that the user keeps it or that it ends")
  func suggestions() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let display = server.display()
      let provider = try await Relevance.provider(server.connection(), of: Relevance.amex)
      var reader = try Reader(server, of: Relevance.amex.kind.app)
      #expect(try await reader.next() == .attached(kindCount: 0))
      try await provider.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, [(Fixture.start, nil)])])
      try await Self.reach(server, 1)
      let kind = Relevance.amex.kind.name.text
      let suggested = try await reader.lines(2)
      #expect(suggested == ["0 \(kind) suggested", "0 \(kind) visible"])
      try await display.report(.suggestionKept(Fixture.stack), on: Fixture.device)
      try await Self.reach(server, 61)
      #expect(try await reader.lines(1) == ["1 \(kind) placed"])
    }
  }

  @Test("W6 W7 The removal of a kind is an event, and that of the app or the device ends the stream")
  func removal() async throws {
    try await Self.run { server, display in
      var (reader, other) = (try Reader(server), try Reader(server))
      try await Self.start(&reader)
      try await Self.start(&other)
      let provider = try ProviderClient(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp, kinds: [])
      try await provider.removeKinds([Fixture.rain.kind.name])
      try await Self.reach(server, 1)
      #expect(try await reader.lines(1) == ["0 Rain removed"])
      try await display.removeApp(Fixture.weatherApp, from: Fixture.device)
      let end = try await callStatus { _ = try await reader.lines(10) }
      #expect(end?.code == .notFound)
      var score = try Reader(server, of: Fixture.sportApp)
      #expect(try await score.next() == .attached(kindCount: 1))
      _ = try await server.admin().removeDevice(Fixture.device)
      let removed = try await callStatus { _ = try await score.lines(10) }
      #expect(removed?.code == .notFound)
      var unknown = try Reader(server)
      let absent = try await callStatus { _ = try await unknown.next() }
      #expect(absent?.code == .notFound && absent?.message.hasPrefix("device: ") == true)
    }
  }

  @Test("W7 After a restart of the server, the stream starts with the present placements, and misses no impression")
  func restart() async throws {
    try await Self.run { server, display in
      var reader = try Reader(server)
      try await Self.start(&reader)
      try await server.restart { Self.advance(server, to: 10) }
      try await Self.start(&reader, at: 10)
      Self.advance(server, to: 20)
      try await display.report(.hidden(Fixture.stack), on: Fixture.device)
      try await Self.reach(server, 21)
      let lines = try await reader.lines(2)
      #expect(lines == ["20 Forecast 1 impressions, 20 s", "20 Forecast hidden"])
    }
  }

  @Test("W7 An app that is not known receives its first widgets")
  func unknownApp() async throws {
    try await Self.run { server, display in
      let app = try AppID("com.example.news")
      var reader = try Reader(server, of: app)
      #expect(try await reader.next() == .attached(kindCount: 0))
      let news = Fixture.widget("News", of: app)
      try await Fixture.register(server.connection(), widgets: [news])
      try await display.edit(Fixture.stack, on: Fixture.device, .add(news, at: nil))
      try await Self.reach(server, 1)
      #expect(try await reader.lines(1) == ["0 News placed"])
    }
  }
}
