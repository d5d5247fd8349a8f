import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// Widgets whose configurations their app does not know.
@Suite("Unknown configurations", .serialized, .timeLimit(.minutes(1)))
struct UnknownConfigurationTests {
  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    Spring.isKnown.withLock { $0 = false }
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SpringWidgets(), app: SpringWidgets.app)
      let error = await #expect(throws: WidgetConfigurationError.self) {
        try await day.addStack("home", ["\(SpringWidgets.app)/Level(spring=object:north)"])
      }
      #expect(error?.kind == "Level" && error?.family == .systemSmall && error?.parameters == ["spring"])
      try await body(day)
    }
  }

  private static func reports(_ day: StackSimulator) -> [String] {
    day.remarks.filter { $0.contains("does not know its configuration") }
  }

  @Test("A widget with an unknown configuration is reported once, and shown when its app knows the configuration")
  func once() async throws {
    try await run { day in
      #expect(Self.reports(day).count == 1 && !day.remarks.contains { $0.contains("publishing a timeline failed") })
      #expect(day.remarks.last?.contains("unknown configuration of the widget Level in systemSmall") == true)
      var lookups = Spring.lookups.stream.makeAsyncIterator()
      await lookups.next()
      let device = try DeviceID(day.device)
      var updates = try day.display.watch(device).makeAsyncIterator()
      guard case .state? = try await updates.nextInTime()?.change else { throw CancellationError() }
      // Further attempts follow without another request, and are not reported again.
      await lookups.next()
      Spring.isKnown.withLock { $0 = true }
      guard case .entry(let current)? = try await updates.nextInTime()?.change else { throw CancellationError() }
      #expect(current.entry?.content.bytes == Array("level of north".utf8))
      #expect(Self.reports(day).count == 1)
      try await day.advance(to: "09:01")
      #expect(try await day.content(of: "Level") == "level of north")
    }
  }

  @Test("A host offers the errors of unknown configurations to the app")
  func errors() async throws {
    try await run { day in
      try await day.run(as: SpringWidgets.app) {
        let host = try WidgetHost(SpringWidgets(), connection: AppConnection.current)
        let running = Task { try await host.run() }
        defer { running.cancel() }
        var errors = host.configurationErrors.makeAsyncIterator()
        let error = await errors.next()
        #expect(error?.kind == "Level" && error?.parameters == ["spring"])
        #expect(error?.description.contains("spring") == true && error?.description.contains("north") == false)
      }
    }
  }
}
