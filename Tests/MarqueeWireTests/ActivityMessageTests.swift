import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

/// Messages about the changes of devices, past and foreseen.
@Suite struct ActivityMessageTests {
  @Test("Every message about the changes of devices round-trips", arguments: UInt64(1)...40)
  func activity(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let devices = Set(try chance.array { try $0.identifier(DeviceID.self) })
    try expectReturn(WatchActivityRequest(devices: Array(devices), heartbeat: HeartbeatInterval(.seconds(15))))
    try expectReturn(WatchActivityResponse.started)
    try expectReturn(WatchActivityResponse.missed(chance.next()))
    try expectReturn(WatchActivityResponse.heartbeat)
    let decision = DecisionActivity(
      number: chance.next(), kind: chance.one(of: Decision.Kind.allCases), stack: try chance.identifier(),
      widget: try chance.widget(), reason: chance.text(), explanation: try chance.maybe { try $0.explanation() },
      name: chance.text())
    let timeline = TimelineActivity(
      widget: try chance.widget(), family: chance.maybe { $0.family() }, entryCount: chance.number(in: 0...4_096))
    let changes: [Activity.Change] = [
      .decision(decision), .scroll(ScrollActivity(stack: try chance.identifier(), widget: try chance.widget())),
      .stack(try chance.stack()), .removedStack(try chance.identifier()), .timeline(timeline),
      .attached(try chance.identifier()), .detached(try chance.identifier()),
    ]
    for change in changes {
      try expectReturn(
        WatchActivityResponse.activity(Activity(device: chance.identifier(), at: chance.instant(), change)))
    }
  }

  @Test("Every message about foreseen decisions round-trips", arguments: UInt64(1)...40)
  func foresight(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    try expectReturn(ForeseeRequest(device: chance.identifier(), until: chance.maybe { $0.instant() }))
    let decisions = try chance.array { chance in
      Decision(
        kind: chance.one(of: Decision.Kind.allCases), number: chance.next(), to: try chance.widget(),
        explanation: try chance.explanation())
    }
    let stacks = try chance.array { chance in
      ForeseenStack(
        stack: try chance.identifier(),
        fronts: try chance.array { .init(at: $0.instant(), widget: try $0.maybe { try $0.widget() }) },
        curves: try chance.array { chance in
          let points = chance.array { EvidenceCurve.Point(at: $0.instant(), evidence: $0.double()) }
          return EvidenceCurve(widget: try chance.widget(), points: points)
        })
    }
    let names = SentenceNames(try chance.array { WidgetName(widget: try $0.widget(), name: $0.text()) })
    try expectReturn(
      ForeseeResponse(
        at: chance.instant(), until: chance.instant(), timeZone: chance.identifier(), decisions: decisions,
        stacks: stacks, names: names))
  }

  @Test("Every message about texts round-trips", arguments: UInt64(1)...40)
  func texts(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let number = PolicyNumber(name: "dwell", value: chance.double())
    let feed = try chance.maybe { chance in
      FeedOptions(
        timeZone: try chance.maybe { try $0.identifier() }, from: chance.maybe { $0.instant() },
        dayCount: chance.number(in: 1...FeedOptions.dayCountMax))
    }
    try expectReturn(
      SimulateRequest(text: chance.text(), set: [number], until: chance.maybe { $0.instant() }, feed: feed))
    let decision = Decision(
      kind: chance.one(of: Decision.Kind.allCases), number: chance.next(), to: try chance.widget(),
      explanation: try chance.explanation())
    let result = try ForeseeResponse(
      at: chance.instant(), until: chance.instant(), timeZone: chance.identifier(), decisions: [decision], stacks: [])
    let setting = PolicySetting(name: "dwell", value: 1, isOverridden: true, unit: "seconds", configured: 2)
    try expectReturn(
      SimulateResponse(device: chance.identifier(), result: result, settings: [setting], scenario: chance.text()))
    try expectReturn(LintRequest(text: chance.text(), kind: chance.one(of: LintReport.Kind.allCases), feed: feed))
    let findings = chance.array { chance in
      LintFinding(
        severity: chance.one(of: LintFinding.Severity.allCases), code: chance.text(), message: chance.text(),
        line: chance.maybe { $0.number(in: 1...9) }, column: chance.maybe { $0.number(in: 1...9) },
        caseName: chance.text(), subject: chance.one(of: LintFinding.Subject.allCases),
        number: chance.maybe { $0.number(in: 0...9) }, index: chance.maybe { $0.number(in: 0...9) },
        values: chance.array { $0.findingValue() })
    }
    let count = chance.number(in: 0...4_096)
    try expectReturn(
      LintResponse(
        report: LintReport(
          findings: findings, omittedCount: count, caseCount: count, timelineCount: count, setCount: count)))
  }

  @Test("A text larger than 1 MiB, or a policy setting twice, is rejected")
  func textLimits() throws {
    let text = String(repeating: "a", count: SimulateRequest.textSizeMax)
    #expect(try SimulateRequest(text: text).text == LintRequest(text: text).text)
    let scenario = #expect(throws: RequestError.self) { try SimulateRequest(text: text + "a") }
    #expect(scenario.map { "\($0)".contains("simulation-size-max") } ?? false)
    let linted = #expect(throws: RequestError.self) { try LintRequest(text: text + "a") }
    #expect(linted.map { "\($0)".contains("lint-size-max") } ?? false)
    let number = PolicyNumber(name: "dwell", value: 1)
    let twice = #expect(throws: RequestError.self) { try SimulateRequest(text: "", set: [number, number]) }
    #expect(twice?.field == "set[1]")
  }

  @Test("A stream of more devices than activity-device-count-max, or of one device twice, is rejected")
  func devices() throws {
    let devices = try (0..<1_001).map { try DeviceID("device-\($0)") }
    let many = #expect(throws: RequestError.self) { try WatchActivityRequest(devices: devices) }
    #expect(many.map { "\($0)".contains("activity-device-count-max") } ?? false)
    let twice = #expect(throws: RequestError.self) { try WatchActivityRequest(devices: [devices[0], devices[0]]) }
    #expect(twice?.field == "devices[1]" && twice?.code == .invalidArgument)
    #expect(try WatchActivityRequest(devices: Array(devices.dropLast())).devices.count == 1_000)
  }
}
