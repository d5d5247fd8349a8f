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
      widget: try chance.widget(), reason: chance.text())
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
