import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// A widget host with one configuration in several families.
@Suite("Families", .timeLimit(.minutes(2)))
struct FamilyTests {
  private static let berlin = "\(SizeWidgets.app)/Size(city=object:berlin)"

  /// Runs a day with the widget in a small and in a large stack.
  private func run(_ body: (StackSimulator, MarqueeModel.Widget) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SizeWidgets(), app: SizeWidgets.app)
      try await day.addStack("small", [Self.berlin])
      try await day.addStack("large", family: .systemLarge, [Self.berlin])
      try await body(day, try await placedWidget(day))
    }
  }

  /// Returns the only widget in any stack.
  private func placedWidget(_ day: StackSimulator) async throws -> MarqueeModel.Widget {
    let stacks = try await day.admin.stacks(of: DeviceID(day.device))
    return try #require(stacks.flatMap(\.members).first)
  }

  /// Returns the contents of the widget in the small and in the large stack.
  private func contents(_ day: StackSimulator) async throws -> [String?] {
    [try await day.content(of: "Size", in: "small"), try await day.content(of: "Size", in: "large")]
  }

  @Test("W1 A widget in stacks of two families has content of its own in each of them, also after a reload")
  func reload() async throws {
    try await run { day, widget in
      #expect(try await contents(day) == ["berlin systemSmall 0", "berlin systemLarge 0"])
      try await day.display.report(.reload(widget), on: DeviceID(day.device))
      try await day.advance(to: "09:01")
      #expect(try await contents(day) == ["berlin systemSmall 1", "berlin systemLarge 1"])
      for family in [MarqueeModel.WidgetFamily.systemSmall, .systemLarge] {
        let answer = try await day.admin.currentEntry(of: widget, in: family, on: DeviceID(day.device))
        let content = answer.timeline?.entry(at: answer.at)?.content
        #expect(answer.timeline?.family == family && content?.bytes == Array("berlin \(family) 1".utf8))
      }
    }
  }

  @Test("W1 A display of all stacks receives the entry of each family once after a reload")
  func updates() async throws {
    try await run { day, widget in
      let device = try DeviceID(day.device)
      var updates = try day.display.watch(device).makeAsyncIterator()
      guard case .state(let state)? = try await updates.nextInTime()?.change else { throw CancellationError() }
      let instances = [WidgetInstance(widget, in: .systemSmall), WidgetInstance(widget, in: .systemLarge)]
      #expect(Set(state.entries.map(\.instance)) == Set(instances) && state.entries.count == 2)
      try await day.display.report(.reload(widget), on: device)
      var shown: [WidgetInstance: [UInt8]] = [:]
      for _ in instances {
        guard case .entry(let current)? = try await updates.nextInTime()?.change else { throw CancellationError() }
        shown[current.instance] = current.entry?.content.bytes
      }
      for instance in instances { #expect(shown[instance] == Array("berlin \(instance.family) 1".utf8)) }
    }
  }

  @Test("W1 A widget that moves to a stack of another family shows content for it, and its earlier content once back")
  func moved() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SizeWidgets(), app: SizeWidgets.app)
      try await day.addStack("small", [Self.berlin])
      try await day.addStack("large", family: .systemLarge, [])
      let device = try DeviceID(day.device)
      let (small, large) = (try StackID("small"), try StackID("large"))
      let widget = try await placedWidget(day)
      #expect(try await contents(day) == ["berlin systemSmall 0", nil])
      try await day.display.edit(small, on: device, .remove(widget))
      try await day.display.edit(large, on: device, .add(widget, at: nil))
      try await day.advance(to: "09:01")
      #expect(try await contents(day) == [nil, "berlin systemLarge 0"])
      try await day.display.edit(large, on: device, .remove(widget))
      try await day.display.edit(small, on: device, .add(widget, at: nil))
      try await day.advance(to: "09:02")
      #expect(try await contents(day) == ["berlin systemSmall 0", nil])
    }
  }

  @Test("W1 Lost connections and a restart of the server neither mix nor reload the contents of two families")
  func reconnection() async throws {
    try await run { day, widget in
      await day.providerLink.cut()
      await day.displayLink.cut()
      try await day.restartServer()
      #expect(try await contents(day) == ["berlin systemSmall 0", "berlin systemLarge 0"])
      try await day.display.report(.reload(widget), on: DeviceID(day.device))
      try await day.advance(to: "09:01")
      #expect(try await contents(day) == ["berlin systemSmall 1", "berlin systemLarge 1"])
    }
  }

  @Test("W1 A widget outside stacks in a third family has content of its own, and is listed with its family")
  func homeWidget() async throws {
    try await run { day, widget in
      let device = try DeviceID(day.device)
      let home = WidgetInstance(widget, in: .systemMedium)
      var updates = try day.display.watch(device).makeAsyncIterator()
      guard case .state? = try await updates.nextInTime()?.change else { throw CancellationError() }
      try await day.display.report(.homeWidgetAdded(widget, in: .systemMedium), on: device)
      #expect(try await updates.nextInTime()?.change == .homeWidgetAdded(home))
      guard case .entry(let current)? = try await updates.nextInTime()?.change else { throw CancellationError() }
      #expect(current.instance == home && current.entry?.content.bytes == Array("berlin systemMedium 0".utf8))
      #expect(try await contents(day) == ["berlin systemSmall 0", "berlin systemLarge 0"])
      #expect(try await day.admin.widgets(of: device).homeWidgets == [home])
      let placed = try await day.run(as: SizeWidgets.app) { try await WidgetCenter.shared.currentConfigurations() }
      #expect(Set(placed.map(\.family)) == [.systemSmall, .systemMedium, .systemLarge])
      #expect(placed.count == 3 && Set(placed.map(\.id)).count == 3)
      try await day.display.report(.homeWidgetRemoved(widget), on: device)
      #expect(try await updates.nextInTime()?.change == .homeWidgetRemoved(home))
    }
  }

  @Test("W1 A widget cannot be placed outside stacks in a family that its kind does not support")
  func unsupported() async throws {
    try await run { day, widget in
      let report = UserReport.homeWidgetAdded(widget, in: .accessoryInline)
      let device = try DeviceID(day.device)
      let error = await #expect(throws: (any Error).self) { try await day.display.report(report, on: device) }
      #expect("\(error as Any)".contains("family"))
    }
  }
}
