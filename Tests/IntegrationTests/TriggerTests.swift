import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// What usually follows a trigger, offered at once by a server (rule S10).
@Suite("Triggers over sockets", .timeLimit(.minutes(2)))
struct TriggerTests {
  private static let app = valid { try AppID("com.example.radio") }
  private static let news = valid {
    try Intent(type: .playMedia, parameters: Habits.values(["mediaContainer": Habits.object("news")]))
  }
  private static let radio = Widget(
    kind: WidgetKind(app: app, name: valid { try KindName("Radio") }), configuration: news)
  /// The hours after midnight of the triggers, on ten days; that of the last day is 15.
  private static let hours: [Int64] = [8, 17, 11, 20, 14, 9, 18, 12, 21, 10]

  /// Registers an app that plays media and a type that others donate, and a stack with a radio behind the forecast.
  private static func build(_ server: InProcessServer) async throws {
    let connection = server.connection()
    try await Fixture.register(connection)
    let provider = Habits.provider(connection, app)
    try await provider.registerIntentTypes([
      Habits.type("INPlayMediaIntent", of: app, ["mediaContainer": .object], [["mediaContainer"]])
    ])
    try await provider.registerKinds([
      WidgetDescriptor(
        kind: radio.kind, displayName: "Radio", families: [.systemSmall], configuration: .intent(.playMedia))
    ])
    try await Habits.provider(connection).registerIntentTypes([
      Habits.type("Read", of: Habits.soupApp, ["note": .integer], [["note"]])
    ])
    let display = server.display()
    try await display.edit(Fixture.stack, on: Fixture.device, .create(.systemSmall))
    for widget in [Fixture.forecast, radio] {
      try await display.edit(Fixture.stack, on: Fixture.device, .add(widget, at: nil))
    }
  }

  private static func time(_ day: Int, _ hour: Int64, _ minute: Int64 = 0) -> Instant {
    // The server starts at 9:41 UTC.
    Fixture.start.advanced(by: .minutes(Int64(day + 1) * 1_440 - 581 + hour * 60 + minute))
  }

  /// Ten days on which the news are played three minutes after a trigger, at varying hours.
  private static func live(_ server: InProcessServer, trigger: UserReport, end: UserReport?) async throws {
    let (display, provider) = (server.display(), Habits.provider(server.connection(), app))
    let others = Habits.provider(server.connection())
    if let end { try await display.report(end, on: Fixture.device) }
    for (day, hour) in hours.enumerated() {
      for noise in Int64(8)...21 {
        if noise == hour {
          server.clock.advance(to: time(day, hour, 11))
          try await display.report(trigger, on: Fixture.device)
          server.clock.advance(to: time(day, hour, 14))
          try await provider.donate([
            Habits.donation("play-\(day)", .intent(news), at: time(day, hour, 14))
          ])
          server.clock.advance(to: time(day, hour, 45))
          if let end { try await display.report(end, on: Fixture.device) }
        }
        server.clock.advance(to: time(day, noise, 50))
        let note = Habits.intent("Read", ["note": .integer((Int64(day) * 31 + noise * noise * 7) % 7)])
        try await others.donate([Habits.donation("\(day) \(noise)", note, at: time(day, noise, 50))])
      }
    }
    server.clock.advance(to: time(hours.count, 13))
    let front = try await server.admin().stacks(of: Fixture.device)[0].frontWidget
    if front != Fixture.forecast {
      try await display.report(.scrolled(Fixture.stack, to: Fixture.forecast), on: Fixture.device)
    }
    server.clock.advance(to: time(hours.count, 15))
  }

  private static func check(_ trigger: UserReport, end: UserReport? = nil) async throws {
    try await InProcessServer.run { server in
      try await build(server)
      try await live(server, trigger: trigger, end: end)
      let display = server.display()
      var updates = display.surfaceUpdates(on: .nowPlaying, of: Fixture.device, count: 10).makeAsyncIterator()
      func isOffered(_ suggestions: [ListedSuggestion]?) -> Bool {
        (suggestions ?? []).contains { $0.subject == .action(.intent(app, news)) }
      }
      let before = try await updates.next()
      #expect(before != nil && !isOffered(before?.suggestions))
      server.clock.advance(to: time(hours.count, 15, 3))
      try await display.report(trigger, on: Fixture.device)
      // The list of the instant of the report; nothing else happens on the device.
      var after = try await updates.next()
      while let list = after, list.at < time(hours.count, 15, 3) { after = try await updates.next() }
      #expect(after?.at == time(hours.count, 15, 3) && isOffered(after?.suggestions))
      let front = try await server.admin().stacks(of: Fixture.device)[0].frontWidget
      #expect(front == radio)
    }
  }

  @Test("S10 The news that are played after connecting headphones are on the surface and in front at the connection")
  func headphones() async throws { try await Self.check(.contextChanged(.routine(.headphonesConnected))) }

  @Test("S10 The news that are played after starting a workout are on the surface and in front at its start")
  func workout() async throws { try await Self.check(.contextChanged(.routine(.activeWorkout))) }

  @Test("S10 The news that are played after arriving at a place are on the surface and in front at the arrival")
  func arrival() async throws {
    let (home, park) = valid {
      (
        try Place(latitude: 52.5, longitude: 13.4, display: "Home"),
        try Place(latitude: 52.4, longitude: 13.2, display: "Park")
      )
    }
    try await Self.check(.contextChanged(.place(park)), end: .contextChanged(.place(home)))
  }
}
