import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Floods of calls that edit stacks, block suggestions, list, and remove.
  static let callFloods = [
    AttackCase(
      number: 93, summary: "2 000 concurrent edits, lists, statistics and removals of what does not exist",
      way: .waitingAlone { try await AttackHarness.run { try await absent($0) } }),
    AttackCase(
      number: 94, summary: "more stacks and blocked widgets than a device may have, then all of them listed and lifted",
      way: .waitingAlone { try await AttackHarness.run { try await crowd($0) } }),
  ]

  private static let callCount = 2_000
  private static let connectionCount = 4
  /// The time in which the calls of a flood end.
  private static let timeMax = Duration.seconds(20)

  // MARK: Absent names

  private static func absent(_ harness: AttackHarness) async throws -> String {
    let admin = OperatorClient(harness.client())
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      let before = try await editCount(admin)
      let begin = ContinuousClock.now
      let ends = try await ends(harness)
      let time = begin.duration(to: .now)
      try require(time < timeMax, "the calls ended after \(time.words)")
      let expected: [StatusCode?: Int] = [.notFound: callCount / 4, nil: callCount * 3 / 4]
      try require(ends == expected, "\(ends)")
      let after = try await editCount(admin)
      try require(after == before, "\(after) stored edits, not \(before)")
      return "\(callCount) ended in \(time.words), \(callCount / 4) refused, and nothing stored"
    }
    return measurement.words
  }

  /// Returns the number of edits in the device's history, which a removal would begin again. The latency probe reports
  /// interactions with the same device, too.
  private static func editCount(_ admin: OperatorClient) async throws -> Int {
    try await admin.history(of: Fixture.device).reduce(into: 0) { count, record in
      if case .stackEdited = record.step { count += 1 }
    }
  }

  private static func ends(_ harness: AttackHarness) async throws -> [StatusCode?: Int] {
    let clients = (0..<connectionCount).map { _ in harness.client(harness.tcp) }
    return try await withThrowingTaskGroup(of: StatusCode?.self) { group in
      for index in 0..<callCount {
        let client = clients[index % connectionCount]
        group.addTask { try await callStatus { try await call(index, client) }?.code }
      }
      return try await group.reduce(into: [:]) { ends, code in ends[code, default: 0] += 1 }
    }
  }

  private static func call(_ index: Int, _ client: RPCClient) async throws {
    let (display, device) = (DisplayClient(client), Fixture.device)
    switch index % 4 {
    case 0: try await display.edit(StackID("none-\(index)"), on: device, .removeStack)
    case 1: _ = try await display.blockedSuggestions(on: device)
    case 2: _ = try await OperatorClient(client).statistics(on: device)
    default:
      let request = try RemoveKindsRequest(
        device: device, app: Fixture.sportApp, kinds: [KindName("none-\(index)")])
      let response = try await client.unary(ProviderService.removeKinds, request)
      try require(response.removedCount == 0, "\(response.removedCount) kinds removed")
    }
  }

  // MARK: Limits

  private static func crowd(_ harness: AttackHarness) async throws -> String {
    let display = DisplayClient(harness.client(harness.tcp))
    let (device, limits) = (Fixture.device, Limits())
    let stacks = try (1..<limits.stackCountMax).map { try StackID("crowd-\($0)") }
    let widgets = try (0..<limits.blockCountMax).map {
      Widget(kind: WidgetKind(app: Fixture.sportApp, name: try KindName("Block\($0)")))
    }
    let measurement = try await Measurement.of(harness, growthMax: 24, repeats: false, trialCountMax: 1) { _ in
      for stack in stacks { try await display.edit(stack, on: device, .create(.systemSmall)) }
      let stackEnd = try await callStatus {
        try await display.edit(StackID("one-more"), on: device, .create(.systemSmall))
      }
      try require(stackEnd?.message.contains("stack-count-max") == true, "one stack more: \(stackEnd as Any)")
      for widget in widgets { try await display.report(.widgetSuggestionBlocked(widget, true), on: device) }
      let blockEnd = try await callStatus {
        try await display.report(.widgetSuggestionBlocked(Fixture.rain, true), on: device)
      }
      try require(blockEnd?.message.contains("block-count-max") == true, "one block more: \(blockEnd as Any)")
      let listed = try await display.blockedSuggestions(on: device).blocked.count
      try require(listed == widgets.count, "\(listed) blocks listed")
      for widget in widgets { try await display.report(.widgetSuggestionBlocked(widget, false), on: device) }
      for stack in stacks { try await display.edit(stack, on: device, .removeStack) }
      let left = try await display.blockedSuggestions(on: device).blocked.count
      try require(left == 0, "\(left) blocks left")
      return "\(stacks.count) stacks and \(widgets.count) blocks, one more of each rejected"
    }
    return measurement.words
  }
}
