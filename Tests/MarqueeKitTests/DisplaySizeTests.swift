import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// The sizes that displays report reach the timeline providers (rule W8).
@Suite("Display sizes", .timeLimit(.minutes(2)))
struct DisplaySizeTests {
  private func report(
    _ day: StackSimulator, _ family: MarqueeModel.WidgetFamily, _ width: Double, _ height: Double
  ) async throws {
    let size = try WidgetSize(width: width, height: height)
    try await day.display.report(.widgetSizeChanged(family, size), on: DeviceID(day.device))
  }

  @Test("W8 A provider gets the size that the display reported, and is asked again when it changes")
  func reported() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SizedWidgets(), app: SizedWidgets.app)
      try await day.addStack("home", ["\(SizedWidgets.app)/Sized"])
      #expect(try await day.content(of: "Sized", in: "home") == "158.0 158.0")
      try await report(day, .systemSmall, 170, 169.5)
      try await day.advance(to: "09:01")
      #expect(try await day.content(of: "Sized", in: "home") == "170.0 169.5")
      try await report(day, .systemLarge, 1, 1)
      try await day.advance(to: "09:02")
      #expect(try await day.content(of: "Sized", in: "home") == "170.0 169.5")
    }
  }

  @Test("W8 A size that was reported before the app started is the size of its first timeline")
  func earlier() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await report(day, .systemSmall, 155, 155)
      try await day.host(SizedWidgets(), app: SizedWidgets.app)
      try await day.addStack("home", ["\(SizedWidgets.app)/Sized"])
      #expect(try await day.content(of: "Sized", in: "home") == "155.0 155.0")
      #expect(try await day.snapshot(of: SizedWidget.self) == "158.0 158.0", "a gallery has the default size")
      try await day.restartServer()
      try await report(day, .systemSmall, 155, 156)
      try await day.advance(to: "09:01")
      #expect(try await day.content(of: "Sized", in: "home") == "155.0 156.0")
    }
  }

  @Test("A corner accessory is a family, and the description of a kind reaches the server")
  func registration() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SizedWidgets(), app: SizedWidgets.app)
      try await day.addStack("corner", family: .accessoryCorner, ["\(SizedWidgets.app)/Sized"])
      #expect(try await day.content(of: "Sized", in: "corner") == "40.0 40.0")
      let kinds = try await day.admin.widgets(of: DeviceID(day.device)).kinds
      #expect(kinds.map(\.descriptionText) == ["Shows its size."])
      #expect(kinds.map(\.families) == [[.systemSmall, .accessoryCorner]])
    }
  }
}
