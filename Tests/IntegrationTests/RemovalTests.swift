import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

/// Removal of kinds, intent types, apps and devices (rule W6) over sockets, including the files.
@Suite("Removal over sockets", .serialized, .timeLimit(.minutes(3)))
struct RemovalTests {
  private static let tides = Fixture.widget("Tides-41d7", of: Fixture.weatherApp)
  /// A text that occurs only in the timeline of ``tides``.
  private static let content = "high water at noon, 9c3e"

  /// Returns the code of the status with which a stream ends.
  private static func end<Q, S>(of call: ClientCall<Q, S>) async throws -> StatusCode? {
    try await callStatus { for try await _ in call.responses {} }?.code
  }

  private static func found(_ texts: [String], _ server: InProcessServer) throws -> [String] {
    try Habits.found(texts, in: server.directory.file("data"))
  }

  /// Builds a stack with a kind of two apps each, and publishes a timeline for ``tides``.
  private static func build(_ server: InProcessServer) async throws {
    try await Fixture.build(server.connection(), members: [tides, Fixture.forecast, Fixture.score])
    var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
    let entry = Fixture.entry(Fixture.start, content, score: 9)
    #expect(try await weather.publish(1, tides, [entry]) == .accepted(1))
  }

  @Test("W6 R12 A removed kind leaves its stacks and every file with its pins, and can be registered again")
  func kinds() async throws {
    try await InProcessServer.run { server in
      try await Self.build(server)
      let (kind, focus) = (Self.tides.kind.name, try FocusID("diving-6e18"))
      let texts = [Self.content, kind.text, focus.text]
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setPin(Self.tides, Pin(focus: focus)))
      #expect(try Self.found(texts, server) == texts.sorted())
      let weather = Habits.provider(server.connection(), Fixture.weatherApp)
      var watcher = try await Watcher(server.display())
      #expect(try await weather.removeKinds([kind, .init("Unknown")]) == 1)
      #expect(try Self.found(texts, server).isEmpty)
      let members = try await watcher.nextStack().stack.members
      #expect(members == [Fixture.forecast, Fixture.score])
      let left = try await server.admin().widgets(of: Fixture.device)
      #expect(left.kinds.map(\.kind) == [Fixture.score.kind, Fixture.forecast.kind])
      #expect(try await weather.removeKinds([kind]) == 0)
      try await server.restart()
      #expect(try Self.found(texts, server).isEmpty)
      #expect(try await server.admin().stacks(of: Fixture.device).map(\.members) == [members])
      try await Fixture.register(server.connection(), widgets: [Self.tides])
      try await server.display().edit(Fixture.stack, on: Fixture.device, .add(Self.tides, at: nil))
      let again = try await server.admin().timeline(of: Self.tides, on: Fixture.device)
      #expect(again.timeline == nil)
      #expect(try await server.admin().stacks(of: Fixture.device).allSatisfy(\.settings.isEmpty))
    }
  }

  @Test("W6 Removing what does not exist writes nothing, so that the history remains complete")
  func nothing() async throws {
    try await InProcessServer.run { server in
      try await Self.build(server)
      let count = try await server.eventCount()
      let weather = Habits.provider(server.connection(), Fixture.weatherApp)
      #expect(try await weather.removeKinds([Fixture.score.kind.name]) == 0)
      #expect(try await weather.removeIntentTypes([IntentType("T")]) == 0)
      #expect(try await !server.display().removeApp(Habits.soupApp, from: Fixture.device))
      #expect(try await !server.admin().removeDevice(Fixture.otherDevice))
      #expect(try await server.eventCount() == count)
      let unknown = Habits.provider(server.connection(), device: Fixture.otherDevice)
      let status = try await callStatus { try await unknown.removeKinds([Fixture.score.kind.name]) }
      #expect(status?.code == .notFound)
    }
  }

  @Test("W6 A removed intent type leaves with its donations, unless it configures a kind")
  func intentTypes() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection(), widgets: [Fixture.score])
      let app = Fixture.weatherApp
      let weather = Habits.provider(server.connection(), app)
      let names = ["ShowTides-5b20", "ShowPlace"]
      try await weather.registerIntentTypes(names.map { Habits.type($0, of: app, ["p": .object], [["p"]]) })
      let kind = WidgetKind(app: app, name: try KindName("Place"))
      try await weather.registerKinds([
        try WidgetDescriptor(
          kind: kind, displayName: "Place", families: [.systemSmall], configuration: .intent(IntentType(names[1])))
      ])
      try await weather.donate([
        Habits.donation("1", Habits.intent(names[0], ["p": Habits.object("harbor-77aa")])),
        Habits.donation("2", Habits.intent(names[1], ["p": Habits.object("oslo-02bb")])),
      ])
      let types = try names.map { try IntentType($0) }
      let status = try await callStatus { try await weather.removeIntentTypes(types) }
      #expect(status?.code == .failedPrecondition && status?.message.hasPrefix("intent_types[1]: ") == true)
      #expect(try await weather.removeIntentTypes([types[0]]) == 1)
      #expect(try Self.found(["ShowTides-5b20", "harbor-77aa", "oslo-02bb"], server) == ["oslo-02bb"])
      let left = try await server.admin().donations(on: Fixture.device).donations
      #expect(left.map { $0.activity.intent?.type } == [types[1]])
      #expect(try await weather.removeIntentTypes([types[0]]) == 0)
    }
  }

  @Test("W6 A removed app leaves every file, its streams end, and other apps continue")
  func app() async throws {
    try await InProcessServer.run { server in
      try await Self.build(server)
      let (device, app, display) = (Fixture.device, Fixture.weatherApp, server.display())
      try await Habits.provider(server.connection(), app).donate([Habits.donation("1", Habits.intent("T"))])
      try await display.report(.appSuggestionBlocked(app, true), on: device)
      try await display.report(.appOpened(app), on: device)
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let (weather, connection) = (try await ProviderStream(server.connection(), app: app), server.connection())
      let queries = try await connection.bidirectional(ProviderService.serveQueries)
      try await queries.send(.attach(device, app, .empty))
      let donations = try await connection.bidirectional(ProviderService.streamDonations)
      try await donations.send(.attach(device, app))
      // Both streams are attached.
      for try await response in queries.responses where response == .attached(nil) { break }
      for try await response in donations.responses where response == .attached { break }
      #expect(try await display.removeApp(app, from: device))
      #expect(try Self.found([app.text, Self.content], server).isEmpty)
      let ends = [
        try await Self.end(of: weather.call), try await Self.end(of: queries), try await Self.end(of: donations),
      ]
      #expect(ends == [.notFound, .notFound, .notFound])
      let entry = Fixture.entry(Fixture.start, "0:0")
      #expect(try await sport.publish(1, Fixture.score, [entry]) == .accepted(1))
      #expect(try await server.admin().stacks(of: device).map(\.members) == [[Fixture.score]])
      #expect(try await display.blockedSuggestions(on: device).blocked.isEmpty)
      #expect(try await !display.removeApp(app, from: device))
      try await server.restart()
      #expect(try Self.found([app.text, Self.content], server).isEmpty)
    }
  }

  @Test("W6 Nothing remains of an app that was streaming donations when it was removed")
  func busyApp() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection(), Habits.soupApp)
      // Donates until the removal ends it, however late that is.
      let number = Atomic(0)
      let endless = AsyncStream {
        Habits.donation("\(number.wrappingAdd(1, ordering: .relaxed).newValue)", Habits.intent("T"))
      }
      let donating = Task { try await provider.donate(contentsOf: endless) }
      defer { donating.cancel() }
      let admin = server.admin()
      while try await admin.donations(on: Fixture.device, count: 1).donationCount == 0 {}
      #expect(try await server.display().removeApp(Habits.soupApp, from: Fixture.device))
      #expect(try Self.found([Habits.soupApp.text], server).isEmpty)
      let status = try await callStatus { _ = try await donating.value }
      #expect(status?.code == .notFound)
      #expect(try Self.found([Habits.soupApp.text], server).isEmpty)
    }
  }

  @Test("W6 A removed device leaves every file, its streams end, and its name can be used again")
  func device() async throws {
    try await InProcessServer.run { server in
      let device = try DeviceID("phone-7d2e")
      try await Fixture.build(server.connection())
      try await Fixture.build(server.connection(), device: device)
      let provider = try await ProviderStream(server.connection(), device: device, app: Fixture.weatherApp)
      var watcher = try await Watcher(server.display(), device)
      let (admin, display) = (server.admin(), server.display())
      #expect(try await admin.removeDevice(device))
      #expect(try Self.found([device.text], server).isEmpty)
      #expect(try await Self.end(of: provider.call) == .notFound)
      #expect(try await callStatus { _ = try await watcher.next() }?.code == .notFound)
      #expect(try await admin.devices().devices.map(\.device) == [Fixture.device])
      #expect(try await callStatus { try await display.report(.shown(Fixture.stack), on: device) }?.code == .notFound)
      #expect(try await !admin.removeDevice(device))
      try await server.restart()
      #expect(try Self.found([device.text], server).isEmpty)
      #expect(try await server.display().registerDevice(device, timeZone: Fixture.berlin))
      #expect(try await server.admin().stacks(of: device).isEmpty)
      #expect(try await server.admin().decisions(on: device).decisions.isEmpty)
    }
  }

  @Test("W6 A running export ends when content of its device, or the device, is removed")
  func export() async throws {
    try await InProcessServer.run { server in
      func removal(_ remove: () async throws -> Void) async throws -> RPCStatus? {
        try await Fixture.build(server.connection())
        var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
        for number in 1...100 as ClosedRange<UInt64> {
          let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
          let entry = TimelineEntry(date: Fixture.start, content: content)
          #expect(try await provider.publish(number, Fixture.forecast, [entry]) == .accepted(number))
        }
        var records = server.admin().history(of: Fixture.device).makeAsyncIterator()
        _ = try await records.next()
        try await remove()
        let status = try await callStatus { while try await records.next() != nil {} }
        _ = try await server.admin().removeDevice(Fixture.device)
        return status
      }
      let kind = try await removal {
        try await Habits.provider(server.connection(), Fixture.sportApp).removeKinds([Fixture.score.kind.name])
      }
      #expect(kind?.code == .outOfRange)
      let device = try await removal { try await server.admin().removeDevice(Fixture.device) }
      #expect(device?.code == .notFound)
      let again = try await removal {
        try await server.admin().removeDevice(Fixture.device)
        server.clock.advance(to: Fixture.after(.minutes(1)))
        try await Fixture.build(server.connection(), members: [Fixture.score])
      }
      #expect(again?.code == .notFound)
    }
  }
}
