import Foundation
import MarqueeFeeds
import MarqueeModel
import Testing

@Suite struct CalendarTimelineTests {
  /// 2026-03-02T00:00:00Z, a Monday.
  static let midnight: Int64 = 1_772_409_600

  private func timeline(_ events: String..., rules: CalendarTimeline = CalendarTimeline(zone: .utc)) throws -> Timeline
  {
    let lines = events.enumerated().map { "BEGIN:VEVENT\nUID:\($0.offset)\n\($0.element)\nEND:VEVENT" }
    let file = try CalendarFile(bytes: Fixtures.calendar(lines.joined(separator: "\n")))
    let (start, end) = (try instant(0), try instant(24 * 60))
    return rules.timeline(of: try file.occurrences(from: start, to: end, in: rules.zone), from: start, to: end)
  }

  private func instant(_ minute: Int64) throws -> Instant {
    try #require(Instant(milliseconds: (Self.midnight + minute * 60) * 1000))
  }

  /// Each entry's time of day, score and summary.
  private func written(_ timeline: Timeline) throws -> [String] {
    try timeline.entries.map { entry in
      let minute = (entry.date.milliseconds / 1000 - Self.midnight) / 60
      let content = try JSONDecoder().decode([String: String].self, from: Data(entry.content.bytes))
      let score = try #require(entry.relevance).score
      return "\(minute / 60):\(minute % 60) \(score)" + (content["summary"].map { " \($0)" } ?? "")
    }
  }

