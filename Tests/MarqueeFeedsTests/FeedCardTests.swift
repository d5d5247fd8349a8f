import MarqueeCards
import MarqueeFeeds
import MarqueeModel
import Testing

@Suite struct FeedCardTests {
  private static func lines(_ content: EntryContent) throws -> [String] {
    #expect(content.mediaType == Card.mediaType)
    return try CardReading(content.bytes).card.text(width: 40)
  }

  private static func calendar(_ event: String, at milliseconds: Int64 = 1_772_409_600_000) throws -> [[String]] {
    var rules = CalendarTimeline(zone: try #require(CalendarZone.named("Europe/Berlin")))
    rules.sendsCards = true
    let file = try CalendarFile(bytes: Fixtures.calendar("BEGIN:VEVENT\nUID:1\n\(event)\nEND:VEVENT"))
    let start = try #require(Instant(milliseconds: milliseconds))
    let end = start.advanced(by: .days(1))
    let timeline = rules.timeline(of: try file.occurrences(from: start, to: end, in: rules.zone), from: start, to: end)
    return try timeline.entries.map { try lines($0.content) }
  }

  @Test("A card of an event has its summary, date and time in the zone")
  func events() throws {
    let meeting = try Self.calendar("DTSTART:20260302T100000Z\nDURATION:PT1H\nSUMMARY:Stand-up")
    #expect(meeting.first == ["No event"] && meeting.last == ["No event"])
    #expect(meeting[1] == ["Stand-up", "Date  2026-03-02", "Time  11:00–12:00"])
    let night = try Self.calendar("DTSTART:20260302T220000Z\nDURATION:PT2H\nSUMMARY:Night")
    #expect(night[1] == ["Night", "Date   2026-03-02", "Time   23:00", "Until  2026-03-03 01:00"])
    let days = try Self.calendar("DTSTART;VALUE=DATE:20260302\nDTEND;VALUE=DATE:20260304\nSUMMARY:Fair")
    #expect(days.contains(["Fair", "Date   2026-03-02", "Until  2026-03-03"]))
  }

  @Test(
    "The card of an event in the hour that is skipped has the times that clocks show, and its whole duration",
    arguments: [
      "DTSTART;TZID=Europe/Berlin:20260328T023000\nDURATION:PT30M\nRRULE:FREQ=DAILY",
      "DTSTART;TZID=Europe/Berlin:20260329T023000\nDTEND;TZID=Europe/Berlin:20260329T030000",
      "DTSTART:20260329T023000\nDTEND:20260329T030000",
    ])
  func skippedHour(event: String) throws {
    // 2026-03-29T00:00:00+01:00
    let cards = try Self.calendar("\(event)\nSUMMARY:Backup", at: 1_774_738_800_000)
    #expect(cards.contains(["Backup", "Date  2026-03-29", "Time  03:30–04:00"]), "\(cards)")
  }

  @Test("A summary that cannot be in a card is left out")
  func marks() throws {
    let marks = String(repeating: "\u{301}", count: 40)
    let meeting = try Self.calendar("DTSTART:20260302T100000Z\nDURATION:PT1H\nSUMMARY:a\(marks)")
    #expect(meeting[1] == ["Date  2026-03-02", "Time  11:00–12:00"])
  }

  @Test("A card of a row has its title, and the other columns as facts")
  func rows() throws {
    let text = "Date,Score,duration,Title,Time,Stop\n2026-03-02T10:00Z,1,60,Bus 100,9:05,Zoo\n2026-03-02T11:00Z,,,,,\n"
    let timeline = try CSVTimeline.timeline(bytes: Array(text.utf8), zone: .utc, sendsCards: true)
    #expect(try Self.lines(timeline.entries[0].content) == ["Bus 100", "Time  9:05", "Stop  Zoo"])
    #expect(timeline.entries[1].content == .empty)
    #expect(timeline.entries[0].relevance?.score == 1 && timeline.entries[1].relevance == nil)
    #expect(try CSVTimeline.timeline(bytes: Array(text.utf8), zone: .utc).entries[0].content == .empty)
  }

  @Test("A row whose card would exceed a limit is an error with its line")
  func limit() {
    let text = "date,score,title\n2026-03-02,1,\(String(repeating: "a", count: 70_000))\n"
    let error = #expect(throws: FeedError.self) {
      try CSVTimeline.timeline(bytes: Array(text.utf8), zone: .utc, sendsCards: true)
    }
    #expect(error?.line == 2 && error?.description.contains("card-size-max") == true)
  }
}
