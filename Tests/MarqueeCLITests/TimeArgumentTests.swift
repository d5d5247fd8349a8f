import ArgumentParser
import Foundation
import MarqueeModel
import MarqueeSimulator
import Testing

@testable import MarqueeCLI

struct TimeArgumentTests {
  private static let berlin = DeviceClock(zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
  /// 2026-06-07T12:00:00Z, 14:00 in Berlin.
  private static let now = Instant.min.advanced(by: .seconds(1_780_833_600))

  @Test(
    "Every form of a time is interpreted by the device's clock",
    arguments: [
      ("now", "2026-06-07T14:00:00+02:00"), ("-10m", "2026-06-07T13:50:00+02:00"),
      ("+1h", "2026-06-07T15:00:00+02:00"), ("+1d2h3m4s", "2026-06-08T16:03:04+02:00"),
      ("09:41", "2026-06-07T09:41:00+02:00"), ("9:41:07", "2026-06-07T09:41:07+02:00"),
      ("2026-01-05 08:30", "2026-01-05T08:30:00+01:00"), ("2026-01-05T08:30:15", "2026-01-05T08:30:15+01:00"),
      ("2026-01-05", "2026-01-05T00:00:00+01:00"), ("2021-06-07T09:41:00Z", "2021-06-07T11:41:00+02:00"),
      ("2021-06-07T09:41:00.25-03:30", "2021-06-07T15:11:00.250+02:00"),
      ("2026-06-07T09:41:00.5", "2026-06-07T09:41:00.500+02:00"),
      ("2026-03-29 02:30", "2026-03-29T03:30:00+02:00"), ("2028-02-29 24:00", "2028-03-01T00:00:00+01:00"),
      ("2026-03-29T24:00:00", "2026-03-30T00:00:00+02:00"),
    ])
  func meaning(_ text: String, _ expected: String) throws {
    let instant = try TimeArgument(text).instant(now: Self.now, clock: Self.berlin)
    #expect(Self.berlin.rfc3339(instant) == expected)
  }

  @Test(
    "Named days, and times of day with am and pm, are interpreted in the device's calendar",
    arguments: [
      ("yesterday 9:41", "2026-06-06T09:41:00+02:00"), ("Yesterday 09:41:07", "2026-06-06T09:41:07+02:00"),
      ("yesterday", "2026-06-06T00:00:00+02:00"), ("today", "2026-06-07T00:00:00+02:00"),
      ("today  23:59", "2026-06-07T23:59:00+02:00"), ("tomorrow 9:41 am", "2026-06-08T09:41:00+02:00"),
      // The present is a Sunday.
      ("sunday", "2026-05-31T00:00:00+02:00"), ("saturday 9:41pm", "2026-06-06T21:41:00+02:00"),
      ("MONDAY 24:00", "2026-06-02T00:00:00+02:00"), ("thursday 0:00", "2026-06-04T00:00:00+02:00"),
      ("9:41 am", "2026-06-07T09:41:00+02:00"), ("9:41:30 PM", "2026-06-07T21:41:30+02:00"),
      ("9pm", "2026-06-07T21:00:00+02:00"), ("12:30 am", "2026-06-07T00:30:00+02:00"),
      ("12 pm", "2026-06-07T12:00:00+02:00"), ("2026-01-05 8:30 pm", "2026-01-05T20:30:00+01:00"),
    ])
  func days(_ text: String, _ expected: String) throws {
    let instant = try TimeArgument(text).instant(now: Self.now, clock: Self.berlin)
    #expect(Self.berlin.rfc3339(instant) == expected)
  }

  @Test(
    "Days of 23 and 25 hours, and days that do not begin at midnight, are supported",
    arguments: [
      ("Europe/Berlin", "2026-03-30 00:30", "yesterday 2:30", "2026-03-29T03:30:00+02:00"),
      ("Europe/Berlin", "2026-03-30 00:30", "yesterday", "2026-03-29T00:00:00+01:00"),
      ("Europe/Berlin", "2026-03-30 00:30", "saturday 9:41", "2026-03-28T09:41:00+01:00"),
      ("Europe/Berlin", "2026-03-28 23:30", "tomorrow 9:41", "2026-03-29T09:41:00+02:00"),
      ("Europe/Berlin", "2026-10-25 23:30", "yesterday 9:41", "2026-10-24T09:41:00+02:00"),
      ("Europe/Berlin", "2026-10-25 23:30", "today 2:30", "2026-10-25T02:30:00+02:00"),
      ("Europe/Berlin", "2026-10-25 00:30", "tomorrow", "2026-10-26T00:00:00+01:00"),
      ("Europe/Berlin", "2026-10-26 00:30", "sunday 23:30", "2026-10-25T23:30:00+01:00"),
      ("America/Sao_Paulo", "2018-11-05 00:30", "yesterday", "2018-11-04T01:00:00-02:00"),
      ("America/Sao_Paulo", "2018-11-04 12:00", "saturday 23:59", "2018-11-03T23:59:00-03:00"),
      // There was no Friday, 30 December.
      ("Pacific/Apia", "2011-12-31 12:00", "yesterday 9:41", "2011-12-29T09:41:00-10:00"),
      ("Pacific/Apia", "2011-12-31 12:00", "friday", "2011-12-23T00:00:00-10:00"),
    ])
  func changedClocks(_ zone: String, _ now: String, _ text: String, _ expected: String) throws {
    let clock = DeviceClock(zone: try #require(TimeZone(identifier: zone)))
    let now = try TimeArgument(now).instant(now: Self.now, clock: clock)
    #expect(clock.rfc3339(try TimeArgument(text).instant(now: now, clock: clock)) == expected)
  }

  @Test(
    "The end of a span has weekdays after today, and the next such time of day",
    arguments: [
      ("monday", "2026-06-08T00:00:00+02:00"), ("sunday 9:41", "2026-06-14T09:41:00+02:00"),
      ("saturday", "2026-06-13T00:00:00+02:00"), ("tomorrow", "2026-06-08T00:00:00+02:00"),
      ("today 9:41", "2026-06-07T09:41:00+02:00"), ("9:00", "2026-06-08T09:00:00+02:00"),
      ("9am", "2026-06-08T09:00:00+02:00"), ("14:00", "2026-06-08T14:00:00+02:00"),
      ("14:00:01", "2026-06-07T14:00:01+02:00"), ("24:00", "2026-06-08T00:00:00+02:00"),
      ("0:00", "2026-06-08T00:00:00+02:00"), ("2026-06-07 09:00", "2026-06-07T09:00:00+02:00"),
    ])
  func ahead(_ text: String, _ expected: String) throws {
    let instant = try TimeArgument(text).instant(now: Self.now, clock: Self.berlin, isAhead: true)
    #expect(Self.berlin.rfc3339(instant) == expected)
  }

  @Test("The end of a snooze that has passed names the option, and a time of day is the next one")
  func snooze() throws {
    let names = NameDirectory.DeviceNames(
      device: try DeviceID("phone"), timeZone: try TimeZoneID("Europe/Berlin"), now: Self.now)
    let next = try SnoozeArguments.parse(["--until", "9am"]).end(on: names)
    #expect(Self.berlin.rfc3339(next) == "2026-06-08T09:00:00+02:00")
    for text in ["now", "-1h", "today 9:00", "2026-06-07 14:00"] {
      let snooze = try SnoozeArguments.parse(["--until", text])
      let failure = #expect(throws: CommandFailure.self) { try snooze.end(on: names) }
      #expect(failure?.status == .usage && failure?.message.hasPrefix("--until must be after") == true, "\(text)")
    }
  }

  @Test("Days before the first instant are rejected", arguments: ["yesterday", "friday 9:41"])
  func beforeTime(_ text: String) throws {
    #expect(throws: CommandFailure.self) { try TimeArgument(text).instant(now: .min, clock: .utc) }
    #expect(try TimeArgument("thursday").instant(now: .min.advanced(by: .days(7)), clock: .utc) == .min)
  }

  @Test(
    "The error states the accepted forms",
    arguments: [
      ("soon", "write 9:41, 9:41 pm, yesterday 9:41"), ("yesterday 25:00", "\"25:00\" in \"yesterday 25:00\" is not"),
      ("monday 13:00 pm", "write 9:41, 09:41:30 or 9:41 pm after the day"),
      ("yesterdy 9:41", "did you mean \"yesterday\"?"),
      ("wensday", "did you mean \"wednesday\"?"), ("0:30 am", "write 9:41"), ("9", "write 9:41"),
    ])
  func complaint(_ text: String, _ part: String) {
    let error = #expect(throws: ValidationError.self) { try TimeArgument(text) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test(
    "An invalid time is rejected with the accepted forms",
    arguments: [
      "", "soon", "25:00", "10:60", "2026-01-05 24:01", "2026-01-05T24:00:00Z", "+", "-", "+5", "2021-13", "10", "٣:00",
      "2021-06-07T09:41:00.",
    ])
  func noTime(_ text: String) {
    #expect(throws: ValidationError.self) { try TimeArgument(text) }
  }

  @Test(
    "A time outside the years of an instant is not said not to exist",
    arguments: [
      ("1970-01-01", true), ("1970-01-01 08:59", true), ("1969-12-31 12:00", true), ("1969-02-30", false),
      ("1970-01-32", false), ("2026-02-30", false),
    ])
  func outsideYears(_ text: String, _ isOutside: Bool) throws {
    let (argument, tokyo) = (try TimeArgument(text), try DeviceClock(TimeZoneID("Asia/Tokyo")))
    let failure = #expect(throws: CommandFailure.self) { try argument.instant(now: Self.now, clock: tokyo) }
    let reason = isOutside ? "is outside the years 1970 to 9999 of UTC" : "is not a time that exists"
    #expect(failure?.message == "\"\(text)\" \(reason)")
    #expect(try TimeArgument("1970-01-01 09:00").instant(now: Self.now, clock: tokyo) == .min)
  }

  @Test(
    "Nonexistent days are rejected", arguments: ["2026-06-31", "2026-06-31 24:00", "2026-02-29 10:00", "1969-12-31"])
  func noSuchDay(_ text: String) throws {
    let argument = try TimeArgument(text)
    #expect(throws: CommandFailure.self) { try argument.instant(now: Self.now, clock: Self.berlin) }
  }

  @Test("RFC 3339 output has milliseconds only if they are not 0, and offsets of half hours")
  func rfc3339() throws {
    let kolkata = DeviceClock(zone: try #require(TimeZone(identifier: "Asia/Kolkata")))
    #expect(kolkata.rfc3339(Self.now) == "2026-06-07T17:30:00+05:30")
    #expect(
      DeviceClock.utc.rfc3339(Self.now.advanced(by: TimeSpan(milliseconds: 5))) == "2026-06-07T12:00:00.005+00:00")
    #expect(DeviceClock.utc.rfc3339(.max) == "9999-12-31T23:59:59.999+00:00")
  }

  @Test("A mistyped time zone is rejected with a suggestion")
  func mistypedZone() {
    let failure = #expect(throws: CommandFailure.self) { try DeviceClock("Europe/Berlim") }
    #expect(failure?.hints.first?.contains("Europe/Berlin") == true)
  }
}
