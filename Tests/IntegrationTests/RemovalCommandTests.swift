import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import Testing

/// The commands that remove kinds, intent types, apps and devices (rule W6).
@Suite("Removal commands over sockets", .timeLimit(.minutes(2)))
struct RemovalCommandTests {
  private static let app = Fixture.weatherApp.text

  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast, Fixture.rain, Fixture.score])
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  @Test("W6 remove-kinds and remove-intent-types print the number of removals")
  func parts() async throws {
    try await run { server, marquee in
      let weather = Habits.provider(server.connection(), Fixture.weatherApp)
      try await weather.registerIntentTypes([Habits.type("ShowRain", of: Fixture.weatherApp, [:], [])])
      let kinds = try await marquee("remove-kinds", "phone", Self.app, "Forecast", "Nothing")
      #expect(kinds == ["Removed 1 kind of \(Self.app) from phone."])
      let types = try await marquee("remove-intent-types", "phone", Self.app, "ShowRain")
      #expect(types == ["Removed 1 intent type of \(Self.app) from phone."])
      let none = try await marquee.json("remove-kinds", "phone", Self.app, "Forecast")
      #expect(none["device"].text == "phone" && none["app"].text == Self.app && none["removed_count"].number == 0)
      #expect(try await server.admin().stacks(of: Fixture.device)[0].members == [Fixture.rain, Fixture.score])
      let wrong = [["remove-kinds", "phone", Self.app], ["remove-intent-types", "phone", Self.app, "A", "A"]]
      for arguments in wrong { #expect(try await marquee.run(arguments).exit == .code(64), "\(arguments)") }
    }
  }

  @Test("W6 remove-app and remove-device print what was removed, and an unknown device is an error with a suggestion")
  func whole() async throws {
    try await run { server, marquee in
      #expect(try await marquee("remove-app", "phone", Self.app) == ["Removed \(Self.app) from phone."])
      #expect(try await server.admin().stacks(of: Fixture.device)[0].members == [Fixture.score])
      let none = try await marquee("remove-app", "phone", Self.app)
      #expect(none == ["There was nothing of \(Self.app) on phone."])
      let app = try await marquee.json("remove-app", "phone", Fixture.sportApp.text)
      #expect(app["app"].text == Fixture.sportApp.text && app["removed"].flag == true)
      let typo = try await marquee.run(["remove-device", "phon"])
      #expect(typo.exit == .code(1) && typo.errors.contains("Did you mean \"phone\"?"))
      let device = try await marquee.json("remove-device", "phone")
      #expect(device["device"].text == "phone" && device["removed"].flag == true)
      #expect(try await server.admin().devices().devices.isEmpty)
      try await Fixture.register(server.connection())
      #expect(try await marquee("remove-device", "phone") == ["Removed phone."])
    }
  }
}
