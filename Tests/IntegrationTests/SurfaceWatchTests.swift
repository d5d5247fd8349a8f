import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Watched surfaces over sockets", .timeLimit(.minutes(2)))
struct SurfaceWatchTests {
  /// A reservation two hours after the start, at another place, to which the user travels for half an hour.
  private static let table = valid {
    try Reservation(
      item: DisplayIdentity(identifier: "table", display: "A table"), start: Fixture.after(.hours(2)),
      place: Place(latitude: 52.52, longitude: 13.4, display: "Trattoria"), travelTime: .minutes(30))
  }
  private static let leave = SurfaceSuggestion.Subject.reservation(Habits.soupApp, table, .leave)

  private static func reserve(_ server: InProcessServer, _ reservation: Reservation = table) async throws {
    let activity = Donation.Activity.reservations(try Intent(type: .reservationDetails), [reservation])
    try await Habits.provider(server.connection()).donate([Habits.donation(reservation.item.identifier, activity)])
  }

  private static func watch(
    _ server: InProcessServer, _ surface: SuggestionSurface = .notifications, count: Int = 10
  ) -> SurfaceUpdates.AsyncIterator {
    server.display().surfaceUpdates(on: surface, of: Fixture.device, count: count).makeAsyncIterator()
  }

  @Test(
    "S9 A display is notified when it is time to leave, at the next change that the list before stated",
    arguments: TestProtocol.allCases)
  func leaving(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      try await Self.reserve(server)
      var updates = Self.watch(server)
      let first = try #require(try await updates.next())
      #expect(first.suggestions.isEmpty && first.at == Fixture.start && first.timeZone == Fixture.berlin)
      #expect(first.nextChange == Fixture.after(.minutes(90)))
      try await server.clock.sleeper(until: Fixture.after(.minutes(90)))
      server.clock.advance(to: Fixture.after(.minutes(90)))
      let second = try #require(try await updates.next())
      #expect(second.at == Fixture.after(.minutes(90)) && second.suggestions.map(\.subject) == [Self.leave])
      #expect(second.suggestions.map(\.until) == [Self.table.start] && second.nextChange == Self.table.start)
      let listed = try await server.display().suggestions(on: .notifications, of: Fixture.device)
      #expect(listed.suggestions == second.suggestions)
      try await server.clock.sleeper(until: Self.table.start)
      server.clock.advance(to: Self.table.start)
      let third = try #require(try await updates.next())
      #expect(third.suggestions.isEmpty && third.nextChange == nil)
    }
  }

  @Test(
    "S9 Events that change a list are sent to every watcher of it, to each with its number of suggestions",
    arguments: TestProtocol.allCases)
  func events(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let (display, provider) = (server.display(), Habits.provider(server.connection()))
      let items = ["a", "b"].map { name in
        valid {
          try Intent(type: .playMedia, parameters: Habits.values(["mediaItem": Habits.object(name)]))
        }
      }
      var (all, one) = (Self.watch(server, .nowPlaying), Self.watch(server, .nowPlaying, count: 1))
      var notifications = Self.watch(server)
      for count in [try await all.next(), try await one.next(), try await notifications.next()] {
        #expect(count?.suggestions.isEmpty == true)
      }
      try await provider.setUpcomingMedia(try UpcomingMedia(intents: items))
      let listed = items.map { SurfaceSuggestion.Subject.upcomingMedia(Habits.soupApp, $0) }
      let list = try #require(try await all.next())
      #expect(list.suggestions.map(\.subject) == listed)
      #expect(try await one.next()?.suggestions.map(\.subject) == [listed[0]])
      let second = list.suggestions[1].id
      try await display.report(.surfaceSuggestion(.nowPlaying, second, .dismissed), on: Fixture.device)
      #expect(try await all.next()?.suggestions.map(\.subject) == [listed[0]])
      // The second item is not in the shorter list, which can change when the dismissal ends.
      let shorter = try #require(try await one.next())
      #expect(shorter.suggestions.map(\.subject) == [listed[0]] && shorter.nextChange == Fixture.after(.hours(12)))
      try await display.report(.appSuggestionBlocked(Habits.soupApp, true), on: Fixture.device)
      #expect(try await all.next()?.suggestions.isEmpty == true)
      #expect(try await one.next()?.suggestions.isEmpty == true)
      // Nothing of this is on another surface.
      try await display.report(.appSuggestionBlocked(Habits.soupApp, false), on: Fixture.device)
      try await Self.reserve(server)
      #expect(try await notifications.next()?.suggestions.isEmpty == true)
      server.clock.advance(to: Fixture.after(.minutes(100)))
      #expect(try await notifications.next()?.suggestions.map(\.subject) == [Self.leave])
    }
  }

  @Test("X1 S9 A list is sent again when the texts of its suggestions change", arguments: TestProtocol.allCases)
  func texts(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection())
      let episode = try Intent(type: .playMedia, parameters: Habits.values(["mediaItem": Habits.object("a")]))
      func register(_ title: String) async throws {
        let type = try IntentTypeDescriptor(
          app: Habits.soupApp, type: .playMedia, parameters: [], combinations: [], title: title)
        try await provider.registerIntentTypes([type])
      }
      try await provider.setUpcomingMedia(try UpcomingMedia(intents: [episode]))
      var updates = Self.watch(server, .nowPlaying)
      let plain = try await updates.next()
      #expect(plain?.suggestions.map(\.display.text) == ["Play the a"])
      try await register("Listen")
      let titled = try await updates.next()
      #expect(titled?.suggestions.map(\.display.text) == ["Listen – the a"])
      // Equal texts are not sent again.
      try await register("Listen")
      try await register("Hören")
      let translated = try await updates.next()
      #expect(translated?.suggestions.map(\.display.text) == ["Hören – the a"])
    }
  }

  @Test(
    "S9 A list is sent again when its next change appears, is earlier, or has passed without a change",
    arguments: TestProtocol.allCases)
  func nextChange(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      var updates = Self.watch(server)
      let later = try Reservation(
        item: DisplayIdentity(identifier: "taxi", display: "A taxi"), start: Fixture.after(.hours(10)),
        travelTime: .minutes(30))
      #expect(try await updates.next()?.nextChange == nil)
      try await Self.reserve(server, later)
      #expect(try await updates.next()?.nextChange == Fixture.after(.minutes(570)))
      try await Self.reserve(server)
      #expect(try await updates.next()?.nextChange == Fixture.after(.minutes(90)))
      // The errand is dismissed before it is due.
      let report = UserReport.surfaceSuggestion(.notifications, Self.leave.id, .dismissed)
      try await server.display().report(report, on: Fixture.device)
      server.clock.advance(to: Fixture.after(.minutes(90)))
      let passed = try #require(try await updates.next())
      #expect(passed.suggestions.isEmpty && passed.at == Fixture.after(.minutes(90)))
      #expect(passed.nextChange == Self.table.start)
    }
  }

  @Test(
    "S9 A watch continues while the clock is set back, and when the device's clock is reset",
    arguments: TestProtocol.allCases)
  func clockSetBack(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      server.clock.advance(to: Fixture.after(.days(30)))
      try await Self.reserve(server)
      var updates = Self.watch(server)
      let ahead = try #require(try await updates.next())
      #expect(ahead.at == Fixture.after(.days(30)) && ahead.nextChange == nil)
      server.clock.setBack(to: Fixture.start)
      _ = try await server.admin().resetClock(of: Fixture.device)
      let reset = try #require(try await updates.next())
      #expect(reset.at == Fixture.start && reset.nextChange == Fixture.after(.minutes(90)))
      server.clock.advance(to: Fixture.after(.minutes(80)))
      server.clock.setBack(to: Fixture.after(.minutes(70)))
      server.clock.advance(to: Fixture.after(.minutes(90)))
      #expect(try await updates.next()?.suggestions.map(\.subject) == [Self.leave])
    }
  }

  /// Twenty media items of a version, whose list exceeds the initial flow-control window.
  private static func media(_ version: Int) throws -> UpcomingMedia {
    let items = (0..<20).map { number in
      IntentValue.object(
        DisplayIdentity(identifier: "v\(version)-\(number)", display: String(repeating: "x", count: 4_000)))
    }
    return try UpcomingMedia(
      intents: try items.map { try Intent(type: .playMedia, parameters: Habits.values(["mediaItem": $0])) })
  }

  @Test(
    "S9 A display that reads slowly receives the latest list, without those in between",
    arguments: TestProtocol.allCases)
  func readsSlowly(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection())
      try await provider.setUpcomingMedia(Self.media(1))
      let nowPlaying = Int64(6)
      let request =
        WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, nowPlaying) + WireBytes.field(3, Int64(20))
      var raw = try await RawClient(server.endpoint)
      raw.push(
        RawFrame.hello + RawFrame.open(1, DisplayService.watchSurface.path) + RawFrame.message(1, request))
      // A part of the first list, until credit is granted.
      let frames = await raw.frames { $0.type == 4 }
      // Its watcher was added later, so each of its lists has been offered to the slow one, too.
      var fast = Self.watch(server, .nowPlaying, count: 20)
      #expect(try await fast.next()?.suggestions.count == 20)
      for version in 2...16 {
        try await provider.setUpcomingMedia(Self.media(version))
        #expect(try await fast.next()?.suggestions.first?.subject == Self.subject(version))
      }
      raw.push(RawFrame.credit(1, 1 << 20) + RawFrame.credit(0, 1 << 20))
      var payload = frames.filter { $0.type == 4 }.flatMap(\.payload)
      _ = await raw.frames { frame in
        if frame.type == 4 { payload += frame.payload }
        return frame.type == 5 || String(decoding: payload.suffix(80_000), as: UTF8.self).contains("v16-19")
      }
      let text = String(decoding: payload, as: UTF8.self)
      // A few lists can wait behind the first one: streams accept messages while their unsent bytes are few.
      let received = (1...16).filter { text.contains("v\($0)-0") }
      #expect(received.first == 1 && received.last == 16 && received.count <= 6, "\(received)")
    }
  }

  private static func subject(_ version: Int) throws -> SurfaceSuggestion.Subject {
    .upcomingMedia(Habits.soupApp, try media(version).intents[0])
  }

  @Test("S9 At midnight, the date disappears from the reason", arguments: TestProtocol.allCases)
  func midnight(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      // 00:41 in Berlin; the server starts at 11:41 there.
      try await Self.reserve(
        server,
        try Reservation(
          item: DisplayIdentity(identifier: "hotel", display: "Hotel"), start: Fixture.after(.hours(13)),
          checkIn: DateWindow(start: Fixture.start)))
      var updates = Self.watch(server)
      let first = try #require(try await updates.next())
      #expect(first.suggestions.map(\.reason) == ["it begins at 2021-06-08 00:41:00"])
      let midnight = Fixture.after(.minutes(13 * 60 - 41))
      #expect(first.nextChange == midnight)
      server.clock.advance(to: midnight)
      #expect(try await updates.next()?.suggestions.map(\.reason) == ["it begins at 00:41:00"])
    }
  }

  @Test(
    "S9 A watch continues after a restart, and ends with NOT_FOUND when the device is removed",
    arguments: TestProtocol.allCases)
  func end(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      var updates = Self.watch(server)
      #expect(try await updates.next()?.suggestions.isEmpty == true)
      try await server.restart()
      #expect(try await updates.next()?.suggestions.isEmpty == true)
      try await Self.reserve(server)
      #expect(try await updates.next()?.nextChange == Fixture.after(.minutes(90)))
      server.clock.advance(to: Fixture.after(.minutes(100)))
      #expect(try await updates.next()?.suggestions.map(\.subject) == [Self.leave])
      try await server.admin().removeDevice(Fixture.device)
      let removed = await #expect(throws: RPCStatus.self) { try await updates.next() }
      #expect(removed?.code == .notFound)
      var unknown = Self.watch(server)
      let status = await #expect(throws: RPCStatus.self) { try await unknown.next() }
      #expect(status?.code == .notFound)
      try await Fixture.register(server.connection())
      var again = Self.watch(server)
      #expect(try await again.next()?.suggestions.isEmpty == true)
    }
  }
}
