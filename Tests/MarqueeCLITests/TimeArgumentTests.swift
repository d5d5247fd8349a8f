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
    "Every form of a time means what a person at the device's clock means",
    arguments: [
      ("now", "2026-06-07T14:00:00+02:00"), ("-10m", "2026-06-07T13:50:00+02:00"),
      ("+1h", "2026-06-07T15:00:00+02:00"), ("+1d2h3m4s", "2026-06-08T16:03:04+02:00"),
      ("09:41", "2026-06-07T09:41:00+02:00"), ("9:41:07", "2026-06-07T09:41:07+02:00"),
      ("2026-01-05 08:30", "2026-01-05T08:30:00+01:00"), ("2026-01-05T08:30:15", "2026-01-05T08:30:15+01:00"),
      ("2026-01-05", "2026-01-05T00:00:00+01:00"), ("2021-06-07T09:41:00Z", "2021-06-07T11:41:00+02:00"),
      ("2021-06-07T09:41:00.25-03:30", "2021-06-07T15:11:00.250+02:00"),
      ("2026-06-07T09:41:00.5", "2026-06-07T09:41:00.500+02:00"),
      ("2026-03-29 02:30", "2026-03-29T03:30:00+02:00"),
    ])
  func meaning(_ text: String, _ expected: String) throws {
    let instant = try TimeArgument(text).instant(now: Self.now, clock: Self.berlin)
    #expect(Self.berlin.rfc3339(instant) == expected)
  }

  @Test(
    "What is no time is refused with the forms that are",
    arguments: ["", "soon", "25:00", "10:60", "+", "-", "+5", "2021-13", "10", "٣:00", "2021-06-07T09:41:00."])
  func noTime(_ text: String) {
    #expect(throws: ValidationError.self) { try TimeArgument(text) }
  }

  @Test("Days that no calendar has are refused", arguments: ["2026-06-31", "2026-02-29 10:00", "1969-12-31"])
  func noSuchDay(_ text: String) throws {
    let argument = try TimeArgument(text)
    #expect(throws: CommandFailure.self) { try argument.instant(now: Self.now, clock: Self.berlin) }
  }

  @Test("RFC 3339 shows milliseconds only when there are any, and offsets of half hours")
  func rfc3339() throws {
    let kolkata = DeviceClock(zone: try #require(TimeZone(identifier: "Asia/Kolkata")))
    #expect(kolkata.rfc3339(Self.now) == "2026-06-07T17:30:00+05:30")
    #expect(
      DeviceClock.utc.rfc3339(Self.now.advanced(by: TimeSpan(milliseconds: 5))) == "2026-06-07T12:00:00.005+00:00")
    #expect(DeviceClock.utc.rfc3339(.max) == "9999-12-31T23:59:59.999+00:00")
  }

  @Test("A mistyped time zone is refused with what may have been meant")
  func mistypedZone() {
    let failure = #expect(throws: CommandFailure.self) { try DeviceClock("Europe/Berlim") }
    #expect(failure?.hints.first?.contains("Europe/Berlin") == true)
  }
}
