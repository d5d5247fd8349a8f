import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// The details of entries in scenarios.
struct EntryScenarioTests {
  private static func scenario(_ entries: String) throws -> Scenario {
    try Scenario(
      yaml: """
        device: phone
        time-zone: Europe/Berlin
        begin: 2021-06-07
        apps:
          com.example.cards: {kinds: {Balance: [systemSmall], Offers: [systemSmall]}}
        stacks:
          home: {family: systemSmall, widgets: [Offers, Balance]}
        events:
          - {at: 06:00, publish: Balance, \(entries)}
          - {at: 12:00, show: home}
        """)
  }

  @Test("T10 W4 W5 A scenario has expiries, redacted contents, links and a fallback, which are written again")
  func details() throws {
    let scenario = try Self.scenario(
      """
      entries: [{date: 07:00, score: 1, content: "52.60", expires: 08:00, private: on, redacted: {type: text/plain, \
      content: hidden}, link: "cards:amex"}], fallback: {content: later}
      """)
    let timeline = try #require(
      scenario.occurrences.lazy.compactMap { event in
        if case .timelinePublished(_, let timeline) = event.event { timeline } else { nil }
      }.first)
    let details = try #require(timeline.entries.first).details
    #expect(details.expiry == timeline.entries[0].date.advanced(by: .hours(1)))
    #expect(details.redacted?.bytes == Array("hidden".utf8) && details.link?.text == "cards:amex")
    #expect(timeline.fallback?.bytes == Array("later".utf8))
    #expect(try Scenario(yaml: scenario.yaml) == scenario)
    let day = try Simulation.day(of: scenario)
    #expect(day.decisions.map { day.scenario.clock.timeOfDay($0.at) } == ["07:00:00"])
    let spans = day.widgets.flatMap(\.scores).map { day.scenario.clock.timeOfDay($0.end) }
    #expect(spans == ["08:00:00"])
  }

  @Test(
    "Invalid details are rejected",
    arguments: [
      ("{date: 07:00, expires: 07:00}", "the expiry is not after the entry's date"),
      ("{date: 07:00, redacted: {content: a}}", "only a private entry has redacted content"),
      ("{date: 07:00, private: maybe}", "on or off"), ("{date: 07:00, link: amex}", "must be an absolute URL"),
    ])
  func invalid(entry: String, words: String) {
    let error = #expect(throws: ScenarioError.self) { try Self.scenario("entries: [\(entry)]") }
    #expect("\(error as Any)".contains(words))
  }
}
