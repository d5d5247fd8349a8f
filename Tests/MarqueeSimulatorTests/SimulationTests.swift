import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// A simulated day agrees with the device.
struct SimulationTests {
  private static func day(_ name: String) throws -> SimulatedDay {
    let sample = try #require(try Samples.all().first { $0.name == name })
    return try Simulation.day(of: Scenario(yaml: sample.text))
  }

  /// The fronts of the only stack, span by span.
  private static func fronts(_ day: SimulatedDay) throws -> [String] {
    let stack = try #require(day.stacks.first)
    return stack.spans.map { span in
      let name = span.stack.frontWidget?.kind.name.text ?? "-"
      return "\(day.scenario.clock.hourAndMinute(span.start)) \(name)\(span.stack.hasSuggestion ? "*" : "")"
    }
  }

  @Test("Every sample can be simulated, and its text parses to an equal scenario")
  func samples() throws {
    for (name, text) in try Samples.all() {
      let scenario = try Scenario(yaml: text)
      let day = try Simulation.day(of: scenario)
      #expect(!day.decisions.isEmpty, "\(name)")
      let again = try Scenario(yaml: scenario.yaml)
      #expect(again == scenario)
      #expect(try Simulation.day(of: again).actions == day.actions)
    }
  }

  @Test("A device with habits goes on in each year that it accepts", arguments: ["4707-11-26", "9999-12-27"])
  func lateYears(begin: String) throws {
    let parts = begin.split(separator: "-")
    let first = try #require(Int(parts[2]))
    func day(_ offset: Int) -> String { "\(parts[0])-\(parts[1])-\(first + offset)" }
    let donations = (0..<3).map { "{id: d\($0), date: \(day($0 - 3)) 23:50, intent: 'Go(x=u)'}" }
    let text = """
      device: p
      time-zone: UTC
      begin: \(day(0))
      until: \(day(4))
      apps:
        com.a:
          intents: {Go: {parameters: {x: string}, combinations: [[x]]}}
          kinds: {A: [systemSmall], G: {families: [systemSmall], intent: Go}}
      stacks:
        home: {family: systemSmall, widgets: [A]}
      events:
        - {at: 00:02, donate: com.a, donations: [\(donations.joined(separator: ", "))]}
      """
    #expect(throws: Never.self) { try Simulation.day(of: Scenario(yaml: text)) }
  }

  @Test("R5 A suggestion is shown in its window, and the stack has its previous state afterwards")
  func spans() throws {
    #expect(try Self.fronts(Self.day("cards.yaml")) == ["00:00 Note", "09:41 RecentPurchases*", "10:11 Note"])
    #expect(
      try Self.fronts(Self.day("fitness.yaml")) == ["00:00 Forecast", "08:00 List", "19:00 Rings*", "19:30 List"])
  }

  @Test("S3 Windows are drawn as set, and end where a new set replaces them")
  func windows() throws {
    let day = try Self.day("news.yaml")
    let clock = day.scenario.clock
    let track = try #require(day.widgets.first { !$0.windows.isEmpty })
    let spans = track.windows.map { "\(clock.hourAndMinute($0.start))-\(clock.hourAndMinute($0.end))" }
    #expect(spans == ["12:00-12:20", "17:00-17:45"])
    let text = try #require(try Samples.all().first { $0.name == "news.yaml" }?.text)
    let cut = try Simulation.day(
      of: Scenario(yaml: text + "  - {at: 12:10, set-shortcuts: com.example.news, shortcuts: []}\n"))
    #expect(cut.widgets.flatMap(\.windows).map { clock.hourAndMinute($0.end) } == ["12:10"])
    let point = text.replacing("[12:00, 20m], [17:00, 17:45]", with: "[12:00]")
    let changed = try Simulation.day(of: Scenario(yaml: point + "  - {at: 12:10, policy: {point-length: 1h}}\n"))
    #expect(changed.widgets.flatMap(\.windows).map { clock.hourAndMinute($0.end) } == ["12:10", "13:00"])
  }

  @Test("T3 The scores of a day equal those of the device at all times")
  func scores() throws {
    let day = try Self.day("working-day.yaml")
    let length = day.scenario.begin.span(to: day.end)
    for second in stride(from: Int64(0), to: length.milliseconds / 1000, by: 420) {
      let instant = day.scenario.begin.advanced(by: .seconds(second))
      let device = day.device(at: instant)
      for track in day.widgets {
        let drawn = track.scores.first { $0.start <= instant && instant < $0.end }?.score ?? 0
        #expect(drawn == device.memberStatus(of: track.widget)?.relevance?.effectiveScore ?? 0)
      }
      for track in day.stacks {
        let span = track.spans.first { $0.start <= instant && instant < $0.end }
        #expect(span?.stack == device.stack(track.id))
      }
    }
  }

  @Test("R10 The device of any instant has an explanation")
  func explanations() throws {
    let day = try Self.day("calendar.yaml")
    let stack = try StackID("home")
    let calendar = try Widget(kind: WidgetKind(app: AppID("com.example.calendar"), name: KindName("UpNext")))
    let before = try day.device(at: day.scenario.begin.advanced(by: .hours(9))).whyNot(calendar, in: stack)
    #expect(before.first == .noEvidence(.windowAhead(day.scenario.begin.advanced(by: .minutes(570)))))
    let then = try day.device(at: day.scenario.begin.advanced(by: .minutes(570))).whyNot(calendar, in: stack)
    #expect(then.obstacles.isEmpty)
  }

  @Test("A day ends with its date unless an end is given; days of a clock change have 23 and 25 hours")
  func ends() throws {
    for (name, hours) in [("clock-forward.yaml", 23), ("clock-back.yaml", 25), ("cards.yaml", 24)] {
      let day = try Self.day(name)
      #expect(day.scenario.begin.span(to: day.end) == .hours(Int64(hours)))
    }
    let scenario = try Self.day("news.yaml").scenario
    let noon = scenario.begin.advanced(by: .hours(12))
    let day = try Simulation.day(of: scenario, until: noon)
    #expect(day.decisions.map(\.at) == [noon])
    #expect(try Simulation.day(of: scenario, until: scenario.begin.advanced(by: .hours(11))).decisions.isEmpty)
  }
}
