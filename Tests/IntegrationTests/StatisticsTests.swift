import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The statistics of widgets (rule R17). Clocks begin on 2021-06-07 at 11:41 in Berlin.
@Suite("Statistics over sockets", .timeLimit(.minutes(2)))
struct StatisticsTests {
  /// Runs `body` one hour after the start: Forecast was at the front for 20 minutes, then the user tapped it and
  /// scrolled to Score.
  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let display = server.display()
      server.clock.advance(to: Fixture.after(.minutes(20)))
      try await display.report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      try await display.report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.hours(1)))
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  private static let forecast = WidgetStatistics(
    since: Fixture.start, shownCount: 1, frontTime: .minutes(20), rotationCount: 0, tapCount: 1, scrollAwayCount: 1,
    suggestionCount: 0, keptCount: 0, dismissalCount: 0, worth: 0.8)
  private static let score = WidgetStatistics(
    since: Fixture.after(.minutes(20)), shownCount: 1, frontTime: .minutes(40), rotationCount: 0, tapCount: 0,
    scrollAwayCount: 0, suggestionCount: 0, keptCount: 0, dismissalCount: 0, worth: 0.8)

  @Test("R17 Operators list the statistics of all apps by page, also after a restart")
  func operators() async throws {
    try await run { server, _ in
      let all = try await server.admin().statistics(on: Fixture.device)
      #expect(all.at == Fixture.after(.hours(1)) && all.timeZone == Fixture.berlin && !all.hasMore)
      #expect(all.apps.map(\.app) == [Fixture.sportApp, Fixture.weatherApp])
      #expect(all.apps.map(\.total) == [Self.score, Self.forecast])
      let instances = all.apps.flatMap(\.instances)
      #expect(instances.map(\.statistics) == [Self.score, Self.forecast])
      #expect(instances.map(\.widget) == [Fixture.score, Fixture.forecast])
      #expect(instances.allSatisfy { $0.family == .systemSmall })
      let first = try await server.admin().statistics(on: Fixture.device, count: 1)
      #expect(first.apps == [all.apps[0]] && first.hasMore)
      let second = try await server.admin().statistics(on: Fixture.device, skipping: 1, count: 1)
      #expect(second.apps == [all.apps[1]] && !second.hasMore)
      #expect(try await server.admin().statistics(on: Fixture.device, of: Fixture.weatherApp).apps == [all.apps[1]])
      try await server.restart()
      #expect(try await server.admin().statistics(on: Fixture.device) == all)
      let app = try AppID("com.example.nothing")
      let unknown = try await callStatus { _ = try await server.admin().statistics(on: Fixture.device, of: app) }
      #expect(unknown?.code == .notFound && unknown?.message.hasPrefix("app: ") == true)
      let absent = try await callStatus { _ = try await server.admin().statistics(on: Fixture.otherDevice) }
      #expect(absent?.code == .notFound && absent?.message.hasPrefix("device: ") == true)
    }
  }

  @Test("R17 A provider reads the statistics of its own app")
  func provider() async throws {
    try await run { server, _ in
      func statistics(of app: AppID) async throws -> AppStatistics {
        let client = try ProviderClient(server.connection(), device: Fixture.device, app: app, kinds: [])
        return try await client.statistics()
      }
      let weather = try await statistics(of: Fixture.weatherApp)
      #expect(weather.app == Fixture.weatherApp && weather.total == Self.forecast)
      #expect(weather.instances.map(\.widget) == [Fixture.forecast])
      #expect(weather.instances.map(\.statistics) == [Self.forecast])
      let nothing = try await statistics(of: try AppID("com.example.nothing"))
      #expect(nothing.instances.isEmpty && nothing.total.since == nil && nothing.total.worth == 0.8)
      _ = try await server.display().removeApp(Fixture.weatherApp, from: Fixture.device)
      #expect(try await statistics(of: Fixture.weatherApp).instances.isEmpty)
    }
  }

  @Test("R17 The command lists all apps, one app, or one widget")
  func command() async throws {
    try await run { _, marquee in
      let rows = try await marquee("statistics", "phone").map { $0.replacing(#/[ ]{2,}/#, with: " | ") }
      #expect(
        rows == [
          "WIDGET | TITLE | FAMILY | SINCE | SHOWN | IN FRONT | ROTATED TO | TAPPED | SCROLLED AWAY | SUGGESTED | "
            + "KEPT | DISMISSED | WORTH",
          "com.example.sport/Score | Score | systemSmall | 12:01:00 | 1 | 40m | 0 | 0 | 0 | 0 | 0 | 0 | 80 %",
          "com.example.sport | all | 12:01:00 | 1 | 40m | 0 | 0 | 0 | 0 | 0 | 0 | 80 %",
          "com.example.weather/Forecast | Forecast | systemSmall | 11:41:00 | 1 | 20m | 0 | 1 | 1 | 0 | 0 | 0 | 80 %",
          "com.example.weather | all | 11:41:00 | 1 | 20m | 0 | 1 | 1 | 0 | 0 | 0 | 80 %",
        ])
      #expect(try await marquee("statistics", "--app", "com.example.sport").count == 3)
      let one = try await marquee("statistics", "phone", "--widget", "Forecast")
      #expect(one.count == 2 && one.last?.hasPrefix("com.example.weather/Forecast") == true)
      let document = try await marquee.json("statistics", "phone", "--app", "com.example.weather")
      #expect(document["at"].text == "2021-06-07T12:41:00+02:00" && document["apps"].list.count == 1)
      let app = document["apps"].list[0]
      #expect(app["app"].text == "com.example.weather" && app["total"]["front_time"].number == 1_200)
      let widget = app["widgets"].list[0]
      #expect(widget["widget"].text == "com.example.weather/Forecast" && widget["family"].text == "systemSmall")
      #expect(widget["since"].text == "2021-06-07T11:41:00+02:00" && widget["tap_count"].number == 1)
      let unknown = try await marquee.run(["statistics", "phone", "--app", "com.example.sprt"])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("Did you mean \"com.example.sport\"?"))
      let both = try await marquee.run(["statistics", "phone", "--app", "com.example.sport", "--widget", "Score"])
      #expect(both.exit == .code(64))
    }
  }
}
