import MarqueeModel
import Testing

@testable import MarqueeSimulator

struct PinTimesTextTests {
  @Test(
    "R12 Times of a pin are parsed with their weekdays, and written in the shortest form",
    arguments: [
      ("07:00-09:00", .all, 420, 540, "07:00-09:00"), ("7:00-24:00", .all, 420, 1_440, "07:00-24:00"),
      ("22:00-00:00", .all, 1_320, 1_440, "22:00-24:00"), ("22:00-6:30", .all, 1_320, 390, "22:00-06:30"),
      ("mon-sun 07:00-09:00", .all, 420, 540, "07:00-09:00"),
      ("mon-fri 07:00-09:00", .workdays, 420, 540, "mon-fri 07:00-09:00"),
      ("fri,thu,wed,tue,mon 07:00-09:00", .workdays, 420, 540, "mon-fri 07:00-09:00"),
      ("sat-sun 07:00-09:00", .weekend, 420, 540, "sat,sun 07:00-09:00"),
      ("fri-mon 07:00-09:00", Weekdays(rawValue: 0b111_0001), 420, 540, "mon,fri-sun 07:00-09:00"),
      ("tue,thu 07:00-09:00", Weekdays(rawValue: 0b000_1010), 420, 540, "tue,thu 07:00-09:00"),
      ("wed 07:00-09:00", Weekdays(rawValue: 0b000_0100), 420, 540, "wed 07:00-09:00"),
    ] as [(String, Weekdays, Int, Int, String)])
  func times(text: String, weekdays: Weekdays, start: Int, end: Int, written: String) throws {
    let times = try #require(PinTimes(text: text))
    #expect(times.weekdays == weekdays && times.start == start && times.end == end)
    #expect(times.text == written && PinTimes(text: written) == times)
  }

  @Test("R12 The text of any weekdays is parsed to them", arguments: UInt8(1)...127)
  func weekdays(mask: UInt8) throws {
    let times = try PinTimes(weekdays: Weekdays(rawValue: mask), start: 0, end: 1)
    #expect(PinTimes(text: times.text) == times)
  }

  @Test(
    "R12 Invalid times of a pin are rejected",
    arguments: [
      "", "07:00", "07:00-", "-09:00", "07:00-07:00", "24:00-01:00", "07:00-25:00", "07:00-09:00:30",
      "07:00:00.5-09:00", "07:00 - 09:00", "mon", "mon-fri", "mon- 07:00-09:00", "mon-wed-fri 07:00-09:00",
      "mon,mon 07:00-09:00", "mon-wed,tue 07:00-09:00", "monday 07:00-09:00", "Mon 07:00-09:00", ", 07:00-09:00",
      "mon  07:00-09:00", "mon tue 07:00-09:00", "07:00-08:00-09:00",
    ])
  func noTimes(text: String) {
    #expect(PinTimes(text: text) == nil)
  }
}
