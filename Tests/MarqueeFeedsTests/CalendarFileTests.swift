import MarqueeFeeds
import MarqueeModel
import Testing

@Suite struct CalendarFileTests {
  private func failure(_ bytes: [UInt8]) -> FeedError? {
    do throws(FeedError) {
      _ = try CalendarFile(bytes: bytes).occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
      return nil
    } catch {
      return error
    }
  }

  @Test("Invalid calendars are rejected with a reason and a line")
  func rejected() {
    let cases: [([UInt8], FeedError.Code, String?, Int?)] = [
      (Array("hello".utf8), .notACalendar, nil, 1),
      ([], .notACalendar, nil, nil),
      (Array("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\n".utf8), .notACalendar, nil, nil),
      (Array("END:VCALENDAR\n".utf8), .notACalendar, nil, 1),
      (Fixtures.calendar("no colon"), .badValue, nil, 2),
      (Fixtures.calendar("CALSCALE:JULIAN"), .badValue, "CALSCALE", 2),
      (Fixtures.event("SUMMARY:x"), .missing, "DTSTART", 3),
      (Fixtures.event("DTSTART:tomorrow"), .badValue, "DTSTART", 4),
      (Fixtures.event("DTSTART:20230229"), .badValue, "DTSTART", 4),
      (Fixtures.event("DTSTART:20230228T250000"), .badValue, "DTSTART", 4),
      (Fixtures.event("DTSTART:20230228", "DTSTART:20230301"), .badValue, "DTSTART", 5),
      (Fixtures.event("DTSTART:20230228", "DURATION:1 hour"), .badValue, "DURATION", 5),
      (Fixtures.event("DTSTART:20230228", "RRULE:FREQ=NOW"), .badRule, "RRULE", 5),
      (Fixtures.event("DTSTART:20230228", "RRULE:FREQ=DAILY;X-PART=1"), .badRule, "RRULE", 5),
      (Fixtures.event("DTSTART:20230228", "RRULE:FREQ=DAILY;INTERVAL=0"), .badRule, "RRULE", 5),
      (Fixtures.event("DTSTART:20230228", "RRULE:FREQ=DAILY;BYHOUR=24"), .badRule, "RRULE", 5),
      (Fixtures.event("DTSTART:20230228", "EXDATE:"), .badValue, "EXDATE", 5),
      (Fixtures.event("DTSTART:20230228", "SEQUENCE:one"), .badValue, "SEQUENCE", 5),
      (Fixtures.calendar("BEGIN:VTODO", "DTSTART:never", "END:VTODO"), .badValue, "DTSTART", 3),
    ]
    for (bytes, code, property, line) in cases {
      let error = failure(bytes)
      #expect(error?.code == code, "\(String(decoding: bytes, as: UTF8.self))")
      #expect(error?.property == property, "\(String(decoding: bytes, as: UTF8.self))")
      #expect(error?.line == line, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("An error names line and property before the problem")
  func description() {
    let error = failure(Fixtures.event("DTSTART:20230228", "RRULE:FREQ=DAILY;COUNT=x"))
    #expect(error?.description == "line 5: RRULE: COUNT: value malformed or out of range")
  }

  @Test("Canonically equivalent UIDs with different bytes are separate events; equal bytes are one event")
  func equivalentUIDs() throws {
    let event = { (uid: String, more: String) in
      "BEGIN:VEVENT\r\nUID:\(uid)\r\nDTSTART:20230228T100000Z\r\n\(more)\r\nEND:VEVENT"
    }
    let two = Fixtures.calendar(event("K\u{FC}che", "SUMMARY:a"), event("Ku\u{308}che", "SUMMARY:b"))
    let one = Fixtures.calendar(event("K\u{FC}che", "SUMMARY:a"), event("K\u{FC}che", "SEQUENCE:1\r\nSUMMARY:b"))
    for (bytes, summaries) in [(two, ["a", "b"]), (one, ["b"])] {
      let found = try CalendarFile(bytes: bytes).occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
      #expect(found.map(\.summary) == summaries)
    }
  }

  @Test("Too many simultaneous occurrences are rejected quickly", .timeLimit(.minutes(5)))
  func overlap() throws {
    let endless = ["DTSTART;VALUE=DATE:19700101", "DTEND;VALUE=DATE:99991231", "RRULE:FREQ=DAILY"]
    let error = failure(Fixtures.event(endless[0], endless[1], endless[2]))
    #expect(error?.code == .limitExceeded && error?.message.contains("simultaneous") == true)
    // One occurrence starts per day, so the duration in days is the number of simultaneous ones.
    let start = "DTSTART;VALUE=DATE:20150101"
    #expect(failure(Fixtures.event(start, "DURATION:P1000D", endless[2])) == nil)
    #expect(failure(Fixtures.event(start, "DURATION:P1001D", endless[2]))?.code == .limitExceeded)
  }

  @Test("A path without a file is rejected")
  func noFile() {
    #expect(throws: FeedError.self) { try CalendarFile(path: "/nowhere/at/all.ics") }
  }

  @Test(
    "An excessively expensive rule ends in an error",
    .timeLimit(.minutes(5)),
    arguments: [
      "FREQ=SECONDLY", "FREQ=SECONDLY;BYSETPOS=2", "FREQ=SECONDLY;COUNT=2000000000;BYSECOND=1,2,3",
      "FREQ=MINUTELY;BYSECOND=0,1,2,3,4,5,6,7,8,9", "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;COUNT=3",
      "FREQ=HOURLY;INTERVAL=2;BYHOUR=1", "FREQ=SECONDLY;INTERVAL=60;BYSECOND=30",
    ])
  func hostile(rule: String) throws {
    let calendar = Fixtures.event("DTSTART:19000101T000000Z", "RRULE:\(rule)")
    if rule.contains("MONTHDAY=30") || rule.contains("SETPOS") {
      // Nothing matches, and the days and hours that cannot are passed over.
      #expect([nil, .limitExceeded].contains(failure(calendar)?.code))
    } else {
      #expect([.limitExceeded, .badRule].contains(try #require(failure(calendar)).code))
    }
  }

  @Test("Limits apply to the file, its lines and its depth")
  func limits() {
    #expect(failure([UInt8](repeating: 65, count: CalendarFile.fileSizeMax + 1))?.code == .limitExceeded)
    let long = Fixtures.event("DTSTART:20230228", "SUMMARY:" + String(repeating: "x", count: 1 << 20))
    #expect(failure(long)?.code == .limitExceeded)
    #expect(failure(Array(String(repeating: "BEGIN:VEVENT\n", count: 100).utf8))?.code == .limitExceeded)
  }

  @Test("A global zone name of many parts is read quickly", .timeLimit(.minutes(5)))
  func longZoneName() throws {
    let vendor = String(repeating: "/a", count: 400_000)
    for (tzid, start) in [
      (vendor, "2023-07-01T10:00:00"), (vendor + "/America/Argentina/Salta", "2023-07-01T10:00:00-03:00"),
    ] {
      let file = try CalendarFile(bytes: Fixtures.event("DTSTART;TZID=\(tzid):20230701T100000"))
      let found = try file.occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
      #expect(found.map(\.start.description) == [start])
    }
  }

  @Test("A rule without a match for years has its start as the only occurrence")
  func impossibleDay() throws {
    let file = try CalendarFile(
      bytes: Fixtures.event("DTSTART:20230101T100000Z", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"))
    #expect(try file.occurrences(from: Fixtures.span.start, to: Fixtures.span.end).count == 1)
  }

  @Test("Floating times and whole days are interpreted in the span's zone")
  func floating() throws {
    let file = try CalendarFile(bytes: Fixtures.event("DTSTART:20230701T100000"))
    let tokyo = try #require(CalendarZone.named("Asia/Tokyo"))
    let (start, end) = (Instant(milliseconds: 1_688_173_200_000), Instant(milliseconds: 1_688_173_201_000))
    #expect(try file.occurrences(from: try #require(start), to: try #require(end), in: tokyo).count == 1)
    #expect(try file.occurrences(from: try #require(start), to: try #require(end), in: .utc).isEmpty)
  }

  @Test("A span that ends before it starts is rejected")
  func reversedSpan() throws {
    let file = try CalendarFile(bytes: Fixtures.event("DTSTART:20230701T100000"))
    #expect(throws: FeedError.self) { try file.occurrences(from: Fixtures.span.end, to: Fixtures.span.start) }
  }

  @Test("Offsets are those of the time zone database, also after its last transition")
  func database() throws {
    let berlin = try #require(CalendarZone.named("Europe/Berlin"))
    #expect(berlin.offset(atInstant: 1_711_846_799) == 3600)
    #expect(berlin.offset(atInstant: 1_711_846_800) == 7200)
    #expect(berlin.offset(atInstant: 1_752_000_000) == 7200)
    #expect(berlin.offset(atInstant: 4_918_000_000) == 3600)
    #expect(berlin.offset(atInstant: 4_935_000_000) == 7200)
    #expect(berlin.offset(atInstant: 253_388_000_000) == 7200)
  }

  @Test("A local time in a gap uses the offset before it, and each of two equal local times has its own")
  func clockChanges() throws {
    let berlin = try #require(CalendarZone.named("Europe/Berlin"))
    // 2024-03-31T02:30:00 is skipped, and 2024-10-27T02:30:00 occurs twice.
    #expect(berlin.offset(atWall: 1_711_852_200, isSecond: false) == 3600)
    #expect(berlin.offset(atWall: 1_729_996_200, isSecond: false) == 7200)
    #expect(berlin.offset(atWall: 1_729_996_200, isSecond: true) == 3600)
  }

  @Test(
    "Only names in the time zone database are accepted",
    arguments: [
      "", "../etc/passwd", "zone.tab", "Europe", "europe/berlin", "localtime", "GMT+5", "GMT+0530", "UTC+2", "UTC-11",
      "BST", "IST", "PST", "Eastern Standard Time", "Europe/Berlin/", String(repeating: "x", count: 256),
    ])
  func unknownName(name: String) {
    #expect(CalendarZone.named(name) == nil)
  }

  @Test(
    "Earlier names in the time zone database are accepted",
    arguments: [
      ("Asia/Calcutta", 19_800), ("Europe/Kiev", 7200), ("US/Eastern", -18_000), ("EST5EDT", -18_000), ("CET", 3600),
      ("Etc/GMT+5", -18_000), ("GMT", 0), ("GMT0", 0), ("GMT+0", 0), ("Etc/UTC", 0), ("Zulu", 0), ("Factory", 0),
    ])
  func earlierName(name: String, offset: Int64) throws {
    #expect(try #require(CalendarZone.named(name)).offset(atInstant: 1_700_000_000) == offset)
  }

  @Test("An abbreviation and an offset refer to the zones that the file defines", arguments: ["BST", "GMT+5"])
  func definedAbbreviation(name: String) throws {
    let zone = [
      "BEGIN:VTIMEZONE", "TZID:\(name)", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0100", "TZNAME:\(name)", "END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT", "UID:1",
      "DTSTART;TZID=\(name):20230701T100000", "END:VEVENT",
    ]
    let file = try CalendarFile(bytes: Fixtures.calendar(zone.joined(separator: "\r\n")))
    let found = try file.occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
    #expect(found.map(\.start.description) == ["2023-07-01T10:00:00+01:00"])
  }

  @Test(
    "X-WR-TIMEZONE is found like a TZID, and ignored if it is unknown",
    arguments: [
      ("W. Europe Standard Time", "2023-07-01T12:00:00+02:00"),
      ("/example.org/Asia/Tokyo", "2023-07-01T19:00:00+09:00"),
      ("Atlantis", "2023-07-01T10:00:00+00:00"), ("", "2023-07-01T10:00:00+00:00"),
    ])
  func calendarZone(name: String, start: String) throws {
    let lines = ["X-WR-TIMEZONE:\(name)", "BEGIN:VEVENT", "UID:1", "DTSTART:20230701T100000Z", "END:VEVENT"]
    let file = try CalendarFile(bytes: Fixtures.calendar(lines.joined(separator: "\r\n")))
    let found = try file.occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
    #expect(found.map(\.start.description) == [start])
  }

  @Test("X-WR-TIMEZONE moves times in UTC under each of its names", arguments: ["UTC", "Etc/UTC", "Zulu", "Etc/UCT"])
  func namesOfUTC(name: String) throws {
    let lines = [
      "X-WR-TIMEZONE:Asia/Tokyo", "BEGIN:VEVENT", "UID:1", "DTSTART;TZID=\(name):20230701T100000", "END:VEVENT",
    ]
    let file = try CalendarFile(bytes: Fixtures.calendar(lines.joined(separator: "\r\n")))
    let found = try file.occurrences(from: Fixtures.span.start, to: Fixtures.span.end)
    #expect(found.map(\.start.description) == ["2023-07-01T19:00:00+09:00"])
  }
}
