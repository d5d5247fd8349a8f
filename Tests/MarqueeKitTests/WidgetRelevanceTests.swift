import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// Goal: the engine uses a provider's `relevance()`, and it does not replace the app's other relevant shortcuts.
@Suite("Relevance of providers", .timeLimit(.minutes(2)))
struct WidgetRelevanceTests {
  private static let start = Weather.date

  /// A context of half an hour that starts a number of minutes after nine.
  private static func halfHour(_ minutes: Double) -> RelevantContext {
    .date(from: start + minutes * 60, to: start + (minutes + 30) * 60)
  }

  private func shortcuts(in day: StackSimulator) async throws -> [RelevantShortcut] {
    try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.shortcuts).map(\.shortcut)
  }

  private func run(_ season: Season, _ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(MatchWidgets(season: season), app: MatchWidgets.app)
      try await day.addStack("home", ["com.example.news/Headlines"])
      try await body(day)
    }
  }

  @Test("S1 A widget is suggested for its time by relevance() alone, and gets its timeline")
  func suggestion() async throws {
    let season = Season(cup: [WidgetRelevanceAttribute(context: Self.halfHour(10))])
    try await run(season) { day in
      try await day.advance(to: "09:15")
      #expect(try await day.front(of: "home", at: "09:09") == "Headlines")
      #expect(try await day.front(of: "home", at: "09:10") == "Final")
      #expect(try await day.content(of: "Final") == "0:0")
      try await day.advance(to: "10:00")
      #expect(try await day.front(of: "home") == "Headlines")
      #expect(try await day.rotations.map(\.time) == ["09:10"])
      #expect(try await day.rotations.map(\.isSuggestion) == [true])
      #expect(day.remarks.isEmpty)
    }
  }

  @Test("S7 Each configuration has its own time")
  func configurations() async throws {
    let season = Season(teams: [
      WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: Self.halfHour(10)),
      WidgetRelevanceAttribute(configuration: ShowTeam("Blues"), context: Self.halfHour(70)),
      WidgetRelevanceAttribute(configuration: ShowTeam("Reds"), context: Self.halfHour(130)),
    ])
    try await run(season) { day in
      #expect(try await shortcuts(in: day).map(\.windows.count) == [2, 1])
      try await day.advance(to: "12:00")
      let fronts = try await day.rotations.map { "\($0.time) \($0.decision.to)" }
      let widget = "\(MatchWidgets.app)/Team"
      #expect(fronts == ["09:10 \(widget)(team: Reds)", "10:10 \(widget)(team: Blues)", "11:10 \(widget)(team: Reds)"])
    }
  }

  @Test("Explicit shortcuts and relevance() do not replace each other")
  func coexistence() async throws {
    let season = Season(cup: [WidgetRelevanceAttribute(context: Self.halfHour(10))])
    try await run(season) { day in
      try await day.run(as: MatchWidgets.app) {
        let byHand = INRelevantShortcut()
        byHand.widgetKind = "Beat"
        byHand.relevanceProviders = [INDateRelevanceProvider(start: Self.start + 7_200, end: nil)]
        try await INRelevantShortcutStore.default.setRelevantShortcuts([byHand])
        let relevant = RelevantIntent(ShowTeam("Reds"), widgetKind: "Team", relevance: Self.halfHour(180))
        try await RelevantIntentManager.shared.updateRelevantIntents([relevant])
      }
      #expect(try await shortcuts(in: day).map(\.kind?.text) == ["Beat", "Final"])
      season.state.withLock { $0.cup = [] }
      try await day.run(as: MatchWidgets.app) { WidgetCenter.shared.invalidateRelevance(ofKind: "Final") }
      try await day.advance(to: "09:30")
      #expect(try await shortcuts(in: day).map(\.kind?.text) == ["Beat"])
      #expect(try await day.rotations.isEmpty)
      season.state.withLock { $0.cup = [WidgetRelevanceAttribute(context: Self.halfHour(60))] }
      try await day.run(as: MatchWidgets.app) {
        WidgetCenter.shared.reloadTimelines(ofKind: "Final")
        // Later calls take effect after earlier ones.
        try await INRelevantShortcutStore.default.setRelevantShortcuts([])
      }
      try await day.advance(to: "12:30")
      #expect(try await shortcuts(in: day).map(\.kind?.text) == ["Final"])
      #expect(try await day.rotations.map { "\($0.time) \($0.kind)" } == ["10:00 Final", "12:00 Team"])
    }
  }

  @Test("Without relevance(), the shortcuts of another process are kept")
  func silence() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.server.app(Weather.app, device: day.device).run {
        let beat = INRelevantShortcut()
        beat.widgetKind = "Beat"
        try await INRelevantShortcutStore.default.setRelevantShortcuts([beat])
      }
      try await day.run(as: Weather.app) { WidgetCenter.shared.reloadAllTimelines() }
      try await day.advance(to: "09:10")
      #expect(try await shortcuts(in: day).map(\.kind?.text) == ["Beat"])
    }
  }

  @Test("S5 Places and situations serve the watch face; unsupported contexts are logged")
  func contexts() async throws {
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4), radius: 500, identifier: "stadium")
    let contexts: [RelevantContext] = [
      .location(region), .location(inferred: .commute), .fitness(.workoutActive), .hardware(headphones: .connected),
      .sleep(.bedtime), .date(from: Self.start, to: Self.start - 1),
    ]
    let reading = RelevantContext.date(range: Self.start...Self.start + 600, kind: .informational)
    let season = Season(
      cup: contexts.map { WidgetRelevanceAttribute(context: $0) } + [
        WidgetRelevanceAttribute(group: .named("sport")), WidgetRelevanceAttribute(context: reading),
      ])
    try await run(season) { day in
      let told = try await shortcuts(in: day)
      #expect(told.map(\.role) == [.action, .information] && told.map(\.group?.text) == [nil, "sport"])
      #expect(
        told[0].providers.dropFirst() == [
          .dailyRoutine(.commute), .dailyRoutine(.activeWorkout), .dailyRoutine(.headphonesConnected),
        ])
      let unknown = "ignoring an attribute of relevance(): Final: attributes"
      #expect(
        day.remarks.prefix(2) == [
          "\(unknown)[4].context: unsupported context: bedtime", "\(unknown)[5].end: end precedes the start by 1 s",
        ])
      let relevant = RelevantIntent(ShowTeam("Reds"), widgetKind: "Team", relevance: .sleep(.wakeup))
      let error = await #expect(throws: RequestError.self) {
        try await day.run(as: MatchWidgets.app) {
          try await RelevantIntentManager.shared.updateRelevantIntents([relevant])
        }
      }
      #expect(error?.field == "relevance")
    }
  }

  @Test("The most important attributes are kept within the limit, which kinds share")
  func priority() async throws {
    let season = Season(
      teams: (0..<70).map {
        WidgetRelevanceAttribute(configuration: ShowTeam("Team \($0)"), context: Self.halfHour(10))
      }, cup: [WidgetRelevanceAttribute(context: Self.halfHour(90))])
    try await run(season) { day in
      let told = try await shortcuts(in: day)
      #expect(told.count == 64 && told[1].kind?.text == "Final")
      #expect(day.remarks.count == 1 && day.remarks[0].contains("71 exceeds shortcut-count-max (64)"))
      try await day.run(as: MatchWidgets.app) {
        let beats = (0..<64).map { _ in INRelevantShortcut() }
        for beat in beats { beat.widgetKind = "Beat" }
        try await INRelevantShortcutStore.default.setRelevantShortcuts(beats)
      }
      try await day.advance(to: "09:05")
      #expect(Set(try await shortcuts(in: day).map(\.kind?.text)) == ["Beat"])
      #expect(day.remarks.last?.contains("135 exceeds shortcut-count-max (64)") == true)
    }
  }

  @Test("relevance() is called on attaching, with reloads of the kind, and after invalidation")
  func asking() async throws {
    let season = Season()
    try await run(season) { day in
      #expect(season.state.withLock(\.askCount) == 1)
      try await day.addStack("work", ["\(MatchWidgets.app)/Team"])
      try await day.run(as: MatchWidgets.app) {
        WidgetCenter.shared.reloadTimelines(ofKind: "Team")
        _ = try await WidgetCenter.shared.currentConfigurations()
      }
      try await day.advance(to: "09:20")
      let reloadedCount = season.state.withLock(\.askCount)
      #expect(reloadedCount > 1)
      try await day.run(as: MatchWidgets.app) {
        WidgetCenter.shared.invalidateRelevance(ofKind: "Team")
        WidgetCenter.shared.invalidateRelevance(ofKind: "Final")
      }
      try await day.advance(to: "09:21")
      #expect(season.state.withLock(\.askCount) == reloadedCount + 1)
    }
  }
}
