import Foundation
import MarqueeModel
import MarqueeSimulator
import MarqueeTestKit
import Testing

/// Goal: a scenario file is a test case: a complete server decides on it like the simulation, and a provider's code can
/// replace the timelines of the file.
@Suite("Scenarios as test cases", .timeLimit(.minutes(2)))
struct ScenarioTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")
  private static let purchases = fixtures.appending(path: "kit/purchases.yaml")

  private func withFile<Result>(_ text: String, _ body: (URL) async throws -> Result) async throws -> Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "marquee-\(UUID().uuidString).yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    // Best effort: it is in the temporary folder.
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file)
  }

  @Test(
    "R8 C1 A server decides like the simulation",
    arguments: [
      "scenarios/calendar", "scenarios/cards", "scenarios/clock-back", "scenarios/clock-forward", "scenarios/fitness",
      "scenarios/habits", "scenarios/news", "kit/purchases",
    ])
  func decisions(name: String) async throws {
    let file = Self.fixtures.appending(path: "\(name).yaml")
    let simulated = try Simulation.day(of: Scenario(yaml: String(contentsOf: file, encoding: .utf8)))
    try await StackSimulator.run(scenario: file) { day in
      try await day.advanceToEnd()
      #expect(day.server.now == simulated.end)
      #expect(try await day.rotations.map(\.decision) == simulated.decisions)
    }
    #expect(!simulated.decisions.isEmpty)
  }

  @Test("R8 Every kind of scenario event has the same effect on a server")
  func everything() async throws {
    let article = Self.fixtures.appending(
      path: "../../Sources/MarqueeSimulator/MarqueeSimulator.docc/Scenarios.md")
    let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
      .filter { $0.hasPrefix("yaml\n") }.map { $0.dropFirst(5) }
    let head = try #require(blocks.first?.components(separatedBy: "\nevents:").first)
    let text = try "\(head)\nevents:\n\(#require(blocks.last))"
    let simulated = try Simulation.day(of: Scenario(yaml: text))
    try await withFile(text) { file in
      try await StackSimulator.run(scenario: file) { day in
        // The removals at the end erase the decisions before them (rule W6).
        try await day.advance(to: "08:21")
        let decisions = try await day.rotations.map(\.decision)
        #expect(decisions == simulated.decisions.filter { $0.at <= day.server.now } && !decisions.isEmpty)
        try await day.advance(to: "08:23")
        let removal = day.server.now
        try await day.advanceToEnd()
        #expect(try await day.rotations.map(\.decision) == simulated.decisions.filter { $0.at > removal })
        #expect(try await day.admin.stacks(of: DeviceID(day.device)) == simulated.device.allStacks)
        #expect(try await day.admin.donations(on: DeviceID(day.device)).donations.count == 1)
      }
    }
  }

  @Test("The day can be inspected, and stops at the requested time")
  func sights() async throws {
    try await StackSimulator.run(scenario: Self.purchases) { day in
      try await day.advance(to: "08:02")
      #expect(try await day.front(of: "home") == "RecentPurchases")
      try await day.advance(to: "08:06")
      #expect(try await day.front(of: "home") == "Headlines")
      try await day.advanceToEnd()
      #expect(try await day.rotations.map(\.time) == ["08:00"])
      #expect(try await day.explain("home", at: "08:01").front?.kind.name.text == "RecentPurchases")
    }
  }

  @Test("A hosted provider's timelines replace those of the file")
  func hosted() async throws {
    try await StackSimulator.run(scenario: Self.purchases) { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.advanceToEnd()
      // 09:41 in UTC is an hour later in London, where the user then scrolls away.
      #expect(try await day.rotations.map(\.time) == ["10:41"])
      #expect(try await day.front(of: "home", at: "10:46") == "Headlines")
      #expect(try await day.content(of: "RecentPurchases") == "Groceries: 52.60")
    }
  }

  @Test("Errors of a scenario are reported with their line")
  func errors() async throws {
    let text = try String(contentsOf: Self.purchases, encoding: .utf8)
    let unread = await #expect(throws: ScenarioError.self) {
      try await withFile(text.replacing("scroll: home", with: "scrol: home")) { file in
        try await StackSimulator.run(scenario: file) { _ in }
      }
    }
    #expect(unread?.line == 21)
    let rejected = await #expect(throws: ScenarioError.self) {
      try await withFile(text.replacing("at: 08:05\n    scroll: home", with: "at: 08:05\n    scroll: work")) { file in
        try await StackSimulator.run(scenario: file) { day in try await day.advanceToEnd() }
      }
    }
    #expect(rejected?.line == 21 && rejected?.message.contains("rejected") == true)
  }
}
