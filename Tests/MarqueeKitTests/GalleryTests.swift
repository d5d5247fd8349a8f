import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

@Suite("Gallery content", .timeLimit(.minutes(2)))
struct GalleryTests {
  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(MatchWidgets(), app: MatchWidgets.app)
      try await day.host(Weather(), app: Weather.app)
      try await body(day)
    }
  }

  @Test("A placeholder and a snapshot are requested by the kind's name or the widget's type")
  func snapshots() async throws {
    try await run { day in
      let placeholders = [try await day.placeholder(of: "Final"), try await day.placeholder(of: TeamWidget.self)]
      #expect(placeholders == ["a final", "a match"])
      let snapshots = [
        try await day.snapshot(of: FinalWidget.self, family: .systemLarge),
        try await day.snapshot(of: "\(MatchWidgets.app)/Team(team=Reds)"),
        try await day.snapshot(of: "Team", isPreview: false),
        try await day.snapshot(of: RainWidget.self),
        try await day.snapshot(of: "Forecast(city=object:berlin)"),
      ]
      let rain = try MarqueeKit.EntryContent(json: ["–"])
      #expect(
        snapshots == [
          "the final in systemLarge", "Reds systemSmall true", "any team systemSmall false", rain, "–",
        ])
    }
  }

  @Test("Recommendations are widgets")
  func recommendations() async throws {
    try await run { day in
      let recommended = try await day.recommendations(of: "Team")
      #expect(recommended.map(\.description) == ["The Reds", "The Blues"])
      #expect(recommended.map { "\($0.widget)" } == ["Reds", "Blues"].map { "\(MatchWidgets.app)/Team(team: \($0))" })
      #expect(try await day.recommendations(of: "Final").isEmpty)
      #expect(try await day.recommendations(of: "Rain").isEmpty)
    }
  }

  @Test("Unknown kinds and configurations are reported")
  func errors() async throws {
    try await run { day in
      let unknown = await #expect(throws: RequestError.self) { try await day.snapshot(of: "Snow") }
      #expect(unknown?.reason == "no hosted kind is named 'Snow'")
      let configured = await #expect(throws: RequestError.self) { try await day.snapshot(of: "Final(team=Reds)") }
      #expect(configured?.reason == "the kind Final has no configuration")
      // The required city has no default.
      await #expect(throws: (any Error).self) { try await day.snapshot(of: "Forecast") }
    }
  }
}
