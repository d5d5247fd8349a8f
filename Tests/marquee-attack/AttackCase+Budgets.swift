import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Connections that reserve memory without using it.
  static let budgets = [
    AttackCase(
      number: 40, summary: "8 connections with 16 uncommitted timelines of 4 MiB each",
      way: .alone { try await AttackHarness.run { try await uncommitted($0) } }),
    AttackCase(
      number: 41, summary: "20 connections with 256 incomplete messages of 60 kB each",
      way: .waitingAlone { try await AttackHarness.run { try await halfMessages($0) } }),
    AttackCase(
      number: 42, summary: "32 connections with 256 incomplete health requests each", growthMax: 24,
      way: .alone { try await AttackHarness.run(policy: AttackHarness.healthPolicy) { try await halfRequests($0) } }),
    AttackCase(
      number: 43, summary: "32 connections with 256 health watches each", growthMax: 24,
      way: .alone { try await AttackHarness.run(policy: AttackHarness.healthPolicy) { try await healthWatches($0) } }),
  ]

  /// Returns the server's reported use of a limit.
  private static func use(of limit: String, _ harness: AttackHarness) async throws -> Int {
    try await OperatorClient(harness.client()).limits().first { $0.name == limit }?.use ?? -1
  }

  // MARK: Timelines

  private static let limitNames = [
    "connection-timeline-size-max", "principal-timeline-size-max", "server-timeline-size-max",
  ]

  private static func uncommitted(_ harness: AttackHarness) async throws -> String {
    var providers: [ProviderStream] = []
    var rejectedCount = 0
    let measurement = try await Measurement.of(harness, growthMax: 112, repeats: false, trialCountMax: 1) { _ in
      for _ in 0..<8 {
        var provider = try await ProviderStream(harness.client(harness.tcp), app: Fixture.weatherApp)
        for publish in 1...16 as ClosedRange<UInt64> { try await begin(publish, on: provider) }
        try await provider.send(100, Fixture.forecast, [Fixture.entry(Fixture.start, "whole")], policy: .never)
        while case .rejected(_, let code, let message, _) = try await provider.next() {
          try require(code == .resourceExhausted && limitNames.contains(where: message.contains), message)
          rejectedCount += 1
        }
        providers.append(provider)
      }
      return "\(rejectedCount) of \(8 * 16) timelines rejected"
    }
    try require(rejectedCount > 64, "\(rejectedCount) were rejected")
    let held = try await use(of: "server-timeline-size-max", harness)
    try require(held > 1 << 20, "\(held) bytes reported as held")
    for provider in providers { provider.call.cancel() }
    providers = []
    _ = try await harness.wait(until: "marquee_calls_running", isAtMost: 1, within: .seconds(2))
    let left = try await use(of: "server-timeline-size-max", harness)
    try require(left == 0, "\(left) bytes still held after the streams ended")
    let growth = try harness.daemon.residentSize() - measurement.residentSizes.before
    try require(growth < 32 * 1_024, "\(growth) KiB of memory remain after the streams ended")
    return "\(measurement.words); \(held) bytes held, none after the streams ended; \(growth) KiB of memory remain"
  }

  /// Sends 4 MiB of a timeline in four pieces, without its end.
  private static func begin(_ publish: UInt64, on provider: ProviderStream) async throws {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 1, count: 65_000))
    for piece in 0..<4 as Range<Int64> {
      let entries = (0..<16 as Range<Int64>).map { number in
        TimelineEntry(date: Fixture.after(.minutes(piece * 16 + number)), content: content)
      }
      try await provider.send(
        publish, piece == 0 ? Fixture.forecast : nil, entries, policy: piece == 0 ? .never : nil, commits: false)
    }
  }

  // MARK: Messages

  private static let piece = [UInt8](repeating: 0, count: 60_000)
  /// The number of pieces after which a client needs more credit.
  private static let windowCount = 35

  private static func halfMessages(_ harness: AttackHarness) async throws -> String {
    var attackers: [RawAttacker] = []
    let measurement = try await Measurement.of(harness, growthMax: 112, repeats: false, trialCountMax: 1) { _ in
      for _ in 0..<20 {
        var attacker = try await RawAttacker(harness.tcp, within: .seconds(70))
        attacker.push(RawFrame.hello)
        for index in 0..<256 as Range<UInt32> {
          let stream = index * 2 + 1
          attacker.push(RawFrame.open(stream, ProviderService.provide.path))
          attacker.push(RawFrame(type: 4, flags: 2, stream: stream, payload: piece).bytes)
          guard Int(index + 1) % windowCount == 0 else { continue }
          _ = try await attacker.frames { $0.type == 7 && $0.stream == 0 }
        }
        try await attacker.settle()
        attackers.append(attacker)
      }
      return "20 connections"
    }
    let held = try await use(of: "server-assembly-size-max", harness)
    try require((1 << 20)...(64 << 20) ~= held, "\(held) bytes are held")
    // No connection is considered half-open before the messages time out.
    try await Task.sleep(for: .seconds(20))
    for attacker in attackers { attacker.push(RawFrame(type: 8, payload: [UInt8](repeating: 7, count: 8)).bytes) }
    // The first call of the first connection was accepted.
    try require(try await attackers[0].code(of: 1) == 8, "the incomplete message did not end its call")
    _ = try await harness.wait(until: "marquee_calls_running", isAtMost: 1, within: .seconds(20))
    let left = try await use(of: "server-assembly-size-max", harness)
    try require(left == 0, "\(left) bytes still held after the calls ended")
    for attacker in attackers { try await attacker.vanish() }
    return "\(measurement.words); \(held) bytes held, then none: every call was ended"
  }

  // MARK: Health

  /// Few enough connections to stay below `address-denied-call-rate-max`, which attack 45 covers.
  private static let crowdCount = 32

  /// Opens 256 calls on each of many connections, and waits until all excess calls are rejected.
  private static func crowd(
    _ harness: AttackHarness, _ frames: @escaping @Sendable (UInt32) -> [UInt8], rejectedCount: Int, growthMax: Int
  ) async throws -> (attackers: [RawAttacker], words: String) {
    var attackers: [RawAttacker] = []
    let measurement = try await Measurement.of(harness, growthMax: growthMax, repeats: false, trialCountMax: 1) { _ in
      for _ in 0..<crowdCount {
        var attacker = try await RawAttacker(harness.tcp, within: .seconds(30))
        attacker.push(RawFrame.hello + (0..<256 as Range<UInt32>).flatMap { frames($0 * 2 + 1) })
        for _ in 0..<rejectedCount {
          let code = try await attacker.frames { $0.type == 5 }.last?.statusCode
          try require(code == 8, "a call ended with \(code as Any)")
        }
        attackers.append(attacker)
      }
      return "\(rejectedCount) of 256 calls rejected on each connection"
    }
    _ = try await HealthClient(harness.client(harness.tcp)).check()
    return (attackers, measurement.words)
  }

  private static func halfRequests(_ harness: AttackHarness) async throws -> String {
    let half = [UInt8](repeating: 0, count: 4_000)
    let (attackers, words) = try await crowd(
      harness,
      { RawFrame.open($0, HealthService.check.path) + RawFrame(type: 4, flags: 2, stream: $0, payload: half).bytes },
      rejectedCount: 252, growthMax: 24)
    for attacker in attackers { try await attacker.vanish() }
    return words
  }

  private static func healthWatches(_ harness: AttackHarness) async throws -> String {
    let (attackers, words) = try await crowd(
      harness, { RawFrame.open($0, HealthService.watch.path) + RawFrame.message($0, []) }, rejectedCount: 252,
      growthMax: 24)
    // Four watches per connection continue, and can be reopened after they end.
    let running = try await harness.metric("marquee_calls_running")
    try require(running >= 4 * crowdCount, "\(running) watches continue")
    var first = attackers[0]
    first.push(RawFrame(type: 6, stream: 1, payload: [0x08, 1]).bytes)
    first.push(RawFrame.open(513, HealthService.watch.path) + RawFrame.message(513, []))
    _ = try await first.frames { $0.type == 4 && $0.stream == 513 }
    for attacker in attackers { try await attacker.vanish() }
    return "\(words); four watches of each continue"
  }
}