  @Test("Relevance rises in steps before a meeting and ends when it starts")
  func meeting() throws {
    let timeline = try timeline("DTSTART:20260302T100000Z\nDURATION:PT1H\nSUMMARY:Stand-up")
    #expect(
      try written(timeline) == ["0:0 0.0", "9:30 0.4 Stand-up", "9:45 0.7 Stand-up", "9:55 1.0 Stand-up", "10:0 0.0"])
    #expect(timeline.policy == .after(try instant(24 * 60)))
    #expect(timeline.entries.allSatisfy { $0.relevance?.duration == .zero })
  }

  @Test("A cancelled meeting has no entries, and neither has a cancelled occurrence of a series")
  func cancelled() throws {
    let timeline = try timeline(
      "DTSTART:20260302T100000Z\nSUMMARY:Gone\nSTATUS:CANCELLED", "DTSTART:20260302T150000Z\nSUMMARY:Kept")
    #expect(try written(timeline).filter { $0.contains(" Gone") } == [])
    #expect(try written(timeline).filter { $0.contains(" Kept") }.count == 3)
    let series = "DTSTART:20260301T100000Z\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:Daily\nEND:VEVENT"
    let change = "BEGIN:VEVENT\nUID:0\nDTSTART:20260302T100000Z\nRECURRENCE-ID:20260302T100000Z\nSUMMARY:Daily"
    for (status, count) in [("CANCELLED", 0), ("CONFIRMED", 3)] {
      let changed = try self.timeline("\(series)\n\(change)\nSTATUS:\(status)")
      #expect(try written(changed).filter { $0.contains(" Daily") }.count == count)
    }
  }

  @Test("Content is JSON with summary, start and end in the zone")
  func content() throws {
    let berlin = CalendarTimeline(zone: try #require(CalendarZone.named("Europe/Berlin")))
    let timeline = try timeline("DTSTART:20260302T100000Z\nDURATION:PT1H\nSUMMARY:A \\\"B\\\"", rules: berlin)
    let entry = timeline.entries[1]
    #expect(entry.content.mediaType == "application/json")
    #expect(
      String(decoding: entry.content.bytes, as: UTF8.self)
        == #"{"end":"2026-03-02T12:00:00+01:00","start":"2026-03-02T11:00:00+01:00","summary":"A \\\"B\\\""}"#)
    #expect(timeline.entries[0].content.bytes == Array("{}".utf8))
  }

  @Test("If the leads of two meetings overlap, the higher score applies, and the next follows at the start")
  func overlap() throws {
    let timeline = try timeline(
      "DTSTART:20260302T100000Z\nSUMMARY:First", "DTSTART:20260302T102000Z\nSUMMARY:Second")
    #expect(
      try written(timeline) == [
        "0:0 0.0", "9:30 0.4 First", "9:45 0.7 First", "9:55 1.0 First", "10:0 0.4 Second", "10:5 0.7 Second",
        "10:15 1.0 Second", "10:20 0.0",
      ])
  }

  @Test("The order of two simultaneous meetings does not depend on the file")
  func tie() throws {
    let (a, b) = ("DTSTART:20260302T100000Z\nSUMMARY:A", "DTSTART:20260302T100000Z\nSUMMARY:B")
    #expect(try written(try timeline(a, b)) == written(try timeline(b, a)))
    #expect(try written(try timeline(a, b))[1] == "9:30 0.4 A")
  }

  @Test("A whole day has a lower score, in the morning of each of its days, and a meeting replaces it")
  func wholeDay() throws {
    let timeline = try timeline(
      "DTSTART;VALUE=DATE:20260301\nDTEND;VALUE=DATE:20260303\nSUMMARY:Fair", "DTSTART:20260302T084000Z\nSUMMARY:Call")
    #expect(
      try written(timeline) == [
        "0:0 0.0", "8:0 0.2 Fair", "8:10 0.4 Call", "8:25 0.7 Call", "8:35 1.0 Call", "8:40 0.2 Fair", "9:0 0.0",
      ])
  }

  @Test("A change too close to the previous entry is delayed, and is never early")
  func waiting() throws {
    // Published at midnight, four minutes before the first lead begins.
    #expect(
      try written(timeline("DTSTART:20260302T003400Z\nSUMMARY:Early")) == [
        "0:0 0.0", "0:5 0.4 Early", "0:19 0.7 Early", "0:29 1.0 Early", "0:34 0.0",
      ])
    // Of two changes that wait together, the later one counts.
    var rules = CalendarTimeline(zone: .utc)
    rules.steps = [.init(lead: .minutes(30), score: 0.5), .init(lead: .minutes(28), score: 1)]
    #expect(
      try written(timeline("DTSTART:20260302T003100Z\nSUMMARY:Call", rules: rules))
        == ["0:0 0.0", "0:5 1.0 Call", "0:31 0.0"])
  }

  @Test("A meeting that starts before the next possible entry is not shown newly, and keeps its score if shown")
  func nearStart() throws {
    #expect(try written(timeline("DTSTART:20260302T000400Z\nSUMMARY:Now")) == ["0:0 0.0"])
    #expect(try written(timeline("DTSTART:20260302T000500Z\nSUMMARY:Soon")) == ["0:0 1.0 Soon", "0:5 0.0"])
    // At 9:57 the first meeting starts, and the second does three minutes later: it was never shown.
    #expect(
      try written(timeline("DTSTART:20260302T095700Z\nSUMMARY:First", "DTSTART:20260302T100000Z\nSUMMARY:Second"))
        == ["0:0 0.0", "9:27 0.4 First", "9:42 0.7 First", "9:52 1.0 First", "9:57 0.0"])
    // The first gives way at 9:52, so that the second's last step could come at 9:57, too near to its start.
    #expect(
      try written(timeline("DTSTART:20260302T095200Z\nSUMMARY:First", "DTSTART:20260302T100000Z\nSUMMARY:Second"))
        == [
          "0:0 0.0", "9:22 0.4 First", "9:37 0.7 First", "9:47 1.0 First", "9:52 0.7 Second", "10:0 0.0",
        ])
    // Leads of 10 and 3 minutes: the higher score would begin too near to the start.
    var rules = CalendarTimeline(zone: .utc)
    rules.steps = [.init(lead: .minutes(10), score: 0.5), .init(lead: .minutes(3), score: 1)]
    #expect(
      try written(timeline("DTSTART:20260302T100000Z\nSUMMARY:Call", rules: rules)) == [
        "0:0 0.0", "9:50 0.5 Call", "10:0 0.0",
      ])
  }

  @Test("Without events, the timeline is one entry that scores 0")
  func nothing() throws {
    #expect(try written(try timeline("DTSTART:20260401T100000Z")) == ["0:0 0.0"])
  }

  @Test("L Entries are at least five minutes apart, in ascending order, and the last score is 0")
  func lint() throws {
    for seed in UInt64(1)...50 {
      var generator = Generator(state: seed)
      let events = (0..<12).map { index in
        let minute = Int(generator.next() % 1500)
        let day = minute / 1440 + 2
        let (hour, rest) = (minute % 1440 / 60, minute % 60)
        let time = [day, hour, rest].map { ($0 < 10 ? "0" : "") + String($0) }
        return
          "BEGIN:VEVENT\nUID:\(index)\nDTSTART:202603\(time[0])T\(time[1])\(time[2])00Z\nSUMMARY:\(index)\nEND:VEVENT"
      }
      let file = try CalendarFile(bytes: Fixtures.calendar(events.joined(separator: "\n")))
      let (start, end) = (try instant(0), try instant(24 * 60))
      let rules = CalendarTimeline(zone: .utc)
      let occurrences = try file.occurrences(from: start, to: end, in: .utc)
      let timeline = rules.timeline(of: occurrences, from: start, to: end)
      for (entry, next) in zip(timeline.entries, timeline.entries.dropFirst()) {
        #expect(next.date.milliseconds - entry.date.milliseconds >= 300_000, "seed \(seed)")
        #expect(entry != next)
      }
      #expect(timeline.entries.first?.date == start)
      #expect(timeline.entries.last?.relevance?.score == 0, "seed \(seed)")
      // No score is given before a meeting of that name is so near.
      for (entry, written) in zip(timeline.entries, try written(timeline)) {
        let score = try #require(entry.relevance).score
        guard let lead = rules.steps.first(where: { $0.score == score })?.lead else { continue }
        let isDue = occurrences.contains { occurrence in
          let wait = occurrence.start.wall * 1000 - entry.date.milliseconds
          return written.hasSuffix(" \(occurrence.summary)") && wait > 0 && wait <= lead.milliseconds
        }
        #expect(isDue, "seed \(seed): \(written)")
      }
      // A meeting is never shown once it has started.
      for occurrence in occurrences {
        let began = try #require(Instant(milliseconds: occurrence.start.wall * 1000))
        guard let shown = timeline.entry(at: began), (shown.relevance?.score ?? 0) > 0 else { continue }
        #expect(!String(decoding: shown.content.bytes, as: UTF8.self).contains("\"summary\":\"\(occurrence.summary)\""))
      }
    }
  }

  @Test("A timeline is truncated at its limit, where it is cleared and a reload is requested")
  func cut() throws {
    let file = try CalendarFile(bytes: Fixtures.event("DTSTART:20200101T000000Z", "RRULE:FREQ=HOURLY"))
    let (start, end) = (try instant(0), try instant(400 * 24 * 60))
    let occurrences = try file.occurrences(from: start, to: end, in: .utc)
    let timeline = CalendarTimeline(zone: .utc).timeline(of: occurrences, from: start, to: end)
    #expect(timeline.entries.count == CalendarTimeline.entryCountMax)
    #expect(timeline.entries.last?.relevance?.score == 0)
    #expect(timeline.policy == .after(try #require(timeline.entries.last).date))
  }

  /// SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
