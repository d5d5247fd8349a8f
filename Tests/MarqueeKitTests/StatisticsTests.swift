import Foundation
import MarqueeKit
import MarqueeTestKit
import Testing

@Suite("Statistics with the kit", .timeLimit(.minutes(2)))
struct StatisticsTests {
  @Test("R17 An app reads how long each of its widgets was shown")
  func center() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["\(Weather.app)/Beat"])
      try await day.advance(to: "10:00")
      try await day.run(as: Weather.app) {
        let statistics = try await WidgetCenter.shared.statistics()
        #expect(statistics.widgets.keys.map(\.kind) == ["Beat"])
        let placed = try await WidgetCenter.shared.currentConfigurations()
        let beat = try #require(statistics.widgets[placed[0]])
        #expect(beat.frontTime == 3_600 && beat.shownCount == 1 && beat.since == Weather.date)
        #expect(statistics.total == beat && beat.worth == 0.8)
      }
      let others = try await day.run(as: "com.example.other") { try await WidgetCenter.shared.statistics() }
      #expect(others.widgets.isEmpty && others.total.since == nil)
    }
  }
}
