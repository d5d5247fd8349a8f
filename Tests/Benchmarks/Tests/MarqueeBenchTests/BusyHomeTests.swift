import MarqueeScheduler
import Testing

@testable import MarqueeBench

@Suite struct BusyHomeTests {
  @Test("A day has 200 events, each timeline at most twice, and is the same in every run")
  func sessions() throws {
    func day() throws -> [Event] {
      let home = try BusyHome()
      return try (0..<BusyHome.sessionCount).flatMap { try home.session(day: 3, $0) }
    }
    let events = try day()
    #expect(events.count == 200)
    #expect(try day() == events)
    #expect(events.count { EventKind($0) == .publication } == 24)
    #expect(events.count { EventKind($0) == .donation } == 20)
  }

  @Test("A device accepts all events, and the tables contain every kind of event")
  func scheduler() throws {
    let report = try SchedulerBenchmark(pastDayCount: 10, days: 1, milestones: [0, 2]).report()
    let (text, names) = (report.text, Set(try GoalTests.goals().map(\.name)))
    #expect(report.figures.allSatisfy { names.contains($0.name) })
    for kind in EventKind.allCases where kind != .other && kind != .wake {
      #expect(text.contains("| \(kind.rawValue) |"))
    }
    #expect(text.contains("\n| 0 | ") && text.contains("\n| 2 | "))
  }

  @Test("The runtime's table has a row per number of devices, with 200 events per device")
  func runtime() async throws {
    let lines = try await RuntimeBenchmark(deviceCounts: [5, 10]).report().text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[2].hasPrefix("| 5 | 1000 | ") && lines[3].hasPrefix("| 10 | 2000 | "))
  }
}
