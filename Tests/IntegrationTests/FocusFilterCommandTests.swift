import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import Testing

/// The commands about Focus filters (rule S11).
@Suite("Focus filter commands over sockets", .timeLimit(.minutes(2)))
struct FocusFilterCommandTests {
  private static let app = Fixture.weatherApp

  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let type = try IntentTypeDescriptor(
        app: Self.app, type: IntentType("CityFilter"), parameters: [.init(name: .init("city"), type: .object)],
        combinations: [], isFocusFilter: true, title: "Set City")
      try await Habits.provider(server.connection(), Self.app).registerIntentTypes([type])
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  @Test("S11 focus-filter sets, lists and removes filters, and inspect prints those in force")
  func filters() async throws {
    try await run { _, marquee in
      #expect(try await marquee("focus-filter", "list") == ["No app has a Focus filter."])
      let text = "\(Self.app)/CityFilter(city=object:oslo)"
      let set = try await marquee("focus-filter", "set", "phone", "work", text)
      #expect(set == ["In Focus work: \(text)."])
      let none = try await marquee.json("inspect", "home")
      #expect(none["focus_filters"].list.isEmpty)
      _ = try await marquee("report-interaction", "focus", "work")
      let listed = try await marquee.json("focus-filter", "list", "phone")["filters"].list
      #expect(listed.map { $0["filter"].text } == [text] && listed.map { $0["focus"].text } == ["work"])
      #expect(listed.map { $0["in_force"].flag } == [true])
      #expect(listed.map { $0["display"]["title"].text } == ["Set City"])
      let lines = try await marquee("focus-filter", "list")
      #expect(lines.count == 2 && lines[1].hasPrefix("▸") && lines[1].contains(text))
      let inspected = try await marquee("inspect", "home")
      #expect(inspected.last == "Focus work: \(text)")
      let removed = try await marquee("focus-filter", "remove", "phone", "work", Self.app.text, "CityFilter")
      #expect(removed == ["Removed \(Self.app)/CityFilter from Focus work."])
      let again = try await marquee.json("focus-filter", "remove", "phone", "work", Self.app.text, "CityFilter")
      #expect(again["removed"].flag == false && again["intent_type"].text == "CityFilter")
    }
  }

  @Test("S11 focus-filter set reports a type that is not one of filters, and a value of another type")
  func errors() async throws {
    try await run { _, marquee in
      let other = try await marquee.run(["focus-filter", "set", "phone", "work", "\(Self.app)/Other()"])
      #expect(other.exit == .code(1) && other.errors.contains("intent.type"))
      let wrong = try await marquee.run(["focus-filter", "set", "phone", "work", "\(Self.app)/CityFilter(city=3)"])
      #expect(wrong.exit == .code(1) && wrong.errors.contains("value must be of type object"))
      let nameless = try await marquee.run(["focus-filter", "set", "phone", "work", "CityFilter"])
      #expect(nameless.exit == .code(0), "\(nameless.errors)")
    }
  }
}
