import MarqueeClient
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Calls of unknown methods, with extreme deadlines, or cancelled by the client.
  static let calls = [
    AttackCase(
      number: 21, summary: "unknown methods and services; fields of a newer version", growthMax: 4,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        for path in ["marquee.v1.Provider/Nothing", "no.Service/Nothing", "x/y", "grpc.health.v1.Health/check"] {
          let end = try await ending(of: path, [], on: client).status
          try require(end?.code == .unimplemented, "\(path): \(end as Any)")
        }
        let newer =
          WireBytes.field(1_000, "new") + WireBytes.field(2_000, Int64.max) + WireBytes.field(536_870_911, 1.5)
        let end = try await ending(of: HealthService.check.path, newer, on: client).status
        try require(end == nil, "newer fields: \(end as Any)")
        return "UNIMPLEMENTED; newer fields are skipped"
      }),
    AttackCase(
      number: 22, summary: "deadlines of 0, a negative value, 1 µs, 100 years, Int64.max, none", growthMax: 4,
      way: .again { _, endpoint in
        var raw = try await RawAttacker(endpoint)
        raw.push(RawFrame.hello)
        let check = HealthService.check.path
        let watch = DisplayService.watch.path
        let deadlines: [(method: String, timeout: Int64?, code: UInt64)] = [
          (check, 0, 4), (check, -1, 4), (check, .min, 4), (watch, 1, 4), (check, 100 * 31_557_600_000_000, 0),
          (check, .max, 0), (check, nil, 0),
        ]
        for (index, call) in deadlines.enumerated() {
          let stream = UInt32(index * 2 + 1)
          let timeout = call.timeout.map { WireBytes.field(2, $0) } ?? []
          let request = call.method == watch ? WireBytes.field(1, Fixture.device.text) : []
          raw.push(RawFrame(type: 2, stream: stream, payload: WireBytes.field(1, call.method) + timeout).bytes)
          raw.push(RawFrame.message(stream, request))
          let code = try await raw.code(of: stream)
          try require(code == call.code, "code \(code) for a deadline of \(call.timeout as Any)")
        }
        try await raw.vanish()
        return "DEADLINE_EXCEEDED immediately; clamped"
      }),
    AttackCase(
      number: 23, summary: "clients cancel 100 000 calls, or disconnect with open calls",
      way: .alone { try await AttackHarness.run { harness in try await vanishing(harness) } }),
  ]

  private static let callCount = 100_000
  /// All but the last batch of a connection are cancelled; batches have the maximum concurrent size.
  private static let batchCount = 8
  private static let batchSize = 120
  private static let watch = WireBytes.field(1, Fixture.device.text)

  private static func vanishing(_ harness: AttackHarness) async throws -> String {
    let ended = { try await harness.metric("marquee_calls_total", DisplayService.watch.path) }
    // A warm-up round, after which memory is stable.
    _ = try await cancel(on: harness.unix)
    let before = try await ended()
    var times: [Duration] = []
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      let goal = try await ended() + callCount
      while try await ended() < goal {
        let raw = try await cancel(on: times.count % 2 == 0 ? harness.unix : harness.tcp)
        raw.push(watches(from: batchCount * batchSize))
        var last = raw
        try await last.settle()
        try await last.vanish()
        // The latency probe has a call now and then.
        times.append(try await harness.wait(until: "marquee_calls_running", isAtMost: 1, within: .milliseconds(500)))
      }
      return "p99 until handlers of disconnected clients end: \(times.p99.words)"
    }
    let calls = try await ended() - before
    try require(times.p99 < .milliseconds(250), "handlers ended after \(times.p99.words)")
    return "\(calls) handlers have ended, \(times.count * batchSize) of them with \(times.count) connections; "
      + measurement.words
  }

  /// Returns a connection on which calls were opened and cancelled.
  private static func cancel(on endpoint: Endpoint) async throws -> RawAttacker {
    var raw = try await RawAttacker(endpoint, within: .seconds(60))
    raw.push(RawFrame.hello)
    for first in stride(from: 0, to: batchCount * batchSize, by: batchSize) {
      let cancels = (0..<batchSize).flatMap { RawFrame(type: 6, stream: UInt32((first + $0) * 2 + 1)).bytes }
      raw.push(watches(from: first))
      try await raw.settle()
      raw.push(cancels)
      try await raw.settle()
    }
    return raw
  }

  private static func watches(from first: Int) -> [UInt8] {
    (first..<first + batchSize).flatMap { index -> [UInt8] in
      let stream = UInt32(index * 2 + 1)
      return RawFrame.open(stream, DisplayService.watch.path) + RawFrame.message(stream, watch)
    }
  }
}
