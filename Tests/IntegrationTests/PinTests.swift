import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Testing

/// Pins and rotation rules through displays and commands. Clocks begin on 2021-06-07, a Monday, at 11:41 in Berlin.
@Suite("Pins over sockets", .timeLimit(.minutes(2)))
struct PinTests {
  private static let (noon, end) = (Fixture.after(.minutes(19)), Fixture.after(.minutes(79)))

  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  private func pass(to instant: Instant, on server: InProcessServer) async throws {
    try await server.clock.sleeper(until: instant)
    server.clock.advance(to: instant)
  }

  @Test("R12 A pinned member comes to the front at its local time, and displays receive the pin and the reason")
  func pin() async throws {
    try await run { server, marquee in
      var watcher = try await Watcher(server.display())
      let pinned = try await marquee("stack", "pin", "home", "Score", "--times", "12:00-13:00")
      #expect(
        pinned == [
          "phone/home  systemSmall, Smart Rotate on, Widget Suggestions on", "▸ 0  com.example.weather/Forecast",
          "  1  com.example.sport/Score (pinned daily from 12:00 to 13:00)",
        ])
      let pin = try Pin(times: PinTimes(start: 720, end: 780))
      let changed = try await watcher.nextStack().stack
      #expect(changed.settings == [Fixture.score: MemberSettings(pin: pin)] && changed.frontWidget == Fixture.forecast)
      try await pass(to: Self.noon, on: server)
      let front = try await watcher.nextFront()
      #expect(front.at == Self.noon && front.change.widget == Fixture.score && front.change.decision == 1)
      #expect(front.change.reason == "Score is pinned daily from 12:00 to 13:00")
      #expect(watcher.screen.stacks[Fixture.stack]?.settings == changed.settings)
      let decision = try await marquee.json("decisions", "home")["decisions"].list[0]
      #expect(decision["kind"].text == "pin" && decision["at"].text == "2021-06-07T12:00:00+02:00")
      let candidates = try await marquee.json("explain", "home")["candidates"].list
      #expect(candidates.map { $0["pin"]["times"].text } == [nil, "12:00-13:00"])
    }
  }

  @Test("R12 A pin outranks the evidence of others until it ends, and why-not names it")
  func outranks() async throws {
    try await run { server, marquee in
      var watcher = try await Watcher(server.display())
      _ = try await marquee("stack", "pin", "home", "Score", "--times", "mon,tue 12:00-13:00")
      _ = try await watcher.nextStack()
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let entry = Fixture.entry(Self.noon, score: 5, for: .hours(3))
      #expect(try await weather.publish(1, Fixture.forecast, [entry]) == .accepted(1))
      try await pass(to: Self.noon, on: server)
      while watcher.screen.stacks[Fixture.stack]?.frontWidget != Fixture.score { _ = try await watcher.next() }
      let obstacles = try await marquee.json("why-not", "home", "Forecast")["obstacles"].list
      let pinned = try #require(obstacles.first { $0["obstacle"].text == "pinned" })
      #expect(pinned["by"].text == "com.example.sport/Score")
      #expect(pinned["clears"].text == "2021-06-07T13:00:00+02:00")
      try await pass(to: Self.end, on: server)
      let rotated = try await watcher.nextFront()
      #expect(rotated.at == Self.end && rotated.change.widget == Fixture.forecast)
    }
  }

  @Test("R12 Settings are listed by inspect and stacks, replaced by a new pin, and removed by unpin")
  func inspection() async throws {
    try await run { server, marquee in
      _ = try await marquee("stack", "rotation-rule", "home", "Score", "--no-to")
      _ = try await marquee("stack", "rotation-rule", "home", "Score", "--no-away")
      _ = try await marquee(
        "stack", "pin", "home", "Score", "--latitude", "52.5", "--longitude", "13.4", "--radius", "150")
      let words = "com.example.sport/Score (pinned within 150 m of a place; never rotated to; never rotated away from)"
      #expect(try await marquee("inspect", "home").contains { $0.contains(words) })
      let settings = try await marquee.json("inspect", "home")["settings"].list
      #expect(settings.map { $0["widget"].text } == ["com.example.sport/Score"])
      #expect(settings[0]["pin"]["place"].text == "52.500, 13.400" && settings[0]["pin"]["radius"].number == 150)
      #expect(settings[0]["to_allowed"].flag == false && settings[0]["away_allowed"].flag == false)
      _ = try await marquee("stack", "pin", "home", "Score", "--focus", "work")
      let stack = try await marquee.json("stacks")["stacks"].list[0]["settings"].list
      #expect(stack[0]["pin"]["focus"].text == "work" && stack[0]["pin"]["place"].isNull)
      #expect(stack[0]["to_allowed"].flag == false)
      _ = try await marquee("stack", "unpin", "home", "Score")
      let unpinned = try await marquee("stack", "rotation-rule", "home", "Score", "--to", "--away")
      #expect(unpinned.last == "  1  com.example.sport/Score")
      #expect(try await server.admin().stacks(of: Fixture.device)[0].settings.isEmpty)
    }
  }

  @Test("R12 A pin that another one keeps from the front is set with a warning that names the other")
  func hiddenPin() async throws {
    try await run { _, marquee in
      let first = try await marquee.run(["stack", "pin", "home", "Forecast"])
      #expect(first.exit == .code(0) && first.errors.isEmpty)
      let second = try await marquee.run(["stack", "pin", "home", "Score", "--json"])
      #expect(second.exit == .code(0))
      #expect(
        second.errors.contains(
          "the pin has no effect: com.example.weather/Forecast is pinned always, and comes first in the stack"))
      let again = try await marquee.run(["stack", "pin", "home", "Forecast"])
      let words = "the pin of com.example.sport/Score, which comes later in the stack, has no effect"
      #expect(again.errors.contains(words))
    }
  }

  @Test("R12 A pin of a widget that is no member, or with too long a name, is rejected and changes nothing")
  func errors() async throws {
    try await run { server, marquee in
      let before = try await server.admin().stacks(of: Fixture.device)
      let edits: [(StackEdit, String)] = [
        (.setPin(Fixture.rain, .always), "set_pin.widget"),
        (.setRotationRule(Fixture.rain, RotationRule()), "set_rotation_rule.widget"),
      ]
      for (edit, field) in edits {
        let error = await #expect(throws: RPCStatus.self) {
          try await server.display().edit(Fixture.stack, on: Fixture.device, edit)
        }
        #expect(error?.code == .notFound && error?.message.hasPrefix("\(field): ") == true)
      }
      let place = try Place(latitude: 52, longitude: 13, display: String(repeating: "x", count: 4_097))
      let pin = Pin(place: try PlaceRegion(center: place, radius: 5))
      let tooLong = await #expect(throws: RPCStatus.self) {
        try await server.display().edit(Fixture.stack, on: Fixture.device, .setPin(Fixture.score, pin))
      }
      #expect(
        tooLong?.code == .resourceExhausted
          && tooLong?.message == "set_pin.pin.place.center.display: 4097 exceeds string-size-max (4096)")
      let unknown = try await marquee.run(["stack", "pin", "home", "Rain"])
      #expect(unknown.exit == .code(1))
      #expect(try await server.admin().stacks(of: Fixture.device) == before)
    }
  }
}
