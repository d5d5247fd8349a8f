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
    try await run(Season(teams: attributes), body)
  }

  private func run(_ season: Season, _ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(KickOffWidgets(season: season), app: MatchWidgets.app)
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

  /// Replaces the contexts of the Reds by one.
  private func invalidate(_ season: Season, _ context: RelevantContext, in day: StackSimulator) async throws {
    season.state.withLock {
      $0.teams = [WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: context)]
    }
    try await day.run(as: MatchWidgets.app) { WidgetCenter.shared.invalidateRelevance(ofKind: "KickOff") }
  }

  @Test("S7 When the relevance changes, the entry is made for the new context")
  func invalidation() async throws {
    let season = Season()
    try await run(season) { day in
      let widget = "KickOff(team=Reds)"
      // Each context is known only after the entry for the previous one was made.
      for minutes in [10, 1_500] {
        try await invalidate(season, Self.halfHour(Double(minutes)), in: day)
        try await day.advance(to: minutes == 10 ? "09:15" : "2021-06-08 10:05")
        let (front, content) = (try await day.front(of: "home"), try await day.content(of: widget))
        #expect(front == "KickOff" && content == "Reds in systemSmall, \(minutes) min after nine")
      }
      // The next context is moved forward, and then to one that has begun already.
      try await invalidate(season, Self.halfHour(1_800), in: day)
      try await day.advance(to: "2021-06-08 11:00")
      try await invalidate(season, Self.halfHour(1_620), in: day)
      try await day.advance(to: "2021-06-08 12:05")
      let forward = try await day.content(of: widget)
      try await day.advance(to: "2021-06-08 13:00")
      try await invalidate(season, Self.halfHour(1_670), in: day)
      try await day.advance(to: "2021-06-08 13:01")
      let begun = try await day.content(of: widget)
      #expect(forward == "Reds in systemSmall, 1620 min after nine")
      #expect(begun == "Reds in systemSmall, 1680 min after nine")
      #expect(day.remarks.isEmpty)
    }
  }

  @Test("S7 A context that starts while an entry is made gets an entry of its own")
  func startDuringEntry() async throws {
    let attributes = [10, 12].map {
      WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: Self.halfHour($0))
    }
    let season = Season(teams: attributes)
    try await run(season) { day in
      let seconds = Int64(Weather.date.timeIntervalSince1970) + 900
      let (admin, end) = (day.admin, try #require(Instant(milliseconds: seconds * 1_000)))
      season.state.withLock { state in
        state.delay = {
          season.state.withLock { $0.delay = nil }
          _ = try await admin.advanceClock(to: end)
        }
      }
      try await day.advance(to: "09:20")
      let content = try await day.content(of: "KickOff(team=Reds)")
      #expect(content == "Reds in systemSmall, 15 min after nine")
    }
  }

  @Test("The entries of a provider can be sent to other tasks")
  func sendability() async {
    func sent(_ entry: some RelevanceEntry) async -> any RelevanceEntry { await Task { entry }.value }
    let entry = await sent(KickOffs.Entry(text: "0:0")) as? KickOffs.Entry
    #expect(entry?.text == "0:0")
  }

  @Test("relevance() is called once for each entry, and an entry does not wait for it")
  func requests() async throws {
    let season = Season(
      teams: [10, 70].map { WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: Self.halfHour($0)) })
    try await run(season) { day in
      var counts = [season.state.withLock(\.askCount)]
      for time in ["09:15", "10:15"] {
        try await day.advance(to: time)
        counts.append(season.state.withLock(\.askCount))
      }
      #expect(counts == [1, 2, 3])
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
      (.ungrouped, nil), (.automatic, "kind:KickOff"), (.named("sport"), "sport"),
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

  @Test("R15 A widget of several groups stands for all of them")
  func severalGroups() async throws {
    let later = RelevantContext.date(from: Weather.date + 600, to: Weather.date + 3_600)
    let contexts = [
      ("Reds", Self.halfHour(10)), ("Reds", .location(inferred: .home)), ("Blues", later), ("Greens", later),
    ]
    let groups: [(String, WidgetRelevanceGroup)] = [
      ("Reds", .named("sport")), ("Reds", .named("news")), ("Reds", .named("sport")), ("Reds", .ungrouped),
      ("Blues", .named("sport")), ("Greens", .named("news")),
    ]
    let attributes =
      contexts.map { WidgetRelevanceAttribute(configuration: ShowTeam($0), context: $1) }
      + groups.map { WidgetRelevanceAttribute(configuration: ShowTeam($0), group: $1) }
    try await run(attributes) { day in
      let apps = try await day.admin.shortcuts(on: DeviceID(day.device)).apps
      let shortcuts = apps.flatMap(\.shortcuts).map(\.shortcut)
      #expect(shortcuts.map(\.group?.text) == ["sport", "news", "sport", "news"])
      // A place counts for the watch face, which lists it once.
      #expect(shortcuts.map(\.providers.count) == [2, 1, 1, 1])
      try await day.advance(to: "10:10")
      let suggested = try await suggestions(of: day)
      #expect(suggested.first == "09:10 home \(MatchWidgets.app)/KickOff(team: Reds)")
      #expect(suggested.dropFirst().map { $0.prefix(5) } == ["09:40", "09:40"])
      #expect(!day.remarks.contains { $0.hasPrefix("ignoring") })
    }
  }

  @Test("R15 An invalid or reserved name of a group, and a group without a date context, are logged")
  func ignored() async throws {
    let groups: [WidgetRelevanceGroup] = [.named("sport"), .named("sport"), .named(""), .named("kind:KickOff")]
    try await run(groups.map { WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), group: $0) }) { day in
      let prefix = "ignoring an attribute of relevance(): KickOff: attributes"
      #expect(
        day.remarks == [
          "\(prefix)[2].group: identifier is empty",
          "\(prefix)[3].group: names that begin with 'kind:' are reserved",
          "\(prefix)[0].group: no effect: the configuration has no date context",
        ])
    }
  }
}
