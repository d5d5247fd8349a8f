import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Floods of valid requests.
  static let floods = [
    AttackCase(
      number: 8, summary: "opens and cancels calls in a loop", growthMax: 24, count: .failed("flood"),
      way: .again { _, endpoint in
        _ = try await rejection(of: resets, on: endpoint, code: 8)
        return "GOAWAY"
      }),
    AttackCase(
      number: 9, summary: "an ordinary client cancels 300 of its calls",
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        for _ in 1...300 {
          let watch = try await client.serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
          var updates = watch.responses.makeAsyncIterator()
          _ = try await updates.next()
          watch.cancel()
        }
        _ = try await client.unary(WireBytes.unary(HealthService.check.path), [])
        return "unaffected"
      }),
    AttackCase(
      number: 10, summary: "floods of pings, settings, credit, optional frames, empty or ignored messages",
      growthMax: 16, count: .failed("flood"),
      way: .again { _, endpoint in
        for (name, bytes) in torrents {
          var raw = try await RawAttacker(endpoint)
          raw.push(RawFrame.hello + bytes)
          let frames = try await raw.ending().frames
          try require(frames.last?.isGoAway == true && frames.last?.number(2) == 8, "\(name): no GOAWAY")
          let pongs = frames.count { $0.type == 8 && $0.flags == 1 }
          try require(pongs <= 100, "\(pongs) pongs")
        }
        _ = try await rejection(of: RawFrame(type: 1).bytes, on: endpoint, code: 13)
        return "\(torrents.count) kinds, each GOAWAY; a second SETTINGS is a protocol error"
      }),
    AttackCase(
      number: 12, summary: "100 000 metadata keys, a key of 1 MB, 65 pairs, 8 KiB and more, CR LF NUL in a key",
      growthMax: 8, way: .again { _, endpoint in try await metadata(endpoint) }),
  ]

  private static let attach = WireBytes.attach(Fixture.device, Fixture.weatherApp)

  private static let resets = (0..<3_000).flatMap { (index: UInt32) -> [UInt8] in
    let stream = index * 2 + 1
    return RawFrame.open(stream, ProviderService.provide.path) + RawFrame.message(stream, attach, flags: 0)
      + RawFrame(type: 6, stream: stream).bytes
  }

  private static let torrents: [(String, [UInt8])] = [
    ("pings", copies(10_000, of: RawFrame(type: 8, payload: [UInt8](repeating: 1, count: 8)).bytes)),
    ("credits", copies(300_000, of: RawFrame.credit(0, 1))),
    (
      "empty pieces",
      RawFrame.open(1, ProviderService.provide.path) + copies(10_000, of: RawFrame(type: 4, flags: 2, stream: 1).bytes)
    ),
    ("optional frames", copies(10_000, of: RawFrame(type: 0x81).bytes)),
    (
      "ping acknowledgements",
      copies(10_000, of: RawFrame(type: 8, flags: 1, payload: [UInt8](repeating: 1, count: 8)).bytes)
    ),
    // Opening stream 3 ends the unopened stream 1.
    (
      "messages of an ended call",
      RawFrame.open(3, ProviderService.provide.path) + copies(150_000, of: RawFrame(type: 4, stream: 1).bytes)
    ),
  ]

  static func copies(_ count: Int, of bytes: [UInt8]) -> [UInt8] {
    Array([[UInt8]](repeating: bytes, count: count).joined())
  }

  private static func metadata(_ endpoint: Endpoint) async throws -> String {
    let pair = { (key: [UInt8], value: String) in
      WireBytes.field(3, WireBytes.field(1, key) + WireBytes.field(2, value))
    }
    let bombs = [copies(100_000, of: pair([0x6B], "v")), pair([UInt8](repeating: 0x6B, count: 1 << 20), "v")]
    for bomb in bombs {
      let payload = WireBytes.field(1, HealthService.check.path) + bomb
      _ = try await rejection(of: RawFrame(type: 2, stream: 1, payload: payload).bytes, on: endpoint, code: 3)
    }
    var raw = try await RawAttacker(endpoint)
    raw.push(RawFrame.hello)
    let keys = ["a\r", "a\nb", "a\0b", "A", "", "ключ"].map { Array($0.utf8) }
    let flaws =
      keys.map { pair($0, "v") } + [
        copies(65, of: pair([0x6B], "v")), copies(9, of: pair([0x6B], String(repeating: "v", count: 1_000))),
        pair([0x6B], "a\r\nb: c"),
      ]
    for (index, flaw) in flaws.enumerated() {
      let stream = UInt32(index * 2 + 1)
      let payload = WireBytes.field(1, HealthService.check.path) + flaw
      raw.push(RawFrame(type: 2, stream: stream, payload: payload).bytes)
      let code = try await raw.code(of: stream)
      try require(code == 3, "code \(code) for flaw \(index) of metadata")
    }
    try await raw.vanish()
    return "INVALID_ARGUMENT, of the connection if larger than any OPEN"
  }
}
