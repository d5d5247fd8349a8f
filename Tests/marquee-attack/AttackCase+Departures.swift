import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Clients over HTTP that disconnect during a call.
  static let departures = [
    AttackCase(
      number: 87, summary: "HTTP/2 and HTTP/1.1: 1 000 clients open a watch each and disconnect", growthMax: 6,
      way: .alone {
        try await AttackHarness.run { harness in
          // Memory that is kept for reuse is taken before the measurement.
          try await depart(harness, count: 100)
          return try await Measurement.of(harness, growthMax: 6, repeats: false) { _ in
            try await depart(harness, count: 1_000)
            return "each call ended"
          }.words
        }
      })
  ]

  private static let request = WireBytes.field(1, Fixture.device.text)

  private static func depart(_ harness: AttackHarness, count: Int) async throws {
    for _ in 0..<count {
      var grpc = try await HTTP2Attacker(harness.tcp)
      grpc.push(HTTP2Frame.call(1, DisplayService.watch.path, request))
      _ = try await grpc.frames { $0.type == 0 }
      try await grpc.vanish()
      var connect = try await HTTP1Attacker(harness.unix)
      connect.push(
        HTTP1RawClient.call(
          DisplayService.watch.path, HTTP1RawClient.envelope(request), type: "application/connect+proto"))
      try await connect.awaitHead()
      try await connect.vanish()
    }
    // The latency probe's calls may be running.
    _ = try await harness.wait(until: "marquee_calls_running", isAtMost: 1, within: .seconds(5))
  }
}
