import Foundation
import MarqueeModel
import MarqueeSimulator
import Testing

@testable import MarqueeCLI

/// Extreme arguments. A trapping conversion would terminate this process, and with it the tests.
@Suite("Hostile arguments")
struct HostileArgumentTests {
  private static let numbers = [
    "inf", "-inf", "nan", "1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
    "18446744073709551615", "1e18", "-1", "0", "5e-324", "",
  ]

  @Test("Numeric options are accepted or rejected for arbitrary values")
  func numbers() async throws {
    let forms: [[String]] = [
      ["demo", "--pace"], ["lint", "a.yaml", "--days"], ["backtest", "a.tsv", "--days"],
      ["backtest", "a.tsv", "--widgets"],
      ["donations", "--count"], ["decisions", "--count"], ["decisions", "--before"], ["watch-face", "--count"],
      ["perform", "a", "--time-max"], ["stack", "move", "home", "a", "--index"], ["stack", "add", "home", "a", "--at"],
      ["publish", "calendar", "a", "a.ics", "--days"], ["publish", "weather", "a.json", "--days"],
      ["report-interaction", "place", "--longitude", "0", "--latitude"],
    ]
    for form in forms {
      // The error messages are covered by other tests.
      for number in Self.numbers { _ = try? MarqueeCommand.parseAsRoot(form + [number]) }
    }
  }

  @Test("Times and spans are parsed or rejected for arbitrary text")
  func texts() throws {
    let parts =
      Self.numbers + [
        "9999999d", "99999h", "999999m", "9999999s", "ms", "d", "+", ":", "T", "Z", " ", "am", "pm", "today",
        "yesterday",
        "2026-03-29", "9999-12-31", "0000-00-00", "1970-01-01", "24:00", "02:30", "23:59:60", "+14:00", "-99:99",
        "\u{1B}",
      ]
    var generator = Seeded(state: 7)
    let clock = DeviceClock(zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
        parts.randomElement(using: &generator)
      }.joined()
      if let span = TimeSpan(text: text) { #expect(TimeSpan(text: span.text) == span) }
      // An invalid time is rejected; only a trap would be a failure.
      guard let time = try? TimeArgument(text) else { continue }
      for now in [Instant.min, .max, Instant.min.advanced(by: .days(20_000))] {
        _ = try? time.instant(now: now, clock: clock)
      }
    }
  }

  @Test(
    "Files with exponentially expanding aliases are rejected immediately",
    arguments: [["lint"], ["simulate"]])
  func aliases(command: [String]) async throws {
    let file = try Binary.file("bomb.yaml")
    defer { unlink(file.path) }
    let text = (1...40).reduce("- &a0 {x: y}") { $0 + "\n- &a\($1) {? *a\($1 - 1) : *a\($1 - 1)}" }
    try Data(text.utf8).write(to: file)
    let outcome = try await Binary.run(command + [file.path])
    #expect(outcome.status != 0 && outcome.errors.contains("line 2: YAML aliases"), "\(outcome.errors)")
  }

  /// Splitmix64.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }
}
