import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Small requests that require much work, and responses that nobody reads.
  static let reads = [
    AttackCase(
      number: 58, summary: "60 concurrent deletions of nothing from a device with 48 MiB of timelines",
      way: .alone { try await withLargeDevice(growthMax: 512) { try await deleteNothing($0) } }),
    AttackCase(
      number: 59, summary: "200 predictions 300 days ahead, and 200 explanations of a past instant",
      way: .alone { try await AttackHarness.run { try await readElsewhen($0) } }),
    AttackCase(
      number: 60, summary: "8 connections with 40 unread watches of a large device each",
      way: .alone { try await withLargeDevice(growthMax: 384) { try await readNothing($0, watches) } }),
    AttackCase(
      number: 61, summary: "10 connections with 250 unread recordings of a large device each",
      way: .alone { try await withLargeDevice(growthMax: 384) { try await readNothing($0, recordings) } }),
  ]

  private static let app = valid { try AppID("com.example.gallery") }

  /// Creates a device with 12 timelines of 4 MiB for the widgets of a stack, and measures the latency probe, which uses
  /// another device of the same shard, during `attack`.
  private static func withLargeDevice(
    growthMax: Int, _ attack: @Sendable (AttackHarness) async throws -> String
  ) async throws -> String {
    try await AttackHarness.run { harness in
      let client = harness.client()
      let widgets = (0..<12).map { Fixture.widget("Large\($0)", of: app) }
      try await Fixture.build(client, device: busyDevice, members: widgets)
      var provider = try await ProviderStream(client, device: busyDevice, app: app)
      for (index, widget) in widgets.enumerated() {
        let (number, entries) = (UInt64(index + 1), try large(7))
        try await provider.send(number, widget, Array(entries.prefix(32)), policy: .never, commits: false)
        try await provider.send(number, nil, Array(entries.suffix(32)))
        try require(try over(try await provider.next()) == nil, "a timeline was rejected")
      }
      return try await Measurement.of(harness, growthMax: growthMax, repeats: false) { _ in
        try await attack(harness)
      }.words
    }
  }

  private static func deleteNothing(_ harness: AttackHarness) async throws -> String {
    let provider = try ProviderClient(harness.client(), device: busyDevice, app: app, kinds: [])
    let rejections = try await withThrowingTaskGroup(of: RPCStatus?.self) { group in
      for number in 0..<60 {
        group.addTask {
          try await callStatus { _ = try await provider.deleteDonations(.identifiers([try .init("\(number)")])) }
        }
      }
      return try await group.reduce(into: [RPCStatus]()) { if let status = $1 { $0.append(status) } }
    }
    for rejection in rejections {
      try require(rejection.message.contains("relearned-donation-rate-max"), "a deletion ended with \(rejection)")
    }
    return "\(60 - rejections.count) acknowledged, \(rejections.count) rejected"
  }

  private static func readElsewhen(_ harness: AttackHarness) async throws -> String {
    let admin = OperatorClient(harness.client())
    let now = try await admin.clock().now
    let measurement = try await Measurement.of(harness, growthMax: 64, repeats: false) { _ in
      let rejectedCount = try await withThrowingTaskGroup(of: RPCStatus?.self) { group in
        for number in 0..<400 {
          group.addTask {
            try await callStatus {
              if number % 2 == 0 {
                _ = try await admin.prediction(on: Fixture.device, at: now.advanced(by: .days(300)))
              } else {
                _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: now)
              }
            }
          }
        }
        return try await group.reduce(into: 0) { count, status in
          guard let status else { return }
          try require(
            status.message.contains("past-read-count-max") || status.message.contains("ahead-wake-count-max"),
            "a read ended with \(status)")
          count += 1
        }
      }
      return "\(rejectedCount) of 400 rejected"
    }
    return measurement.words
  }

  private static let watches: (path: String, request: [UInt8], connectionCount: Int, callCount: Int) = (
    DisplayService.watch.path, WireBytes.field(1, busyDevice.text), 8, 40
  )
  private static let recordings: (path: String, request: [UInt8], connectionCount: Int, callCount: Int) = (
    AdminService.exportDevice.path, WireBytes.field(1, busyDevice.text), 10, 250
  )

  private static func readNothing(
    _ harness: AttackHarness, _ calls: (path: String, request: [UInt8], connectionCount: Int, callCount: Int)
  ) async throws -> String {
    var attackers: [RawAttacker] = []
    for _ in 0..<calls.connectionCount {
      let attacker = try await RawAttacker(harness.tcp, within: .seconds(60), reads: false)
      attacker.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000))
      for index in 0..<UInt32(calls.callCount) {
        let stream = 2 * index + 1
        attacker.push(RawFrame.open(stream, calls.path) + RawFrame.message(stream, calls.request))
        attacker.push(RawFrame.credit(stream, 0x7000_0000))
      }
      attackers.append(attacker)
    }
    try await Task.sleep(for: .seconds(3))
    let running = try await harness.metric("marquee_calls_running")
    for attacker in attackers { try? await attacker.vanish() }
    return "\(running) calls running after 3 s"
  }
}
