import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import Testing

/// Clocks begin on 2021-06-07 at 11:41 in Berlin.
@Suite("The command events", .timeLimit(.minutes(2)))
struct EventsCommandTests {
  @Test("W7 The command follows an app's widgets, as text and as JSON, and an unknown app with a note")
  func events() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.rain, Fixture.score])
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let (weather, rain) = ("com.example.weather", "com.example.weather/Rain in systemSmall")
      let following = try marquee.start(["events", "phone", "--app", weather])
      let followingJSON = try marquee.start(["events", "--app", weather, "--kind", "Rain", "--json"])
      let unknown = try marquee.start(["events", "phone", "--app", "com.example.news"])
      defer { for process in [following, followingJSON, unknown] { process.send(signal: SIGKILL) } }
      func event(_ part: String) async throws -> JSONDocument {
        let line = try await followingJSON.log.line(with: part)
        return JSONDocument(try JSONSerialization.jsonObject(with: Data(line.utf8)))
      }
      let first = try await following.log.line(with: "Rain")
      #expect(first == "2021-06-07 11:41:00  phone/home  \(rain) is placed")
      let initial = try await event("placed")
      #expect(initial["initial"].flag == true && initial["event"].text == "placed")
      #expect(initial["widget"].text == "com.example.weather/Rain" && initial["family"].text == "systemSmall")
      #expect(initial["stack"].text == "home" && initial["device"].text == "phone")
      let note = try await unknown.log.line(with: "unknown")
      #expect(note == "marquee: com.example.news is unknown on phone: it has registered no kinds yet")
      server.clock.advance(to: Fixture.after(.seconds(90)))
      try await server.display().report(.tapped(Fixture.stack, Fixture.rain), on: Fixture.device)
      let tapped = try await following.log.line(with: "tapped")
      #expect(tapped == "2021-06-07 11:42:30  phone/home  \(rain) was tapped: it showed no entry")
      let tap = try await event("tapped")
      #expect(tap["entry"].isNull && tap["link"].isNull && tap["at"].text == "2021-06-07T11:42:30+02:00")
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.rain), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.seconds(100)))
      let seen = try await following.log.line(with: "impression")
      #expect(
        seen == "2021-06-07 11:42:30  phone/home  com.example.weather/Forecast in systemSmall "
          + "had 1 impression, visible for 1m30s")
      _ = try await following.log.line(with: "\(rain) is visible")
      try await server.display().report(.homeWidgetAdded(Fixture.rain, in: .systemMedium), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.seconds(200)))
      let outside = try await event("systemMedium")
      #expect(outside["stack"].isNull && outside["event"].text == "placed" && outside["initial"].flag == false)
      try await server.display().report(.hidden(Fixture.stack), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.seconds(300)))
      let impressions = try await event("impressions")
      #expect(impressions["impression_count"].number == 1 && impressions["visible_time"].number == 110)
      following.send(signal: SIGINT)
      #expect(try await following.wait() == .code(0))
    }
  }

  @Test("W7 The command requires an app, and rejects a kind that is named twice or an unknown device")
  func errors() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let missing = try await marquee.run(["events", "phone"])
      #expect(missing.exit == .code(64) && missing.errors.contains("--app"))
      let kinds = ["--kind", "Rain", "--kind", "Rain"]
      let twice = try await marquee.run(["events", "phone", "--app", "com.example.weather"] + kinds)
      #expect(twice.exit == .code(64) && twice.errors.contains("kinds[1]: duplicate value"))
      let device = try await marquee.run(["events", "watch", "--app", "com.example.weather"])
      #expect(device.exit == .code(1) && device.errors.contains("watch"))
    }
  }
}
