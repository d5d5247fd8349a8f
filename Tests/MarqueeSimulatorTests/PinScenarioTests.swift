import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// Pins and the resting front in simulated scenarios.
struct PinScenarioTests {
  private static func day(_ events: String, policy: String = "{}") throws -> SimulatedDay {
    try Simulation.day(
      of: Scenario(
        yaml: """
          device: phone
          time-zone: Europe/Berlin
          begin: 2021-06-07
          policy: \(policy)
          apps:
            com.example.weather: {kinds: {Forecast: [systemSmall]}}
            com.example.sport: {kinds: {Score: [systemSmall]}}
          stacks:
            home: {family: systemSmall, widgets: [Forecast, Score]}
          events:
          \(events)
          """))
  }

  /// Returns the kinds, local times and new fronts of a day's decisions.
  private static func decisions(_ day: SimulatedDay) -> [String] {
    day.decisions.map { decision in
      "\(decision.kind) \(day.scenario.clock.timeOfDay(decision.at)) \(decision.to.kind.name)"
    }
  }

  @Test("R12 The times of a pin are those of the device's time zone, also on a device without donations")
  func localTimes() throws {
    let day = try Self.day(
      """
      - {at: 02:00, pin: Score, stack: home, when: {times: mon-fri 07:00-09:00}}
      - {at: 08:00, publish: Forecast, relevance: [[08:10, 1, 30m]]}
      - {at: 10:00, show: home}
      """)
    #expect(Self.decisions(day) == ["pin 07:00:00 Score", "rest 09:00:00 Forecast"])
    #expect(
      day.decisions.map { $0.explanation.summary() } == [
        "Score is pinned on weekdays from 07:00 to 09:00", "Forecast returns: the pin that replaced it has ended",
      ])
  }

  @Test("R12 A stack rotates neither to nor away from a widget whose rotations are not allowed")
  func rotationRules() throws {
    let timelines = """
      - {at: 06:00, publish: Score, relevance: [[08:00, 1, 30m]]}
      - {at: 06:00, publish: Forecast, relevance: [[10:00, 1, 30m]]}
      - {at: 12:00, show: home}
      """
    #expect(
      Self.decisions(try Self.day(timelines)) == ["rotation 08:00:00 Score", "rotation 10:00:00 Forecast"])
    func rule(_ rule: String) -> String { "- {at: 01:00, rotation-rule: Score, stack: home, \(rule)}\n" }
    #expect(Self.decisions(try Self.day(rule("to: off, away: on") + timelines)).isEmpty)
    #expect(
      Self.decisions(try Self.day(rule("to: on, away: off") + timelines)) == ["rotation 08:00:00 Score"])
    #expect(Self.decisions(try Self.day(rule("to: on, away: on") + timelines)).count == 2)
  }

  @Test("R13 With the policy, a stack without evidence returns to its first widget")
  func restingFront() throws {
    let events = """
      - {at: 06:00, publish: Score, relevance: [[08:00, 1, 30m]]}
      - {at: 12:00, show: home}
      """
    #expect(Self.decisions(try Self.day(events)) == ["rotation 08:00:00 Score"])
    #expect(
      Self.decisions(try Self.day(events, policy: "{resting-front: 30m}"))
        == ["rotation 08:00:00 Score", "rest 09:00:00 Forecast"])
  }
}
