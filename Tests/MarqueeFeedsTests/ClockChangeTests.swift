import MarqueeFeeds
import MarqueeModel
import Testing

/// Events in the hours of clock changes.
@Suite struct ClockChangeTests {
  /// The times of the event's occurrences in a span of floating times, as clocks show them.
  private static func times(_ event: String..., from start: String, to end: String, zone: String = "") throws
    -> [String]
  {
    let event = (["BEGIN:VEVENT", "UID:1"] + event + ["END:VEVENT"]).joined(separator: "\r\n")
    let file = try CalendarFile(bytes: Fixtures.calendar(zone + event))
    return try file.occurrences(from: seconds(start), to: seconds(end)).map {
      #expect($0.start.utcSeconds(in: .utc) <= $0.end.utcSeconds(in: .utc))
      return "\($0.start.onClock) \($0.end.onClock)"
    }
  }

  /// The floating midnight of a day.
  private static func seconds(_ day: String) throws -> CalendarTime {
    let file = try CalendarFile(bytes: Fixtures.event("DTSTART:\(day)T000000"))
    let (start, end) = (CalendarTime(floatingSeconds: 0), CalendarTime(floatingSeconds: 253_402_300_799))
    return try #require(try file.occurrences(from: start, to: end).first).start
  }

  @Test("An event in the skipped hour starts after it, lasts as long as on other days, and is found by its times")
  func skippedHour() throws {
    let expected = [
      "2026-03-28T02:30:00+01:00 2026-03-28T03:00:00+01:00", "2026-03-29T03:30:00+02:00 2026-03-29T04:00:00+02:00",
      "2026-03-30T02:30:00+02:00 2026-03-30T03:00:00+02:00",
    ]
    let (start, rule) = ("DTSTART;TZID=Europe/Berlin:20260328T023000", "RRULE:FREQ=DAILY")
    for length in ["DURATION:PT30M", "DTEND;TZID=Europe/Berlin:20260328T030000"] {
      #expect(try Self.times(start, length, rule, from: "20260328", to: "20260331") == expected)
    }
    let single = try Self.times(
      "DTSTART;TZID=Europe/Berlin:20260329T023000", "DTEND;TZID=Europe/Berlin:20260329T030000", from: "20260329",
      to: "20260330")
    #expect(single == [expected[1]])
  }

  @Test("The hours of a DURATION elapse, and its days end at the same local time")
  func durations() throws {
    for (length, end) in [
      ("PT1H", "2026-10-25T02:30:00+01:00"), ("PT45M", "2026-10-25T02:15:00+01:00"),
      ("PT10M", "2026-10-25T02:40:00+02:00"), ("P1D", "2026-10-26T02:30:00+01:00"),
      ("P1DT1H", "2026-10-26T03:30:00+01:00"), ("PT24H", "2026-10-26T01:30:00+01:00"),
    ] {
      for start in ["DTSTART;TZID=Europe/Berlin:20261025T023000", "DTSTART;TZID=Europe/Berlin:20261018T023000"] {
        let found = try Self.times(
          start, "DURATION:\(length)", "RRULE:FREQ=WEEKLY", from: "20261025", to: "20261026")
        #expect(found == ["2026-10-25T02:30:00+02:00 \(end)"], "\(length)")
      }
    }
    let shift = try Self.times(
      "DTSTART;TZID=Europe/Berlin:20260301T220000", "DURATION:PT8H", "RRULE:FREQ=DAILY", from: "20260329",
      to: "20260330")
    #expect(
      shift == [
        "2026-03-28T22:00:00+01:00 2026-03-29T07:00:00+02:00", "2026-03-29T22:00:00+02:00 2026-03-30T06:00:00+02:00",
      ])
  }

  @Test("A negative DURATION ends at the start, and whole days have no hours that elapse")
  func otherDurations() throws {
    let before = try Self.times(
      "DTSTART;TZID=Europe/Berlin:20261025T043000", "DURATION:-PT3H", from: "20261025", to: "20261026")
    #expect(before == ["2026-10-25T02:30:00+02:00 2026-10-25T04:30:00+01:00"])
    let day = try Self.times(
      "DTSTART;VALUE=DATE:20261025", "DURATION:PT24H", "EXDATE;TZID=Europe/Berlin:20261026T000000", "RRULE:FREQ=DAILY",
      from: "20261025", to: "20261026")
    #expect(day == ["2026-10-25 2026-10-26"])
  }

  @Test("An event whose hours reach into a span only because they elapse is found")
  func reach() throws {
    let late = try Self.times(
      "DTSTART;TZID=Europe/Berlin:20260328T233000", "DURATION:PT24H", "RRULE:FREQ=WEEKLY", from: "20260330",
      to: "20260331")
    #expect(late == ["2026-03-28T23:30:00+01:00 2026-03-30T00:30:00+02:00"])
  }

  @Test("In a zone that the file defines west of Greenwich, hours elapse as well")
  func ownZone() throws {
    let part = { (kind: String, start: String, from: String, to: String, month: String) in
      [
        "BEGIN:\(kind)", "DTSTART:\(start)", "TZOFFSETFROM:\(from)", "TZOFFSETTO:\(to)",
        "RRULE:FREQ=YEARLY;BYMONTH=\(month)", "TZNAME:\(kind)", "END:\(kind)",
      ]
    }
    let zone =
      ["BEGIN:VTIMEZONE", "TZID:Own"] + part("DAYLIGHT", "20070311T020000", "-0500", "-0400", "3;BYDAY=2SU")
      + part("STANDARD", "20071104T020000", "-0400", "-0500", "11;BYDAY=1SU") + ["END:VTIMEZONE", ""]
    for (start, length, expected) in [
      ("20261101T013000", "PT1H", "2026-11-01T01:30:00-04:00 2026-11-01T01:30:00-05:00"),
      ("20261101T003000", "PT1H", "2026-11-01T00:30:00-04:00 2026-11-01T01:30:00-04:00"),
      ("20261101T013000", "PT2H", "2026-11-01T01:30:00-04:00 2026-11-01T02:30:00-05:00"),
      ("20260308T013000", "PT1H", "2026-03-08T01:30:00-05:00 2026-03-08T03:30:00-04:00"),
    ] {
      let found = try Self.times(
        "DTSTART;TZID=Own:\(start)", "DURATION:\(length)", from: String(start.prefix(8)),
        to: String(start.prefix(6)) + "20", zone: zone.joined(separator: "\r\n"))
      #expect(found == [expected])
    }
  }
}
