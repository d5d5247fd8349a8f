import Foundation
import MarqueeModel
import Testing

@testable import MarqueeSimulator

struct TimeTextTests {
  @Test(
    "A duration is parsed in units or seconds, and written in units",
    arguments: [
      ("30m", 1_800_000, "30m"), ("1h30m", 5_400_000, "1h30m"), ("90m", 5_400_000, "1h30m"),
      ("1800", 1_800_000, "30m"), ("0", 0, "0s"), ("0.25", 250, "250ms"), ("2d1s", 172_801_000, "2d1s"),
      ("1s1ms", 1_001, "1001ms"), ("9223372036854775807ms", Int64.max, "9223372036854775807ms"),
    ] as [(String, Int64, String)])
  func spans(text: String, milliseconds: Int64, written: String) throws {
    let span = try #require(TimeSpan(text: text))
    #expect(span.milliseconds == milliseconds && span.text == written)
    #expect(TimeSpan(text: written) == span)
  }

  @Test(
    "Invalid durations are rejected",
    arguments: ["", "m", "-5", "30 m", "1m1h", "1m1m", "nan", "inf", "1e300", "99999999999999999999ms", "٣m", "5x"])
  func noSpan(text: String) {
    #expect(TimeSpan(text: text) == nil)
  }

  @Test(
    "Times of a day follow the local clock, also at clock changes",
    arguments: [
      ("2026-03-29", "01:59", "2026-03-29T01:59:00+01:00"), ("2026-03-29", "02:30", "2026-03-29T03:30:00+02:00"),
      ("2026-03-29", "03:00", "2026-03-29T03:00:00+02:00"), ("2026-03-29", "24:00", "2026-03-30T00:00:00+02:00"),
      ("2026-10-25", "02:30", "2026-10-25T02:30:00+02:00"), ("2026-10-25", "03:00", "2026-10-25T03:00:00+01:00"),
      ("2026-10-25", "24:00", "2026-10-26T00:00:00+01:00"),
      ("2026-10-25", "9:41:07.5", "2026-10-25T09:41:07.500+01:00"),
      ("2026-10-25", "2026-10-25 24:00", "2026-10-26T00:00:00+01:00"),
      ("2026-10-25", "2028-02-29T24:00:00", "2028-03-01T00:00:00+01:00"),
      ("2026-10-25", "2026-10-26 00:00:00.001", "2026-10-26T00:00:00.001+01:00"),
    ])
  func timesOfDay(day: String, text: String, expected: String) throws {
    let clock = try DeviceClock(TimeZoneID("Europe/Berlin"))
    let start = try #require(TimeText(day)?.instant(day: .min, clock: clock))
    let instant = try #require(TimeText(text)?.instant(day: start, clock: clock))
    #expect(clock.rfc3339(instant) == expected)
  }

  @Test(
    "A time without an instant is outside the years 1970 to 9999 of UTC, or its date does not exist",
    arguments: [
      ("Asia/Tokyo", "1970-01-01", true), ("Asia/Tokyo", "1970-01-01 08:59", true), ("UTC", "1969-12-31", true),
      ("America/New_York", "9999-12-31 19:00", true), ("UTC", "0000-02-29", true), ("UTC", "1900-02-29", false),
      ("UTC", "2026-02-30", false), ("Pacific/Apia", "2011-12-30", false), ("UTC", "9999-13-01", false),
    ])
  func outsideYears(zone: String, text: String, isOutside: Bool) throws {
    let time = try #require(TimeText(text))
    #expect(time.instant(day: .min, clock: try DeviceClock(TimeZoneID(zone))) == nil)
    #expect(time.isOutsideYears == isOutside)
  }

  @Test(
    "Invalid times are rejected",
    arguments: ["", "24:01", "9", "9:4", "12:60", "2026-10-25 24:01", "2026-10-25T24:00:00Z", "2026-1-1"])
  func noTime(text: String) {
    #expect(TimeText(text) == nil)
  }
}

extension TimeTextTests {
  @Test(
    "Local times and instants equal those of Foundation's calendar, near clock changes and elsewhere",
    arguments: [
      "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu",
    ])
  func calendar(zone: String) throws {
    let clock = try DeviceClock(TimeZoneID(zone))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = clock.zone
    for step in 0..<4_000 {
      // A third of a day and a bit, so that all times of day come up; 2010 to 2014 has each zone's oddest changes.
      let instant = Instant.min.advanced(by: .seconds(1_262_304_000 + Int64(step) * 31_013))
      let date = Date(timeIntervalSince1970: Double(instant.milliseconds / 1000))
      let fields = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let (year, month, day) = (try #require(fields.year), try #require(fields.month), try #require(fields.day))
      let (hour, minute, second) = (try #require(fields.hour), try #require(fields.minute), try #require(fields.second))
      let time = [hour, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      #expect(clock.wallTime(instant) == time && clock.date(instant) == (year, month, day))
      let read = clock.instant(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
      let first = calendar.date(from: fields).map { Int64($0.timeIntervalSince1970) * 1000 }
      #expect(read?.milliseconds == first, "\(clock.rfc3339(instant))")
      // The offset follows if the local time is also that of another instant, as that of the second one always is.
      let (shown, zoned) = (clock.timeOfDay(instant), time + clock.rfc3339(instant).suffix(6))
      #expect(shown == zoned || shown == time && read?.milliseconds == instant.milliseconds / 1000 * 1000)
    }
  }
}
