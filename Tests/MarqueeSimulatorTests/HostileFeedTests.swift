import MarqueeModel
import Testing

@testable import MarqueeSimulator

/// Calendars and tables of 1 MiB that are costly to read end with a result or an error that names a limit.
@Suite(.timeLimit(.minutes(2)))
struct HostileFeedTests {
  private static let size = 1 << 20

  private static func calendar(_ lines: String) -> String {
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20260608T000000Z\n\(lines)\nEND:VEVENT\nEND:VCALENDAR\n"
  }

  private static func repeated(_ text: (Int) -> String) -> String {
    var all = ""
    var number = 0
    while all.utf8.count < size - 1_000 {
      all += text(number)
      number += 1
    }
    return all
  }

  static let texts: [(name: String, text: String)] = [
    ("properties", calendar(repeated { _ in "A:\n" })),
    ("malformed lines", calendar(repeated { _ in "a\n" })),
    ("malformed values", calendar(repeated { _ in "DTEND:x\n" })),
    ("parameters", calendar("SUMMARY" + repeated { ";X\($0)=1" } + ":a")),
    ("values", calendar("RDATE:20260608T000000Z" + repeated { ",202606\(10 + $0 % 20)T00\(10 + $0 % 50)00Z" })),
    ("exclusions", calendar("RRULE:FREQ=SECONDLY\n" + repeated { "EXDATE:202606\(10 + $0 % 20)T000000Z\n" })),
    ("secondly", calendar("RRULE:FREQ=SECONDLY")), ("minutely", calendar("DURATION:P30D\nRRULE:FREQ=MINUTELY")),
    ("never", calendar("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")),
    ("rules", calendar(repeated { "RRULE:FREQ=SECONDLY;INTERVAL=\($0 + 1);BYMONTH=2\n" })),
    ("far rules", calendar(repeated { "RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=\($0 + 90_000)\n" })),
    ("lists", calendar("RRULE:FREQ=DAILY;BYMINUTE=0" + repeated { ",\($0 % 60)" })),
    ("nested", repeated { _ in "BEGIN:VEVENT\n" }),
    (
      "events",
      "BEGIN:VCALENDAR\n"
        + repeated { "BEGIN:VEVENT\nDTSTART:20260608T0\($0 % 10)0000Z\nRRULE:FREQ=HOURLY\nEND:VEVENT\n" }
        + "END:VCALENDAR\n"
    ),
    (
      "long events",
      "BEGIN:VCALENDAR\n" + repeated { _ in "BEGIN:VEVENT\nDTSTART:20260608\nDURATION:P9D\nEND:VEVENT\n" }
        + "END:VCALENDAR\n"
    ),
    (
      "zones",
      "BEGIN:VCALENDAR\n"
        + repeated {
          "BEGIN:VTIMEZONE\nTZID:\($0)\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n"
            + "RRULE:FREQ=YEARLY;BYDAY=-1SU\nEND:STANDARD\nEND:VTIMEZONE\n"
        } + "END:VCALENDAR\n"
    ),
    (
      "long start",
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;X-A=\(String(repeating: "a", count: 900_000)):20260608T000000Z\n"
        + "DURATION:PT1M\nRRULE:FREQ=MINUTELY;INTERVAL=11\nEND:VEVENT\nEND:VCALENDAR\n"
    ),
    ("folded", calendar("SUMMARY:" + repeated { _ in "\n a" })),
    ("one line", calendar("SUMMARY:" + repeated { _ in "\\n" })),
    ("rows", "date,score\n" + repeated { "2026-06-08T00:00:\(10 + $0 % 50),1\n" }),
    ("columns", "date,score" + repeated { _ in ",a" }), ("quotes", "date,score\n\"" + repeated { _ in "\"\"" }),
    ("entries", repeated { $0 % 4_000 == 0 ? "- entries:\n" : "  - [0,1]\n" }),
    ("far entries", "entries: [" + repeated { "[\($0)e6,1]," } + "]"),
  ]

  @Test("A hostile text ends in bounded time", arguments: texts.map(\.name))
  func bounded(name: String) throws {
    let text = try #require(Self.texts.first { $0.name == name }).text
    let now = try #require(TimeText("2026-06-08T13:10:00Z")?.instant(day: .min, clock: .utc))
    let settings = try FeedSettings(
      timeZone: TimeZoneID("Europe/Berlin"), from: nil, now: now, dayCount: 31, isLimited: true)
    let clock = ContinuousClock()
    let start = clock.now
    var outcome = "converted"
    do throws(ScenarioError) {
      let source = try ScenarioSource(text, settings)
      #expect(source.converted.map { $0.utf8.count <= ConvertedScenario.textSizeMax } == true)
    } catch {
      outcome = "\(error)"
      #expect(outcome.utf8.count < 300)
    }
    let span = start.duration(to: clock.now)
    #expect(span < .seconds(30), "\(name): \(span), \(outcome)")
  }
}
