import MarqueeModel
import MarqueeSimulator
import MarqueeWire
import Testing

@testable import MarqueeCLI

@Suite struct SuggestionLogTests {
  private let app: AppID
  private let device: DeviceID
  private let zone: TimeZoneID
  /// 11:41 in Berlin.
  private let start: Instant

  init() throws {
    (app, device, zone) = (try AppID("com.example.chat"), try DeviceID("phone"), try TimeZoneID("Europe/Berlin"))
    start = try #require(Instant(milliseconds: 1_623_058_860_000))
  }

  private func list(_ names: [String], at instant: Instant) -> ListSuggestionsResponse {
    let suggestions = names.map { name in
      let person = DisplayIdentity(identifier: name, display: name)
      return ListedSuggestion(subject: .person(app, person), confidence: 0.5, reason: "")
    }
    return ListSuggestionsResponse(at: instant, suggestions: suggestions, timeZone: zone)
  }

  @Test("S9 A list is printed unless it equals the last one, with the date if the day has changed")
  func lines() throws {
    var log = SuggestionLog(device: device, surface: .shareSheet, clock: try DeviceClock(zone))
    let first = log.lines(for: list(["Ada"], at: start))
    #expect(first.first == "11:41:00  phone  share-sheet" && first.last?.contains("Ada") == true)
    #expect(log.lines(for: list(["Ada"], at: start.advanced(by: .hours(1)))) == [])
    let empty = log.lines(for: list([], at: start.advanced(by: .hours(2))))
    #expect(empty == ["13:41:00  phone  share-sheet", "  No suggestions."])
    let next = log.lines(for: list(["Ada"], at: start.advanced(by: .hours(24))))
    #expect(next.first == "2021-06-08 11:41:00  phone  share-sheet")
  }

  @Test("S9 A time zone that is missing from the machine's database leaves the clock unchanged")
  func unknownZone() throws {
    var log = SuggestionLog(device: device, surface: .search, clock: try DeviceClock(zone))
    log.follow(try TimeZoneID("Mars/Olympus"))
    #expect(log.lines(for: list([], at: start)).first == "11:41:00  phone  search")
    log.follow(try TimeZoneID("Asia/Tokyo"))
    #expect(log.lines(for: list(["Ada"], at: start)).first == "18:41:00  phone  search")
  }
}
