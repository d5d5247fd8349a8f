import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// Goal: widgets that are shown while they are relevant are hosted like any other kind, and groups limit which ones.
@Suite("Relevance configurations and groups", .timeLimit(.minutes(2)))
struct RelevanceConfigurationTests {
  private static func halfHour(_ minutes: Double) -> RelevantContext {
    .date(from: Weather.date + minutes * 60, to: Weather.date + (minutes + 30) * 60)
  }

  private func run(
    _ attributes: [WidgetRelevanceAttribute<ShowTeam>], _ body: (StackSimulator) async throws -> Void
  ) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(KickOffWidgets(attributes: attributes), app: MatchWidgets.app)
      try await day.addStack("home", ["com.example.news/Headlines"])
      try await day.addStack("work", ["com.example.news/Headlines"])
      try await body(day)
    }
  }

  /// The times, stacks and widgets of the day's suggestions.
  private func suggestions(of day: StackSimulator) async throws -> [String] {
    try await day.rotations.map { "\($0.time) \($0.decision.stack) \($0.decision.to)" }
  }

  @Test("S7 A widget of a relevance configuration is suggested for its time, with an entry made at its start")
  func suggestion() async throws {
    let contexts = [10, 70].map { Self.halfHour($0) }
    let attributes = contexts.map { WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: $0) }
    try await run(attributes) { day in
      let widget = "KickOff(team=Reds)"
      try await day.advance(to: "09:15")
      let (front, content) = (try await day.front(of: "home"), try await day.content(of: widget))
      #expect(front == "KickOff" && content == "Reds in systemSmall, 10 min after nine")
      try await day.advance(to: "10:15")
      let next = try await day.content(of: widget)
      #expect(next == "Reds in systemSmall, 70 min after nine")
      let placeholder = try await day.placeholder(of: "KickOff")
      let snapshot = try await day.snapshot(of: widget)
      let recommendations = try await day.recommendations(of: "KickOff")
      #expect(placeholder == "a match" && snapshot == "Reds as a sample" && recommendations.isEmpty)
      #expect(day.remarks.isEmpty)
    }
  }

  @Test("R15 Of the widgets of a group, one at a time is suggested")
  func groups() async throws {
    let later = RelevantContext.date(from: Weather.date + 600, to: Weather.date + 3_600)
    let plain = [
      WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: Self.halfHour(10)),
      WidgetRelevanceAttribute(configuration: ShowTeam("Blues"), context: later),
    ]
    let (reds, blues) = ("\(MatchWidgets.app)/KickOff(team: Reds)", "\(MatchWidgets.app)/KickOff(team: Blues)")
    let groups: [(WidgetRelevanceGroup, name: String?)] = [
      (.ungrouped, nil), (.automatic, "KickOff"), (.named("sport"), "sport"),
    ]
    for (group, name) in groups {
      let grouped = ["Reds", "Blues"].map { WidgetRelevanceAttribute(configuration: ShowTeam($0), group: group) }
      try await run(plain + grouped) { day in
        let apps = try await day.admin.shortcuts(on: DeviceID(day.device)).apps
        #expect(apps.flatMap(\.shortcuts).map(\.shortcut.group?.text) == [name, name])
        try await day.advance(to: "10:10")
        let other = name == nil ? "09:10 work \(blues)" : "09:40 home \(blues)"
        let suggested = try await suggestions(of: day)
        #expect(suggested == ["09:10 home \(reds)", other])
      }
    }
  }

  @Test("R15 A second group of a configuration, and an invalid name, are logged")
  func ignored() async throws {
    let groups: [WidgetRelevanceGroup] = [.named("sport"), .named("sport"), .named("news"), .named("")]
    try await run(groups.map { WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), group: $0) }) { day in
      let prefix = "ignoring an attribute of relevance(): KickOff: attributes"
      #expect(
        day.remarks == [
          "\(prefix)[2].group: the configuration already has another group", "\(prefix)[3].group: identifier is empty",
        ])
    }
  }
}
