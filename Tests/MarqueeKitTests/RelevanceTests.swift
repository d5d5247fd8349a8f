import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

@Suite("Relevant shortcuts and intents with Apple's API", .timeLimit(.minutes(2)))
struct RelevanceTests {
  private func intent(_ city: String) -> ShowForecast {
    let intent = ShowForecast()
    intent.city = City(id: city)
    return intent
  }

  private func shortcuts(in day: StackSimulator) async throws -> [RelevantShortcut] {
    try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.shortcuts).map(\.shortcut)
  }

  @Test("S1 A relevant shortcut suggests its widget for its time, and is removed with the next set")
  func shortcut() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["com.example.news/Headlines"])
      try await day.run(as: Weather.app) {
        let rain = ShowRainIntent()
        rain.city = INObject(identifier: "berlin", display: "Berlin")
        let shortcut = INRelevantShortcut(shortcut: .intent(rain))
        #expect(shortcut.shortcutRole == .action)
        shortcut.shortcutRole = .information
        shortcut.widgetKind = "Rain"
        shortcut.relevanceProviders = [
          INDateRelevanceProvider(start: Weather.date + 600, end: Weather.date + 2_400),
          INDailyRoutineRelevanceProvider(situation: .commute),
          INLocationRelevanceProvider(
            region: CLCircularRegion(
              center: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4), radius: 500, identifier: "office")),
        ]
        try await INRelevantShortcutStore.default.setRelevantShortcuts([shortcut])
      }
      try await day.advance(to: "10:00")
      #expect(try await day.front(of: "home", at: "09:09") == "Headlines")
      #expect(try await day.front(of: "home", at: "09:10") == "Rain")
      #expect(try await day.rotations.map(\.isSuggestion) == [true])
      #expect(try await shortcuts(in: day).map(\.providers.count) == [3])
      try await day.run(as: Weather.app) { try await INRelevantShortcutStore.default.setRelevantShortcuts([]) }
      #expect(try await shortcuts(in: day).isEmpty)
    }
  }

  @Test("S1 An invalid set changes nothing, and reports the error")
  func rejected() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.run(as: Weather.app) {
        let right = INRelevantShortcut()
        right.widgetKind = "Beat"
        try await INRelevantShortcutStore.default.setRelevantShortcuts([right])
        let wrong = INRelevantShortcut()
        wrong.relevanceProviders = [INDateRelevanceProvider(start: Weather.date, end: Weather.date - 1)]
        let error = await #expect(throws: RequestError.self) {
          try await INRelevantShortcutStore.default.setRelevantShortcuts([right, wrong])
        }
        #expect(error?.field == "shortcuts[1].end")
        let (errors, continuation) = AsyncStream.makeStream(of: String.self)
        let activity = NSUserActivity(activityType: "a")
        activity.requiredUserInfoKeys = ["line"]
        let keyless = INRelevantShortcut(shortcut: INShortcut(userActivity: activity))
        INRelevantShortcutStore.default.setRelevantShortcuts([keyless]) { continuation.yield("\($0 as Any)") }
        let message = try await withTimeLimit(waitingFor: "the completion handler") { await errors.first { _ in true } }
        #expect(message?.contains("user_activity.required_user_info_keys") == true)
      }
      #expect(try await shortcuts(in: day).map(\.kind?.text) == ["Beat"])
    }
  }

  @Test("S7 Relevant intents do the same for widgets that app intents configure")
  func intents() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["com.example.news/Headlines"])
      try await day.run(as: Weather.app) {
        let relevant = RelevantIntent(
          intent("paris"), widgetKind: "Forecast",
          relevance: .date(from: Weather.date + 600, to: Weather.date + 2_400))
        try await RelevantIntentManager.shared.updateRelevantIntents([relevant])
      }
      try await day.advance(to: "09:30")
      #expect(try await day.rotations.map(\.time) == ["09:10"])
      let front = try await day.explain("home").front
      #expect(front.map { "\($0)" } == "com.example.weather/Forecast(city: paris, days: 3)")
      #expect(try await day.whyNot("Headlines", in: "home").obstacles.isEmpty == false)
    }
  }
}
