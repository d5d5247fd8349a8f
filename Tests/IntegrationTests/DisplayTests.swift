import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Testing

@Suite("Displays over sockets", .timeLimit(.minutes(2)))
struct DisplayTests {
  @Test("T10 Content of any bytes and type reaches the display unchanged", arguments: TestProtocol.duplex)
  func content(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let contents = [
        try EntryContent(mediaType: "application/octet-stream", bytes: (0...255).map { UInt8($0) }),
        try EntryContent(mediaType: "", bytes: [0]),
        try EntryContent(mediaType: "text/plain; charset=utf-8", bytes: [UInt8](repeating: 0xFF, count: 65_536)),
      ]
      for (index, content) in contents.enumerated() {
        let entry = TimelineEntry(date: Fixture.start, content: content)
        #expect(
          try await provider.publish(UInt64(index) + 1, Fixture.forecast, [entry]) == .accepted(UInt64(index) + 1))
        #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.forecast.small, entry))
        #expect(try await Watcher(server.display()).screen.entries == [Fixture.forecast.small: entry])
      }
    }
  }

  @Test("C1 A change of the time zone reaches displays and providers; an abbreviation is refused with a proposal")
  func timeZone() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let tokyo = try TimeZoneID("Asia/Tokyo")
      try await server.display().registerDevice(Fixture.device, timeZone: tokyo)
      #expect(try await watcher.next().change == .timeZone(tokyo))
      #expect(try await provider.next() == .timeZone(tokyo))
      let status = try await callStatus {
        try await server.display().registerDevice(Fixture.device, timeZone: TimeZoneID("GMT+5"))
      }
      #expect(
        status?.message == "time_zone: unknown time zone identifier; use an IANA identifier, such as Etc/GMT-5")
    }
  }

  @Test(
    "R2 A rotation reaches two displays at the same, correct instant, with its reason",
    arguments: TestProtocol.duplex)
  func rotation(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      var watchers = [try await Watcher(server.display()), try await Watcher(server.display())]
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let kickOff = Fixture.after(.minutes(20))
      _ = try await provider.publish(1, Fixture.score, [Fixture.entry(kickOff, "0:0", score: 5)])
      try await server.clock.sleeper(until: kickOff)
      server.clock.advance(to: kickOff.advanced(by: .seconds(-1)))
      server.clock.advance(to: kickOff.advanced(by: .seconds(3)))
      for index in watchers.indices {
        #expect(watchers[index].screen.stacks[Fixture.stack]?.frontWidget == Fixture.forecast)
        #expect(try await watchers[index].nextEntry().widget == Fixture.score)
        let front = try await watchers[index].nextFront()
        #expect(front.at == kickOff && front.change.widget == Fixture.score && front.change.front == 1)
        #expect(front.change.decision == 1 && !front.change.reason.isEmpty)
      }
    }
  }

  @Test(
    "U2 A manual scroll reaches the other display at once and holds the stack for the policy's time",
    arguments: TestProtocol.duplex)
  func scroll(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let hand = server.display()
      var other = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let rainAt = Fixture.after(.minutes(1))
      _ = try await provider.publish(1, Fixture.forecast, [Fixture.entry(rainAt, "rain", score: 9, for: .hours(1))])
      try await hand.report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      let scrolled = try await other.nextFront()
      #expect(
        scrolled.at == Fixture.start && scrolled.change.widget == Fixture.score && scrolled.change.decision == nil)
      server.clock.advance(to: Fixture.after(.minutes(14)))
      #expect(try await other.nextEntry().widget == Fixture.forecast)
      let held = try await server.admin().explanation(of: Fixture.stack, on: Fixture.device).explanation
      let hold = held.candidates.first { $0.widget == Fixture.forecast }?.gates.first { $0.gate == .hold }
      #expect(hold?.isPassed == false && hold?.clears == Fixture.after(.minutes(15)))
      server.clock.advance(to: Fixture.after(.minutes(15)))
      let rotated = try await other.nextFront()
      #expect(rotated.at == Fixture.after(.minutes(15)) && rotated.change.widget == Fixture.forecast)
    }
  }

  @Test(
    "U1 The user's edits reach displays in order: members, order, toggles, new and deleted stacks",
    arguments: TestProtocol.duplex)
  func edits(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let hand = server.display()
      var watcher = try await Watcher(server.display())
      var scoped = try await Watcher(server.display(), stacks: [Fixture.stack])
      let second = try StackID("second")
      try await hand.edit(second, on: Fixture.device, .create(.systemMedium))
      try await hand.edit(second, on: Fixture.device, .add(Fixture.score, at: nil))
      try await hand.edit(Fixture.stack, on: Fixture.device, .move(Fixture.score, to: 0))
      try await hand.edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      try await hand.edit(second, on: Fixture.device, .removeStack)
      let third = try await hand.edit(Fixture.stack, on: Fixture.device, .remove(Fixture.forecast))
      #expect(third?.members == [Fixture.score] && third?.isSmartRotateOn == false)
      let last = try await hand.edit(Fixture.stack, on: Fixture.device, .replace(Fixture.score, with: Fixture.forecast))
      for _ in 0..<7 { _ = try await watcher.next() }
      for _ in 0..<4 { _ = try await scoped.next() }
      #expect(last?.members == [Fixture.forecast] && last?.front == 0)
      #expect(watcher.screen.stacks == [Fixture.stack: last].compactMapValues { $0 })
      #expect(scoped.screen == watcher.screen)
      #expect(try await server.admin().stacks(of: Fixture.device) == [last])
    }
  }

  @Test(
    "U3 A widget with a timeline that is added to a stack shows its current entry at once",
    arguments: TestProtocol.duplex)
  func joining(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      try await server.display().edit(Fixture.stack, on: Fixture.device, .create(.systemSmall))
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let entry = Fixture.entry(Fixture.start, "sunny")
      _ = try await provider.publish(1, Fixture.forecast, [entry])
      var watcher = try await Watcher(server.display())
      try await server.display().edit(Fixture.stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
      _ = try await watcher.next()
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.forecast.small, entry))
      #expect(try await Watcher(server.display()).screen == watcher.screen)
    }
  }

  @Test(
    "W3 A display of all stacks receives widgets outside stacks: the state, and then each change exactly once",
    arguments: TestProtocol.duplex)
  func outsideStacks(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await Fixture.register(server.connection(), widgets: [Fixture.rain])
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let (dry, wet) = (Fixture.entry(Fixture.start, "dry"), Fixture.entry(Fixture.start, "wet"))
      _ = try await provider.publish(1, Fixture.rain, [dry])
      var watcher = try await Watcher(server.display())
      var scoped = try await Watcher(server.display(), stacks: [Fixture.stack])
      try await server.display().report(.homeWidgetAdded(Fixture.rain), on: Fixture.device)
      #expect(try await watcher.next().change == .homeWidgetAdded(Fixture.rain.small))
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.rain.small, dry))
      _ = try await provider.publish(2, Fixture.rain, [wet])
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.rain.small, wet))
      #expect(watcher.screen.homeWidgets == [Fixture.rain.small] && watcher.screen.entries == [Fixture.rain.small: wet])
      #expect(try await Watcher(server.display()).screen == watcher.screen)
      let before = watcher.screen
      try await server.restart()
      guard case .state = try await watcher.next().change, case .state(let state) = try await scoped.next().change
      else { throw UnexpectedEvent() }
      #expect(watcher.screen == before && state.homeWidgets.isEmpty)
      try await server.display().report(.homeWidgetRemoved(Fixture.rain), on: Fixture.device)
      #expect(try await watcher.next().change == .homeWidgetRemoved(Fixture.rain.small))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      _ = try await watcher.nextStack()
      // A display of one stack received nothing in between.
      _ = try await scoped.nextStack()
      #expect(watcher.screen.homeWidgets.isEmpty && watcher.screen.entries.isEmpty && scoped.screen == watcher.screen)
    }
  }

  @Test(
    "W3 A widget in a stack and outside keeps its entry until it is removed from both",
    arguments: TestProtocol.duplex)
  func twice(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let hand = server.display()
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let (dry, wet) = (Fixture.entry(Fixture.start, "dry"), Fixture.entry(Fixture.start, "wet"))
      _ = try await provider.publish(1, Fixture.forecast, [dry])
      try await hand.report(.homeWidgetAdded(Fixture.forecast), on: Fixture.device)
      var watcher = try await Watcher(server.display())
      var scoped = try await Watcher(server.display(), stacks: [Fixture.stack])
      #expect(
        watcher.screen.homeWidgets == [Fixture.forecast.small]
          && watcher.screen.entries == [Fixture.forecast.small: dry])
      #expect(scoped.screen.homeWidgets.isEmpty && scoped.screen.entries == [Fixture.forecast.small: dry])
      try await hand.edit(Fixture.stack, on: Fixture.device, .remove(Fixture.forecast))
      _ = try await provider.publish(2, Fixture.forecast, [wet])
      _ = (try await watcher.nextStack(), try await scoped.nextStack())
      #expect(watcher.screen.entries == [Fixture.forecast.small: dry] && scoped.screen.entries.isEmpty)
      #expect(try await watcher.nextEntry() == CurrentEntry(Fixture.forecast.small, wet))
      try await hand.report(.homeWidgetRemoved(Fixture.forecast), on: Fixture.device)
      #expect(try await watcher.next().change == .homeWidgetRemoved(Fixture.forecast.small))
      _ = try await provider.publish(3, Fixture.forecast, [dry])
      try await hand.edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      _ = (try await watcher.nextStack(), try await scoped.nextStack())
      #expect(watcher.screen.entries.isEmpty && scoped.screen == watcher.screen)
    }
  }

  @Test(
    "W1 A display of a stack receives the entries of its family only, and those of publications without a family",
    arguments: TestProtocol.duplex)
  func families(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let stack = try StackID("medium")
      try await server.display().edit(stack, on: Fixture.device, .create(.systemMedium))
      try await server.display().edit(stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
      var small = try await Watcher(server.display(), stacks: [Fixture.stack])
      var medium = try await Watcher(server.display(), stacks: [stack])
      let shown = WidgetInstance(Fixture.forecast, in: .systemMedium)
      let (wide, plain) = (Fixture.entry(Fixture.start, "wide"), Fixture.entry(Fixture.start, "plain"))
      try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp,
        kinds: Fixture.descriptors(of: [Fixture.forecast])
      ) { provider in
        try await provider.publish([wide], policy: .never, for: Fixture.forecast, in: .systemMedium)
        try await provider.publish([plain], policy: .never, for: Fixture.forecast)
        try await provider.publish([wide], policy: .never, for: Fixture.forecast, in: .systemMedium)
      }
      for entry in [wide, plain, wide] { #expect(try await medium.nextEntry() == CurrentEntry(shown, entry)) }
      #expect(try await small.nextEntry() == CurrentEntry(Fixture.forecast.small, plain))
      try await server.restart()
      _ = (try await small.next(), try await medium.next())
      #expect(small.screen.entries == [Fixture.forecast.small: plain] && medium.screen.entries == [shown: wide])
      let all = try await Watcher(server.display()).screen.entries
      #expect(all == [Fixture.forecast.small: plain, shown: wide])
    }
  }

  @Test(
    "U3 A display that reconnects receives the state and then all changes, none lost or duplicated",
    arguments: TestProtocol.duplex)
  func reconnection(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      try await ServerLink.run(from: server.directory.file("relay"), to: server.directory.file("socket")) { relay in
        let cut = DisplayClient(relay.connection(), reconnection: .eager)
        let cutUpdates = try cut.watch(Fixture.device)
        var steady = try await Watcher(server.display())
        let (watching, hasBegun) = AsyncStream<Void>.makeStream()
        async let segments = Self.segments(of: cutUpdates, hasBegun)
        for await _ in watching { break }
        var screens = [steady.screen]
        var changes: [DisplayUpdate] = []
        var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
        for number in 1...200 as ClosedRange<UInt64> {
          _ = try await provider.publish(number, Fixture.forecast, [Fixture.entry(Fixture.start, "\(number)")])
          changes.append(try await steady.next())
          screens.append(steady.screen)
          if number.isMultiple(of: 40) { await relay.cut() }
        }
        try await server.display().edit(Fixture.stack, on: Fixture.device, .removeStack)
        changes.append(try await steady.next())
        screens.append(steady.screen)
        let found = try await segments
        #expect(found.count >= 2)
        for segment in found {
          let place = try #require(screens.firstIndex(of: segment.screen), "a state that never was")
          #expect(Array(changes[place...].prefix(segment.changes.count)) == segment.changes)
        }
        #expect(found.last?.screen.stacks.isEmpty == true || found.last?.changes.last == changes.last)
      }
    }
  }

  /// The updates of a display on one connection: the screen of the first update, and the following changes.
  struct Segment {
    var screen: Screen
    var changes: [DisplayUpdate] = []
  }

  /// Reads until the stacks are deleted, and splits the updates at each full state.
  static func segments(
    of updates: DisplayUpdates, _ hasBegun: AsyncStream<Void>.Continuation
  ) async throws -> [Segment] {
    defer { hasBegun.finish() }
    var screen = Screen()
    var segments: [Segment] = []
    for try await update in updates {
      hasBegun.yield()
      screen.show(update)
      if case .state = update.change {
        segments.append(Segment(screen: screen))
      } else {
        segments[segments.count - 1].changes.append(update)
      }
      if screen.stacks.isEmpty { break }
    }
    return segments
  }

  @Test(
    "The watch of a display that never reads ends, and it can watch again, while another display keeps up",
    arguments: TestProtocol.duplex)
  func slow(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.build(server.connection())
      let idle = try await server.connection().serverStreaming(
        DisplayService.watch, WatchRequest(device: Fixture.device))
      var keen = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for number in 1...40 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let entry = TimelineEntry(date: Fixture.start, content: content)
        #expect(try await provider.publish(number, Fixture.forecast, [entry]) == .accepted(number))
        #expect(try await keen.nextEntry().entry == entry)
      }
      let end = try await callStatus { for try await _ in idle.responses {} }
      #expect(end?.code == .resourceExhausted && end?.message.contains("keep up") == true, "\(end as Any)")
      #expect(try await Watcher(server.display()).screen == keen.screen)
    }
  }
}
