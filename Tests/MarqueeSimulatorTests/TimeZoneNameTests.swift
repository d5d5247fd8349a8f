import Foundation
import MarqueeModel
import Testing

@testable import MarqueeSimulator

/// The identifiers of time zones, and the proposals for abbreviations and offsets.
struct TimeZoneNameTests {
  @Test("C1 IANA identifiers are accepted", arguments: ["UTC", "GMT", "Europe/Berlin", "Japan", "GB", "Etc/GMT+5"])
  func identifiers(name: String) throws {
    #expect(TimeZone(iana: name) != nil)
    #expect(throws: Never.self) { try DeviceClock(TimeZoneID(name)) }
  }

  @Test(
    "C1 Abbreviations and offsets are refused with a proposal",
    arguments: [
      ("IST", "Asia/Kolkata"), ("EST", "America/New_York"), ("EST5EDT", "America/New_York"), ("CET", "Europe/Paris"),
      ("GMT+5", "Etc/GMT-5"), ("UTC-3", "Etc/GMT+3"), ("GMT+05:00", "Etc/GMT-5"), ("UTC+0", "Etc/GMT"),
      ("GMT+5:30", nil), ("GMT+99", nil), ("XYZ", nil), ("Europe/Berlim", nil),
    ] as [(String, String?)])
  func abbreviations(name: String, proposal: String?) throws {
    #expect(TimeZone(iana: name) == nil && TimeZone.iana(meantBy: name) == proposal)
    let error = #expect(throws: RequestError.self) { try DeviceClock(TimeZoneID(name)) }
    let end = proposal.map { "; use an IANA identifier, such as \($0)" } ?? ""
    #expect(error?.description == "no time zone is called \"\(name)\"\(end)")
  }

  @Test("A scenario names the line of an abbreviation")
  func scenario() {
    let head = "device: a\ntime-zone: UTC\nbegin: 2026-01-01\nevents:\n"
    for (text, line) in [
      ("device: a\ntime-zone: IST\nbegin: 2026-01-01", 2), (head + "  - {at: 08:00, time-zone: IST}", 5),
    ] {
      let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: text) }
      #expect(error?.line == line && "\(error as Any)".contains("Asia/Kolkata"), "\(error as Any)")
    }
  }
}
