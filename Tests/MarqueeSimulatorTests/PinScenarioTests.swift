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

  @Test("R12 The times of a pin are those of the time zone also after years without an event")
  func years() throws {
    let scenario = try Scenario(
      yaml: """
        device: kiosk
        time-zone: America/New_York
        begin: 2026-10-24
        until: 2031-11-10
        apps:
          com.example.weather: {kinds: {Forecast: [systemSmall], Radar: [systemSmall]}}
        stacks:
          home: {family: systemSmall, widgets: [Forecast, Radar]}
        events:
          - {at: 06:00, pin: Radar, stack: home, when: {times: "02:15-02:45"}}
        """)
    let day = try Simulation.day(of: scenario)
    let pins = day.decisions.filter { $0.kind == .pin }
    // On the days on which summer time begins, the clock does not show these times.
    #expect((1_825...1_842).contains(pins.count), "\(pins.count)")
    #expect(Set(pins.map { scenario.clock.timeOfDay($0.at) }).subtracting(["02:15:00", "03:00:00"]).isEmpty)
    let last = try #require(pins.last)
    let home = try StackID("home")
    #expect(day.device(at: last.at).stack(home)?.frontWidget == last.to)
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
