import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PublishCommandTests {
  @Test("A calendar's dry run prints the occurrences in the calendar's zone, and the resulting entries")
  func calendar() async throws {
    let file = try Binary.file(
      "calendar.ics",
      """
      BEGIN:VCALENDAR
      VERSION:2.0
      PRODID:-//Marquee//Test//EN
      BEGIN:VEVENT
      UID:1
      DTSTART;TZID=Europe/Berlin:20210607T094500
      DURATION:PT15M
      RRULE:FREQ=DAILY;COUNT=2
      SUMMARY:Stand-up
      END:VEVENT
      BEGIN:VEVENT
      UID:2
      DTSTART;VALUE=DATE:20210607
      SUMMARY:Holiday
      END:VEVENT
      BEGIN:VEVENT
      UID:3
      DTSTART:20210607T200000
      DTEND:20210607T210000
      SUMMARY:Dinner
      END:VEVENT
      END:VCALENDAR
      """.replacing("\n", with: "\r\n"))
    defer { unlink(file.path) }
    let span = ["--from", "2021-06-07", "--to", "2021-06-08"]
    let outcome = try await Binary.run(["publish", "calendar", file.path, "--dry-run", "--json"] + span)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let printed = try JSONDecoder().decode(DryRun.self, from: Data(outcome.output.utf8))
    #expect(
      printed.occurrences == [
        .init(start: "2021-06-07", end: "2021-06-08", summary: "Holiday"),
        .init(start: "2021-06-07T09:45:00+02:00", end: "2021-06-07T10:00:00+02:00", summary: "Stand-up"),
        .init(start: "2021-06-07T20:00:00", end: "2021-06-07T21:00:00", summary: "Dinner"),
      ])
    #expect(printed.entries.first == .init(date: "2021-06-07T00:00:00+00:00", score: 0, duration: 0))
    #expect(printed.entries.contains { $0.date == "2021-06-07T07:15:00+00:00" && ($0.score ?? 0) > 0 })
    #expect(printed.entries.last == .init(date: "2021-06-07T20:00:00+00:00", score: 0, duration: 0))
    let table = try await Binary.run(
      ["publish", "calendar", file.path, "--dry-run", "--time-zone", "Asia/Tokyo"] + span)
    #expect(table.output.contains("2021-06-07T20:00:00        2021-06-07T21:00:00        Dinner"))
    #expect(table.output.contains("2021-06-07 19:30:00    0.4"))
  }

  @Test("A calendar's dry run prints the offsets in force, and the times that clocks show at a clock change")
  func clockChange() async throws {
    let lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:1", "DTSTART;TZID=Europe/Berlin:20260328T023000",
      "DURATION:PT30M", "RRULE:FREQ=DAILY", "SUMMARY:Backup", "END:VEVENT", "END:VCALENDAR", "",
    ]
    let file = try Binary.file("c.ics", lines.joined(separator: "\r\n"))
    defer { unlink(file.path) }
    let span = ["--from", "2026-03-29", "--to", "2026-03-30", "--time-zone", "Europe/Berlin"]
    let table = try await Binary.run(["publish", "calendar", file.path, "--dry-run"] + span)
    #expect(table.output.contains("2026-03-29T03:30:00+02:00  2026-03-29T04:00:00+02:00  Backup"), "\(table.output)")
    let json = try await Binary.run(["publish", "calendar", file.path, "--dry-run", "--json"] + span)
    let printed = try JSONDecoder().decode(DryRun.self, from: Data(json.output.utf8))
    #expect(
      printed.occurrences == [
        .init(start: "2026-03-29T03:30:00+02:00", end: "2026-03-29T04:00:00+02:00", summary: "Backup")
      ])
  }

  @Test("A CSV file's dry run prints its entries, within the span if one is given")
  func csv() async throws {
    let file = try Binary.file("a.csv", "duration,date,score\n60,2021-06-07 09:00,3\n,2021-06-07T12:00:00Z,\n")
    defer { unlink(file.path) }
    let arguments = ["publish", "csv", file.path, "--dry-run", "--json", "--time-zone", "Europe/Berlin"]
    let whole = try JSONDecoder().decode(DryRun.self, from: Data(try await Binary.run(arguments).output.utf8))
    #expect(whole.occurrences == nil)
    #expect(
      whole.entries == [
        .init(date: "2021-06-07T09:00:00+02:00", score: 3, duration: 60),
        .init(date: "2021-06-07T14:00:00+02:00", score: nil, duration: nil),
      ])
    let span = ["--from", "2021-06-07 10:00", "--to", "2021-06-08"]
    let part = try JSONDecoder().decode(DryRun.self, from: Data(try await Binary.run(arguments + span).output.utf8))
    #expect(part.entries.map(\.date) == ["2021-06-07T14:00:00+02:00"])
  }

  @Test("A forecast's dry run prints an entry each hour, with the score of coming rain")
  func weather() async throws {
    let file = try Binary.file(
      "weather.json",
      #"{"utc_offset_seconds": 3600, "hourly": {"time": ["2026-03-02T15:00", "2026-03-02T16:00", "2026-03-02T17:00"], "#
        + #""weather_code": [3, 3, 61], "temperature_2m": [13.2, 11.8, 11]}}"#)
    defer { unlink(file.path) }
    let arguments = [
      "publish", "weather", file.path, "--dry-run", "--json", "--time-zone", "Europe/Berlin", "--from",
      "2026-03-02 16:30",
    ]
    let printed = try JSONDecoder().decode(DryRun.self, from: Data(try await Binary.run(arguments).output.utf8))
    #expect(
      printed.entries == [
        .init(date: "2026-03-02T16:00:00+01:00", score: 0.6, duration: 3600),
        .init(date: "2026-03-02T17:00:00+01:00", score: 0.3, duration: 3600),
        .init(date: "2026-03-02T18:00:00+01:00", score: 0, duration: 0),
      ])
    let wrong = try Binary.file("wrong.json", #"{"error": true, "reason": "no such place"}"#)
    defer { unlink(wrong.path) }
    let outcome = try await Binary.run(["publish", "weather", wrong.path, "--dry-run"])
    #expect(
      outcome.status == 1 && outcome.output.isEmpty && outcome.errors.contains("hourly: required field is missing"))
  }

  @Test("A missing or invalid file ends with status 1 and the position of the error")
  func wrongFiles() async throws {
    let file = try Binary.file("a.csv", "date,score\n2021-06-07T12:00:00Z,many\n")
    defer { unlink(file.path) }
    let wrong = try await Binary.run(["publish", "csv", file.path, "--dry-run"])
    #expect(wrong.status == 1 && wrong.errors.contains("line 2: score"))
    let missing = try await Binary.run(["publish", "calendar", "/nowhere.ics", "--dry-run"])
    #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.contains("/nowhere.ics"))
  }

  private struct DryRun: Decodable {
    struct Occurrence: Decodable, Equatable {
      let start: String
      let end: String
      let summary: String
    }

    struct Entry: Decodable, Equatable {
      let date: String
      let score: Double?
      let duration: Double?
    }

    let occurrences: [Occurrence]?
    let entries: [Entry]
  }
}
