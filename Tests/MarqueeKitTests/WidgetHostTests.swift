import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

@Suite("Widget hosts", .timeLimit(.minutes(2)))
struct WidgetHostTests {
  @Test("Each widget gets a timeline for its configuration and family; a parameter that it lacks has its default")
  func configurations() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      let forecast = "com.example.weather/Forecast"
      try await day.addStack(
        "home", family: .systemMedium,
        [
          "\(forecast)(city=object:berlin, days=5)", "\(forecast)(city=object:paris)",
          "com.example.weather/Rain(city=object:berlin)",
        ])
      #expect(try await day.content(of: "Forecast(city=berlin)") == "berlin 5 °C systemMedium")
      #expect(try await day.content(of: "Forecast(city=paris)") == "paris 3 °C systemMedium")
      #expect(try await day.content(of: "com.example.weather/Rain") == "[\"rain in berlin\"]")
    }
  }

  @Test("The registered kinds and intent types match the Swift types")
  func registration() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      let kinds = try await day.admin.widgets(of: DeviceID(day.device)).kinds
      #expect(kinds.map(\.displayName) == ["Forecast", "Rain", "Beat"])
      #expect(kinds[0].configuration == .intent(try IntentType("ShowForecast")))
      #expect(kinds[2].configuration == .static && kinds[2].families == MarqueeModel.WidgetFamily.allCases)
      let types = try await day.admin.shortcuts(on: DeviceID(day.device)).apps[0].intentTypes
      #expect(types.map(\.type.text) == ["ShowForecast", "ShowRainIntent"])
      #expect(types[0].parameters.map(\.name.text) == ["city", "days", "unit"])
      #expect(types[0].parameters.map(\.type) == [.object, .integer, .string])
      #expect(types[0].combinations.map { $0.parameters.map(\.text) } == [["city", "days"], ["city"]])
    }
  }

  @Test("Timelines are reloaded by policy and by the app, and a restart loses and duplicates nothing")
  func reloads() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let bundle = Weather()
      try await day.host(bundle, app: Weather.app)
      try await day.addStack("home", ["com.example.weather/Beat"])
      #expect(try await day.content(of: "Beat") == "beat 0")
      try await day.advance(to: "09:15")
      #expect(try await day.content(of: "Beat") == "beat 1" && bundle.beats.value == 2)
      try await day.restartServer()
      #expect(try await day.content(of: "Beat") == "beat 1" && bundle.beats.value == 2)
      try await day.advance(to: "09:30")
      #expect(try await day.content(of: "Beat") == "beat 2")
      try await day.run(as: Weather.app) {
        WidgetCenter.shared.reloadTimelines(ofKind: "Beat")
        // Later calls take effect after earlier ones.
        _ = try await WidgetCenter.shared.currentConfigurations()
      }
      try await day.advance(to: "09:40")
      #expect(bundle.beats.value == 4)
    }
  }

  @Test("W2 A widget that is removed and added again keeps its content")
  func placedAgain() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let bundle = Weather()
      try await day.host(bundle, app: Weather.app)
      try await day.addStack("home", ["com.example.weather/Beat", "com.example.weather/Rain(city=object:berlin)"])
      #expect(try await day.content(of: "Beat") == "beat 0" && bundle.beats.value == 1)
      let beat = MarqueeModel.Widget(kind: WidgetKind(app: try AppID(Weather.app), name: try KindName("Beat")))
      let (device, stack) = (try DeviceID(day.device), try StackID("home"))
      try await day.display.edit(stack, on: device, .remove(beat))
      try await day.display.edit(stack, on: device, .add(beat, at: nil))
      #expect(try await day.content(of: "Beat") == "beat 0" && bundle.beats.value == 1)
    }
  }

  @Test("W3 A widget outside stacks gets one timeline when it is placed, and the next one by its policy")
  func outsideStacks() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let bundle = Weather()
      try await day.host(bundle, app: Weather.app)
      let beat = MarqueeModel.Widget(kind: WidgetKind(app: try AppID(Weather.app), name: try KindName("Beat")))
      let device = try DeviceID(day.device)
      var updates = try day.display.watch(device).makeAsyncIterator()
      guard case .state? = try await updates.nextInTime()?.change else { throw CancellationError() }
      try await day.display.report(.homeWidgetAdded(beat), on: device)
      let added = WidgetInstance(beat, in: .systemSmall)
      guard case .label(let label)? = try await updates.nextInTime()?.change else { throw CancellationError() }
      #expect(label.widget == beat)
      #expect(try await updates.nextInTime()?.change == .homeWidgetAdded(added))
      for number in 0..<2 {
        guard case .entry(let current)? = try await updates.nextInTime()?.change else { throw CancellationError() }
        #expect(current.instance == added && current.entry?.content.bytes == Array("beat \(number)".utf8))
        #expect(bundle.beats.value == number + 1)
        try await day.advance(to: "09:15")
      }
    }
  }

  @Test("An entry dated by the system clock instead of the app's adds one remark with the remedy, also after a reload")
  func clocks() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(ClockWidgets(), app: ClockWidgets.app)
      try await day.addStack("home", ["\(ClockWidgets.app)/AppClock", "\(ClockWidgets.app)/SystemClock"])
      #expect(try await day.content(of: "AppClock") == "tick")
      try await day.run(as: ClockWidgets.app) {
        WidgetCenter.shared.reloadTimelines(ofKind: "SystemClock")
        // Later calls take effect after earlier ones.
        _ = try await WidgetCenter.shared.currentConfigurations()
      }
      try await day.advance(to: "10:00")
      let remark = "an entry has the date of the system clock, not of the app's: "
      #expect(
        day.remarks.filter { $0.contains("system clock") } == [
          "\(remark)use AppConnection.now in place of Date(): SystemClock"
        ])
    }
  }

  @Test("The widget center returns placed widgets with their configurations")
  func center() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack(
        "home", ["com.example.weather/Beat", "com.example.weather/Forecast(city=object:berlin, days=5)"])
      try await day.run(as: Weather.app) {
        let placed = try await WidgetCenter.shared.currentConfigurations()
        #expect(placed.map(\.kind) == ["Beat", "Forecast"] && placed.allSatisfy { $0.family == .systemSmall })
        #expect(try await placed[0].widgetConfigurationIntent(of: ShowForecast.self) == nil)
        let forecast = try await placed[1].widgetConfigurationIntent(of: ShowForecast.self)
        #expect(forecast?.city.id == "berlin" && forecast?.days == 5 && forecast?.unit == nil)
        #expect(placed[0].id != placed[1].id)
      }
      let others = try await day.run(as: "com.example.other") { try await WidgetCenter.shared.currentConfigurations() }
      #expect(others.isEmpty)
    }
  }
}
