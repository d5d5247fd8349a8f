import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Invalid frames and connection prefaces.
  static let frames = [
    AttackCase(
      number: 5, summary: "a frame announces 0xFFFFFFFF bytes", growthMax: 4, count: .failed("oversized"),
      way: .again { _, endpoint in
        for type: UInt8 in [2, 4, 0x81] {
          let time = try await rejection(of: [0xFF, 0xFF, 0xFF, 0xFF, type, 0, 0, 0, 0, 1], on: endpoint)
          try require(time < .seconds(3), "closed after \(time.words)")
        }
        return "rejected from the header alone"
      }),
    AttackCase(
      number: 6, summary: "sends more messages than a method accepts", growthMax: 16,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        let large = [UInt8](repeating: 0, count: 3 << 20)
        let end = try await callStatus { _ = try await client.unary(WireBytes.unary(HealthService.check.path), large) }
        try require(end?.code == .resourceExhausted, "ended with \(end as Any)")
        _ = try await client.unary(WireBytes.unary(HealthService.check.path), [])
        return "RESOURCE_EXHAUSTED, and the connection's next call is answered"
      }),
    AttackCase(
      number: 7, summary: "opens 10 000 concurrent streams", growthMax: 24, count: .rejected("calls"),
      way: .again { _, endpoint in
        var greedy = try await RawAttacker(endpoint)
        let numbers = (0..<10_000).map { UInt32($0 * 2 + 1) }
        greedy.push(RawFrame.hello + numbers.flatMap { RawFrame.open($0, ProviderService.provide.path) })
        let last = numbers.last
        let rejected = try await greedy.frames { $0.isRefusal && $0.stream == last }.filter(\.isRefusal)
        try require(rejected.map(\.stream) == Array(numbers.dropFirst(256)), "\(rejected.count) were rejected")
        greedy.push(RawFrame.message(1, WireBytes.attach(Fixture.device, Fixture.weatherApp), flags: 0))
        _ = try await greedy.frames { $0.type == 4 && $0.stream == 1 }
        try await greedy.vanish()
        return "9744 rejected as retryable; the others work"
      }),
    AttackCase(
      number: 11, summary: "unknown frame type, reserved bits and flags, wrong state, stream number reused or even",
      growthMax: 4, count: .failed("protocolError"),
      way: .again { _, endpoint in
        for bytes in forbidden {
          let time = try await rejection(of: bytes, on: endpoint, code: 13)
          try require(time < .seconds(3), "closed after \(time.words)")
        }
        var polite = try await RawAttacker(endpoint)
        polite.push(RawFrame.hello + RawFrame(type: 0x99, flags: 7, stream: 5, payload: [1, 2]).bytes)
        try await polite.settle()
        try await polite.vanish()
        return "\(forbidden.count) kinds, each a protocol error; an optional type is skipped"
      }),
    AttackCase(
      number: 13, summary: "HTTP/1.1, a corrupt preface of HTTP/2, a TLS ClientHello, zeros, an incomplete preface",
      growthMax: 4,
      count: .failed("garbage"), way: .again { harness, endpoint in try await garbage(harness, endpoint) }),
    AttackCase(
      number: 33, summary: "sets the compression flag", growthMax: 4,
      way: .again { _, endpoint in
        var raw = try await RawAttacker(endpoint)
        raw.push(RawFrame.hello + RawFrame.open(1, HealthService.check.path))
        raw.push(RawFrame(type: 4, flags: 5, stream: 1, payload: [1]).bytes)
        try require(try await raw.code(of: 1) == 12, "not UNIMPLEMENTED")
        try await raw.vanish()
        return "UNIMPLEMENTED"
      }),
  ]

  /// Returns the time until the server closes the connection because of `bytes` after the settings, having sent GOAWAY.
  static func rejection(of bytes: [UInt8], on endpoint: Endpoint, code: UInt64? = nil) async throws -> Duration {
    var raw = try await RawAttacker(endpoint)
    raw.push(RawFrame.hello + bytes)
    let (frames, time) = try await raw.ending()
    guard let last = frames.last, last.isGoAway else {
      throw RequirementFailure("closed without a reason: \(bytes.prefix(20))")
    }
    if let code { try require(last.number(2) == code, "code \(last.number(2) ?? 0) for \(bytes.prefix(20))") }
    return time
  }

  private static let forbidden: [[UInt8]] = [
    RawFrame(type: 0x42).bytes, RawFrame(type: 0).bytes,
    RawFrame(type: 8, stream: 0x8000_0000, payload: [UInt8](repeating: 0, count: 8)).bytes,
    RawFrame(type: 6, flags: 0x80, stream: 1).bytes,
    RawFrame.message(7, [1]), RawFrame.credit(9, 1), RawFrame(type: 6, stream: 11).bytes,
    RawFrame.open(2, HealthService.check.path), RawFrame.open(0, HealthService.check.path),
    RawFrame.open(5, HealthService.check.path) + RawFrame.open(5, HealthService.check.path),
    RawFrame.open(5, HealthService.check.path) + RawFrame.open(3, HealthService.check.path),
    RawFrame.open(1, ProviderService.provide.path) + RawFrame.message(1, []) + RawFrame.message(1, []),
    RawFrame(type: 5, stream: 1).bytes, RawFrame(type: 3, stream: 1).bytes,
    RawFrame(type: 1).bytes, RawFrame.credit(0, 0),
    RawFrame.credit(0, 0x7FFF_FFFF) + RawFrame.credit(0, 0x7FFF_FFFF),
  ]

  private static let gibberish: [[UInt8]] = [
    Array("PRI /secret-path HTTP/2.0\r\n\r\n".utf8), [0x16, 0x03, 0x01, 0x02, 0x00, 0x01],
    [UInt8](repeating: 0, count: 100_000), Array(RawFrame.preface.dropFirst()),
  ]

  private static func garbage(_ harness: AttackHarness, _ endpoint: Endpoint) async throws -> String {
    let logSize = harness.daemon.log.text.utf8.count
    for bytes in gibberish {
      var raw = try await RawAttacker(endpoint)
      raw.push(bytes)
      let (frames, time) = try await raw.ending()
      try require(frames.isEmpty, "the server responded to garbage")
      try require(time < .seconds(3), "closed after \(time.words)")
    }
    var old = try await RawAttacker(endpoint)
    old.push(Array("GET /secret-path HTTP/1.1\r\nHost: secret-host\r\nConnection: close\r\n\r\n".utf8))
    let (answer, time) = try await old.endingBytes()
    try require(answer.starts(with: "HTTP/1.1 421 ".utf8), "HTTP/1.1 has no answer")
    try require(!String(decoding: answer, as: UTF8.self).contains("secret"), "the answer quotes the request")
    try require(time < .seconds(3), "closed after \(time.words)")
    let text = harness.daemon.log.text
    try require(!text.contains("secret"), "the log contains received bytes")
    let growth = text.utf8.count - logSize
    try require(growth < 200 * gibberish.count, "\(growth) bytes of log for \(gibberish.count) connections")
    return "closed immediately, HTTP/1.1 with status 421 and the others without a response, \(growth) bytes of log"
  }
}
