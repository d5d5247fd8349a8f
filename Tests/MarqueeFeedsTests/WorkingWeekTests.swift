import Foundation
import MarqueeFeeds
import MarqueeModel
import Testing

/// The calendar of the demonstration.
@Suite struct WorkingWeekTests {
  private let berlin: CalendarZone
  private let file: CalendarFile

  init() throws {
    berlin = try #require(CalendarZone.named("Europe/Berlin"))
    file = try CalendarFile(path: Fixtures.root.appending(path: "Sources/MarqueeCLI/Demo/WorkingWeek.ics").path)
  }

  private func day(_ text: String, days: Int64 = 1) throws -> [String] {
    let start = try #require(ISO8601DateFormatter().date(from: text + "T00:00:00Z")).timeIntervalSince1970
    let (from, to) = (Int64(start), Int64(start) + days * 86400)
    return try file.occurrences(from: CalendarTime(floatingSeconds: from), to: CalendarTime(floatingSeconds: to))
      .map { "\($0.start) \($0.summary)" }
  }

  @Test("A Monday has its meetings in order")
  func monday() throws {
    #expect(
      try day("2026-03-02") == [
        "2026-03-02T09:45:00+01:00 Stand-up", "2026-03-02T10:00:00+01:00 Weekly planning",
        "2026-03-02T12:30:00+01:00 Lunch",
      ])
  }

  @Test("A moved planning meeting is absent on its Monday, and Easter Monday has neither planning nor stand-up")
  func exceptions() throws {
    #expect(try !day("2026-03-09").contains { $0.contains("planning") })
    #expect(try day("2026-03-10").contains("2026-03-10T14:00:00+01:00 Weekly planning (moved to Tuesday)"))
    #expect(try day("2026-04-06") == ["2026-04-06 Good Friday and Easter Monday", "2026-04-06T12:30:00+02:00 Lunch"])
  }

  @Test("The one-to-one is every other Wednesday, the review on the last Friday of the month")
  func rules() throws {
    let month = try day("2026-01-01", days: 31)
    #expect(month.filter { $0.contains("One-to-one") }.map { $0.prefix(10) } == ["2026-01-07", "2026-01-21"])
    #expect(month.filter { $0.contains("review") }.map { $0.prefix(10) } == ["2026-01-30"])
    #expect(month.count { $0.contains("Stand-up") } == 20)
  }
}
