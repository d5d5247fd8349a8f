import Foundation
import MarqueeModel
import MarqueeTestSupport
import Testing

@testable import MarqueeSimulator

/// Errors in a scenario's text are detected and located.
struct ScenarioErrorTests {
  private static let head = """
    device: phone
    time-zone: Europe/Berlin
    begin: 2026-03-29
    apps:
      com.a.b: {kinds: {K: [systemSmall]}}
    stacks:
      home: {family: systemSmall, widgets: [K]}
    events:

    """

  @Test(
    "An error names the line, the column, the field and the expected value",
    arguments: [
      ("- {at: 25:00, hide: home}", "line 9, column 8: events[0].at: expected a time such as 09:41"),
      ("- {at: 9:00}", "line 9, column 3: events[0]: expected one of the keys register-kinds, "),
      ("- {hide: home}", "line 9, column 3: events[0]: expected the key at"),
      ("- {at: 9:00, hide: home, show: home}", "events[0]: expected one event key, found show and hide"),
      ("- {at: 9:00, hide: home, to: K}", "line 9, column 26: events[0].to: unknown key; expected at, hide"),
      ("- {at: 9:00, at: 9:00}", "line 9, column 4: duplicate key at"),
      (
        "- {at: 9:00, hide: home}\n- {at: 8:00, hide: home}",
        "line 10, column 8: events[1].at: expected 09:00 or later: events must be in chronological order"
      ),
      ("- {at: 9:00, hide: [home]}", "line 9, column 20: events[0].hide: expected a stack's name"),
      ("- {at: 9:00, hide: ~}", "events[0].hide: expected a stack's name"),
      ("- {at: 9:00, scroll: home, to: L}", "events[0].to: expected a widget such as com.example.weather"),
      ("- {at: 9:00, scroll: home, to: K(a=1)}", "the kind com.a.b/K is not registered so far as configurable"),
      ("- {at: 9:00, add: com.a.b/K, stack: home, index: 1.5}", "events[0].index: expected a whole number"),
      ("- {at: 9:00, publish: K}", "events[0]: expected one of the keys relevance and entries"),
      ("- {at: 9:00, publish: K, relevance: [9:00]}", "events[0].relevance[0]: expected [time], [time, score]"),
      ("- {at: 9:00, publish: K, relevance: [[9:00, x]]}", "relevance[0][1]: expected a finite number"),
      ("- {at: 9:00, publish: K, relevance: [[9:00, .nan]]}", "relevance[0][1]: expected a finite number"),
      ("- {at: 9:00, publish: K, relevance: [[9:00, 1, -5]]}", "relevance[0][2]: expected a duration such as"),
      ("- {at: 9:00, publish: K, relevance: [[1e99, 1]]}", "relevance[0][0]: 1e+99 minutes: out of range"),
      ("- {at: 9:00, publish: K, entries: [{date: 9:00, base64: '*'}]}", "base64: expected bytes in base 64"),
      ("- {at: 9:00, publish: K, relevance: [], reload: often}", "events[0].reload: expected a time such as"),
      ("- {at: 9:00, policy: {dwell: 5 min}}", "events[0].policy.dwell: expected a duration"),
      ("- {at: 9:00, policy: {threshold: -1}}", "events[0].policy: threshold: -1.0 is out of range (0 or more)"),
      ("- {at: 9:00, policy: {thresh: 1}}", "events[0].policy.thresh: unknown key; expected timeline-weight, "),
      ("- {at: 9:00, pin: K}", "line 9, column 3: events[0]: expected the key stack"),
      ("- {at: 9:00, pin: K, stack: home, when: daily}", "events[0].when: expected the conditions of a pin"),
      ("- {at: 9:00, pin: K, stack: home, when: {times: 9:00-9:00}}", "when.times: expected times such as 07:00-09:00"),
      ("- {at: 9:00, pin: K, stack: home, when: {place: [1, 2]}}", "events[0].when: expected the key radius"),
      ("- {at: 9:00, pin: K, stack: home, when: {radius: 5}}", "events[0].when.radius: unknown key"),
      ("- {at: 9:00, pin: K, stack: home, when: {focus: [a]}}", "events[0].when.focus: expected a focus"),
      ("- {at: 9:00, rotation-rule: K, stack: home, to: on}", "events[0]: expected the key away"),
      ("- {at: 9:00, developer-mode: maybe}", "events[0].developer-mode: expected on or off"),
      ("- {at: 9:00, snooze-widget: K}", "line 9, column 3: events[0]: expected the key until"),
      ("- {at: 9:00, snooze-app: com.a.b, until: noon}", "events[0].until: expected a time such as"),
      ("- {at: 9:00, remove-kinds: com.a.b}", "line 9, column 3: events[0]: expected the key kinds"),
      ("- {at: 9:00, remove-kinds: com.a.b, kinds: K}", "events[0].kinds: expected a list of kinds"),
      ("- {at: 9:00, remove-intent-types: com.a.b, intents: [~]}", "events[0].intents[0]: expected an intent type"),
      ("- {at: 9:00, routine: siesta}", "events[0].routine: expected one of morning, evening, "),
      ("- {at: 9:00, place: [91, 0]}", "events[0].place: latitude: 91.0 is outside"),
      ("- {at: 9:00, open-app: weather}", "events[0].open-app: expected an app: not a bundle identifier"),
      ("- {at: 9:00, set-shortcuts: com.a.b, shortcuts: [{when: [[9:00, 8:00]]}]}", "end precedes the start by"),
      ("- {at: 2026-02-30 9:00, hide: home}", "events[0].at: nonexistent date"),
      ("- {at: 1969-12-31 9:00, hide: home}", "events[0].at: outside the years 1970 to 9999 of UTC"),
      ("- &a {at: 9:00, hide: home}", "line 9, column 3: anchors are not"),
      ("- &a {at: 9:00, hide: home}\n- *a", "line 10: YAML aliases are not supported"),
      ("- [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", "nested deeper than 16"),
      ("- {at: 9:00", "invalid YAML: "), ("  x: 1\n y: 2", "line 10, column 2: invalid YAML: "),
    ])
  func wrong(events: String, message: String) {
    let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: Self.head + events) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(
    "Missing or invalid top-level keys are named",
    arguments: [
      ("", "line 1: the file has no scenario"), ("phone", "line 1, column 1: expected a scenario: a mapping"),
      ("time-zone: UTC\nbegin: 2026-01-01", "line 1, column 1: expected the key device"),
      (
        "device: a\ntime-zone: Europe/Berlim\nbegin: 2026-01-01", "line 2, column 12: time-zone: no time zone is called"
      ),
      ("device: a\ntime-zone: UTC\nbegin: noon", "line 3, column 8: begin: expected a time such as"),
      ("device: a\ntime-zone: UTC\nbegin: 2026-01-01\nwidgets: []", "line 4, column 1: widgets: unknown key; expected"),
      ("device: a\ntime-zone: UTC\nbegin: 2026-01-01\nstacks: {home: {}}", "stacks.home: expected the key family"),
      ("device: a\n---\ndevice: b", "invalid YAML: but found another document"),
    ])
  func top(text: String, message: String) {
    let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(
    "An event that the device rejects is an error that names its line",
    arguments: [
      ("- {at: 9:00, dismiss: home}", "line 9: dismiss: rejected: stack: the stack has no suggestion"),
      ("- {at: 9:00, hide: work}", "line 9: hide: rejected: stack: no stack with this name"),
      ("- {at: 9:00, snooze-widget: K, until: 9:00}", "line 9: snooze-widget: rejected: until: must be after"),
      ("- {at: 9:00, hide: home}\n- {at: 9:00, add: K, stack: home}", "line 10: add: rejected: widget: "),
    ])
  func rejected(events: String, message: String) throws {
    let scenario = try Scenario(yaml: Self.head + events)
    let error = #expect(throws: ScenarioError.self) { try Simulation.day(of: scenario) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test("Texts and spans over their limits are rejected, and deep nesting does not overflow the stack")
  func limits() throws {
    let long = String(repeating: " ", count: Scenario.textSizeMax) + "a"
    #expect(throws: ScenarioError.self) { try Scenario(yaml: long) }
    for sign in ["[", "{a: ", "- ", "? ", "{", "[{"] {
      #expect(throws: ScenarioError.self) { try Scenario(yaml: String(repeating: sign, count: 20_000)) }
    }
    let scenario = try Scenario(yaml: Self.head + "- {at: 9:00, hide: home}")
    #expect(throws: ScenarioError.self) { try Simulation.day(of: scenario, until: .max) }
    #expect(throws: ScenarioError.self) { try Simulation.day(of: scenario, until: scenario.begin) }
  }

  /// Goal: no text terminates the process. Method: samples are mutated by changing bytes, moving lines and inserting
  /// pieces of other samples; they are parsed and, if valid, simulated.
  @Test("No mutation of a scenario's text terminates the process", .timeLimit(.minutes(5)), arguments: 1...12)
  func damage(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let samples = try Samples.all().map { Array($0.text.utf8) }
    let signs = Array("[]{}:,-&*!|>'\"%@`#? \n\t0129.:~()=".utf8) + [0, 0x80, 0xFF]
    var readCount = 0
    for _ in 0..<250 {
      var bytes = chance.one(of: samples)
      for _ in 0..<chance.number(in: 1...4) {
        let (index, other) = (chance.number(in: 0...bytes.count - 1), chance.one(of: samples))
        switch chance.number(in: 0...3) {
        case 0: bytes[index] = chance.one(of: signs)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(chance.one(of: signs), at: index)
        default:
          let start = chance.number(in: 0...other.count - 1)
          bytes.insert(contentsOf: other[start..<min(other.count, start + 40)], at: index)
        }
      }
      do {
        let scenario = try Scenario(yaml: String(decoding: bytes, as: UTF8.self))
        readCount += 1
        #expect(try Scenario(yaml: scenario.yaml) == scenario)
        _ = try Simulation.day(of: scenario)
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
    #expect(readCount > 0)
  }
}
