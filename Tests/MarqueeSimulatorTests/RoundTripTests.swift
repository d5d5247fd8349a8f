import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeSimulator

/// Scenarios survive a round trip through text exactly, for arbitrary events.
struct RoundTripTests {
  /// Events at ascending instants in the years 1970 to 9999.
  private static func scenario(seed: UInt64, count: Int) throws -> Scenario {
    var chance = Sampler(seed: seed)
    let zone = chance.one(of: ["Europe/Berlin", "UTC", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu"])
    var (begin, instants) = (chance.instant(), [Instant]())
    if chance.once(in: 2) { begin = .min.advanced(by: TimeSpan(milliseconds: 1_774_740_000_000)) }
    for _ in 0..<count { instants.append(chance.once(in: 3) ? chance.instant() : begin.advanced(by: chance.step())) }
    let events = try instants.filter { $0 >= begin }.sorted().map { (at: $0, event: try chance.event()) }
    return try Scenario(
      recordingOf: DeviceID("phone \(seed)"), timeZone: TimeZoneID(zone), createdAt: begin, policy: chance.rules(),
      events: events)
  }

  @Test("Every event has a lossless text, which is written identically again", arguments: 1...40)
  func everything(seed: UInt64) throws {
    let scenario = try Self.scenario(seed: seed, count: 40)
    let text = scenario.yaml
    let read = try Scenario(yaml: text)
    try #require(read.occurrences.count == scenario.occurrences.count)
    for (mine, other) in zip(scenario.occurrences, read.occurrences) {
      let isSame = mine.at == other.at && mine.event.encoded == other.event.encoded
      try #require(isSame, "line \(other.line ?? 0) of:\n\(text)")
    }
    let isSame = read == scenario
    #expect(isSame)
    #expect(read.yaml == text)
  }

  @Test("The samples have every verb")
  func verbs() throws {
    var found: Set<String> = []
    for seed in UInt64(1)...60 {
      for line in try Self.scenario(seed: seed, count: 40).yaml.split(separator: "\n") where line.hasPrefix("    ") {
        found.insert(String(line.dropFirst(4).prefix { $0 != ":" }))
      }
    }
    for verb in ScenarioVerb.allCases { #expect(found.contains(verb.rawValue), "\(verb.rawValue)") }
  }

  @Test("A scenario with names that look like the anchors and aliases of YAML can be read")
  func aliases() throws {
    let events = try ["&x", "*x", "a *x"].map { name in
      (at: Instant.min, event: Event.reported(.contextChanged(.focus(try FocusID(name)))))
    }
    let scenario = try Scenario(
      recordingOf: DeviceID("&x"), timeZone: TimeZoneID("UTC"), createdAt: .min, policy: .default, events: events)
    #expect(!scenario.yaml.contains("*"))
    #expect(try Scenario(yaml: scenario.yaml) == scenario)
  }

  @Test("A scenario without events has a text")
  func empty() throws {
    let scenario = try Scenario(
      device: DeviceID("~"), timeZone: TimeZoneID("Asia/Tokyo"), begin: .max, occurrences: [])
    #expect(try Scenario(yaml: scenario.yaml) == scenario)
    #expect(scenario.yaml.hasPrefix("device: \"~\"\ntime-zone: Asia/Tokyo\nbegin: 9999-12-31T23:59:59.999Z\npolicy:\n"))
    #expect(scenario.yaml.contains("\n  dwell: 5m\n") && scenario.yaml.hasSuffix("\nevents: []\n"))
  }

  @Test("W1 The widgets outside stacks and timelines can name a family")
  func families() throws {
    let scenario = try Scenario(
      yaml: """
        device: phone
        time-zone: UTC
        begin: 2021-06-07
        apps:
          com.example.weather:
            kinds: {Forecast: [systemSmall, systemLarge]}
        home: [Forecast, {widget: Forecast, family: systemLarge}]
        events:
          - {at: 07:00, publish: Forecast, family: systemLarge, relevance: [[0, 1]]}
          - {at: 08:00, remove-home: Forecast, family: systemLarge}
        """)
    let widget = Widget(kind: WidgetKind(app: try AppID("com.example.weather"), name: try KindName("Forecast")))
    let events = scenario.occurrences.map(\.event)
    #expect(
      events.dropFirst().prefix(2) == [
        .reported(.homeWidgetAdded(widget)), .reported(.homeWidgetAdded(widget, in: .systemLarge)),
      ])
    guard case .timelinePublished(_, let timeline) = events[3] else {
      Issue.record("\(events[3]) is not a publication")
      return
    }
    #expect(timeline.family == .systemLarge)
    #expect(events[4] == .reported(.homeWidgetRemoved(widget, in: .systemLarge)))
    let read = try Scenario(yaml: scenario.yaml)
    #expect(read == scenario)
  }

  @Test("Settings and scenarios have the same policy fields, and none is missing")
  func policy() {
    let names = Mirror(reflecting: Policy()).children.compactMap(\.label).map { label in
      label.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }
    #expect(Set(names) == Set(PolicyField.all.map(\.key)))
  }
}

extension Sampler {
  fileprivate mutating func step() -> TimeSpan {
    TimeSpan(milliseconds: Int64(number(in: 0...172_800)) * one(of: [1000, 1000, 1001]))
  }
}
