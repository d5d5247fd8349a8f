import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// The events of the widget Beat. The stack also has a widget of another app.
@Suite("Widget events with the kit", .timeLimit(.minutes(2)))
struct WidgetEventTests {
  /// The parts of an event that the tests compare: the widget's kind, the place, the event, and `initial`.
  private static func text(_ event: MarqueeKit.WidgetEvent?) -> String? {
    event.map { event in
      let place = if case .stack(let name) = event.place { name } else { "outside" }
      return "\(event.widget.kind) \(place) \(event.change)" + (event.isInitial ? " initial" : "")
    }
  }

  private static func widget(_ kind: String, of app: String) throws -> MarqueeModel.Widget {
    MarqueeModel.Widget(kind: WidgetKind(app: try AppID(app), name: try KindName(kind)))
  }

  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["\(Weather.app)/Beat", "com.example.other/Dot"])
      try await body(day)
    }
  }

  @Test("W7 An app follows its widget while the user taps, hides, shows, removes and places it")
  func center() async throws {
    try await run { day in
      let (stack, device) = (try StackID("home"), try DeviceID(day.device))
      let (beat, dot) = (
        try Self.widget("Beat", of: Weather.app), try Self.widget("Dot", of: "com.example.other")
      )
      let events = try await day.run(as: Weather.app) { try WidgetCenter.shared.events() }
      var iterator = events.makeAsyncIterator()
      for expected in ["Beat home placed initial", "Beat home visible initial"] {
        let event = try await iterator.nextInTime()
        #expect(Self.text(event) == expected)
      }
      try await day.display.report(.tapped(stack, beat), on: device)
      let tap = try #require(try await iterator.nextInTime())
      guard case .tapped = tap.change else { throw UnexpectedEvent() }
      #expect(tap.date == Weather.date && tap.place == .stack("home") && !tap.isInitial)
      try await day.advance(to: "09:00:20")
      try await day.display.report(.scrolled(stack, to: dot), on: device)
      try await day.advance(to: "09:00:30")
      for expected in ["Beat home impressions(count: 1, visibleTime: 20.0)", "Beat home hidden"] {
        let event = try await iterator.nextInTime()
        #expect(Self.text(event) == expected)
      }
      try await day.display.report(.scrolled(stack, to: beat), on: device)
      try await day.advance(to: "09:00:40")
      try await day.display.edit(stack, on: device, .remove(beat))
      try await day.display.report(.homeWidgetAdded(beat), on: device)
      try await day.advance(to: "09:01:40")
      let last = ["Beat home impressions(count: 1, visibleTime: 10.0)", "Beat home removed", "Beat outside placed"]
      for expected in last {
        let event = try await iterator.nextInTime()
        #expect(Self.text(event) == expected)
      }
    }
  }

  @Test("W7 An app is told that a widget outside stacks was placed, resized and removed")
  func resized() async throws {
    try await run { day in
      let (device, beat) = (try DeviceID(day.device), try Self.widget("Beat", of: Weather.app))
      let events = try await day.run(as: Weather.app) { try WidgetCenter.shared.events() }
      var iterator = events.makeAsyncIterator()
      for expected in ["Beat home placed initial", "Beat home visible initial"] {
        let event = try await iterator.nextInTime()
        #expect(Self.text(event) == expected)
      }
      try await day.display.report(.homeWidgetAdded(beat, in: .systemSmall), on: device)
      try await day.advance(to: "09:00:10")
      let placed = try await iterator.nextInTime()
      #expect(Self.text(placed) == "Beat outside placed" && placed?.widget.family == .systemSmall)
      try await day.display.report(.homeWidgetRemoved(beat, in: .systemSmall), on: device)
      try await day.display.report(.homeWidgetAdded(beat, in: .systemMedium), on: device)
      try await day.advance(to: "09:01:20")
      let resized = try await iterator.nextInTime()
      #expect(resized?.change == .resized(from: .systemSmall) && resized?.widget.family == .systemMedium)
      #expect(resized?.place == .homeScreen)
      try await day.display.report(.homeWidgetRemoved(beat, in: .systemMedium), on: device)
      try await day.advance(to: "09:02:30")
      let removed = try await iterator.nextInTime()
      #expect(Self.text(removed) == "Beat outside removed")
    }
  }

  @Test("W7 An app follows the widgets of some kinds; a name that is not valid or contained twice is an error")
  func kinds() async throws {
    try await run { day in
      try await day.run(as: Weather.app) {
        var beats = try WidgetCenter.shared.events(ofKinds: ["Rain", "Beat"]).makeAsyncIterator()
        let first = try await beats.nextInTime()
        #expect(Self.text(first) == "Beat home placed initial")
        #expect(throws: RequestError.self) { try WidgetCenter.shared.events(ofKinds: [""]) }
        #expect(throws: RequestError.self) { try WidgetCenter.shared.events(ofKinds: ["Beat", "Beat"]) }
      }
    }
  }
}
