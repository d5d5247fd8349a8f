import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// Groups of widgets in scenarios.
struct GroupScenarioTests {
  private static func scenario(_ events: String) throws -> Scenario {
    try Scenario(
      yaml: """
        device: phone
        time-zone: Europe/Berlin
        begin: 2021-06-07
        apps:
          com.example.cards:
            intents: {Show: {parameters: {card: object}}}
            kinds: {Card: {families: [systemSmall], intent: Show}, Offers: [systemSmall], News: [systemSmall]}
        stacks:
          home: {family: systemSmall, widgets: [News, Offers]}
          work: {family: systemSmall, widgets: [News]}
        events:
        \(events)
        - {at: 12:00, show: home}
        """)
  }

  /// The local times, stacks and widgets of a day's decisions.
  private static func decisions(_ scenario: Scenario) throws -> [String] {
    let day = try Simulation.day(of: scenario)
    return day.decisions.map { "\(day.scenario.clock.timeOfDay($0.at)) \($0.stack) \($0.to.kind.name)" }
  }

  @Test("R15 Timelines, shortcuts and relevant intents have groups, which are written again")
  func groups() throws {
    func events(_ group: String) -> String {
      """
      - {at: 06:00, publish: Offers, relevance: [[07:00, 1, 2h]]\(group)}
      - {at: 06:00, set-shortcuts: com.example.cards, \
      shortcuts: [{widget: Card(card=object:visa), when: [[07:00, 2h]]\(group)}]}
      - {at: 06:00, set-relevant-intents: com.example.cards, \
      relevant-intents: [{widget: Card(card=object:giro), when: [07:00, 1h]\(group)}]}
      """
    }
    let grouped = try Self.scenario(events(", group: bills"))
    #expect(try Scenario(yaml: grouped.yaml) == grouped)
    #expect(grouped.yaml.split(separator: "group: bills").count == 4)
    #expect(try Self.decisions(grouped) == ["07:00:00 home Offers", "07:00:00 work Card", "08:00:00 home Card"])
    let plain = try Self.decisions(Self.scenario(events("")))
    #expect(plain == ["07:00:00 home Offers", "07:00:00 work Card", "07:05:00 home Card"])
  }

  @Test(
    "R15 A shortcut's group without a kind, and an invalid name, are rejected",
    arguments: [
      ("{intent: {type: Show}, group: bills}", "a group of widgets requires a widget kind"),
      ("{widget: Offers, group: \"\"}", "identifier is empty"), ("{widget: Offers, group: [a]}", "a group's name"),
    ])
  func invalid(shortcut: String, words: String) {
    let error = #expect(throws: ScenarioError.self) {
      try Self.scenario("- {at: 06:00, set-shortcuts: com.example.cards, shortcuts: [\(shortcut)]}")
    }
    #expect("\(error as Any)".contains(words))
  }
}
