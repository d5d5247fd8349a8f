import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Messages that are malformed, or expensive to decode.
  static let messages = [
    AttackCase(
      number: 14, summary: "truncated messages, overlong varints, wrong wire types, groups, field 0", growthMax: 4,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        for bytes in malformed {
          let end = try await ending(of: ProviderService.registerKinds.path, bytes, on: client).status
          try require(end?.code == .invalidArgument, "\(bytes): \(end as Any)")
        }
        return "\(malformed.count) kinds, each INVALID_ARGUMENT"
      }),
    AttackCase(
      number: 15, summary: "messages nested 15 000 and 800 000 levels deep", growthMax: 32,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        let (end, _) = try await ending(of: ProviderService.registerKinds.path, shallow, on: client)
        try require(end?.code == .invalidArgument, "ended with \(end as Any)")
        let (status, time) = try await ending(of: deep, on: client)
        try require(status?.code == .invalidArgument, "ended with \(status as Any)")
        try require(time < .seconds(5), "rejected after \(time.words)")
        return "INVALID_ARGUMENT after \(time.words)"
      }),
    AttackCase(
      number: 16, summary: "4 MiB of merged or expanding messages; 60 000 packed values; a length of 4 GiB",
      growthMax: 48,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        var longest = Duration.zero
        for bomb in bombs {
          let (status, time) = try await ending(of: bomb, on: client)
          try require(status?.code == .resourceExhausted, "ended with \(status as Any)")
          longest = max(longest, time)
        }
        try require(longest < .seconds(1), "rejected after \(longest.words)")
        for packed in packs {
          let (status, _) = try await ending(of: ProviderService.registerKinds.path, packed.bytes, on: client)
          try require(status?.code == packed.code, "ended with \(status as Any)")
        }
        return "RESOURCE_EXHAUSTED within \(longest.words), including the transfer; packed values by their size"
      }),
    AttackCase(
      number: 17, summary: "strings with invalid UTF-8, NUL, zero-width or bidi characters; one of 10 MB", growthMax: 8,
      way: .again { harness, endpoint in
        let client = harness.client(endpoint)
        for name in names {
          let (end, _) = try await ending(of: ProviderService.registerKinds.path, kinds(name: name), on: client)
          try require(
            end?.code == .invalidArgument && end?.message.contains("kinds[0].name") == true, "\(name): \(end as Any)")
        }
        var raw = try await RawAttacker(endpoint)
        let head = WireBytes.varint(1 << 3 | 2) + WireBytes.varint(10_000_000)
        let piece = RawFrame(type: 4, flags: 2, stream: 1, payload: head + [UInt8](repeating: 0x78, count: 60_000))
        let pieces = piece.bytes + piece.bytes + piece.bytes
        raw.push(RawFrame.hello + RawFrame.open(1, ProviderService.registerKinds.path) + pieces)
        try require(try await raw.code(of: 1) == 8, "10 MB are not RESOURCE_EXHAUSTED")
        try await raw.vanish()
        return "INVALID_ARGUMENT with the field's path; 10 MB RESOURCE_EXHAUSTED after the first pieces"
      }),
  ]

  private static let malformed: [[UInt8]] = [
    [0x0A], [0x0A, 0xFF], [0x0A, 0x05, 0x01], [0xFF, 0xFF, 0xFF], [UInt8](repeating: 0xFF, count: 11),
    [0x08] + [UInt8](repeating: 0xFF, count: 10) + [0x01], [0x08, 0x01], [0x0D, 1, 2, 3, 4], [0x0B], [0x0B, 0x0C],
    [0x00, 0x00], [0x02, 0x00], [0x0E], [0x0F],
  ]

  private static let names: [[UInt8]] = [
    [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x41, 0, 0x42],
    Array("zero\u{200B}width".utf8), Array("bidi\u{202E}mark".utf8), Array("line\u{2028}break".utf8),
  ]

  private static let shallow = nested(15_000, field: 3)
  private static let deep = nested(800_000, field: 2)

  /// Returns a message nested to a depth.
  private static func nested(_ depth: Int, field: UInt64) -> [UInt8] {
    // Built from the inside out, and therefore reversed.
    var (bytes, size) = ([UInt8](), 0)
    for _ in 0..<depth {
      let head = WireBytes.varint(field << 3 | 2) + WireBytes.varint(UInt64(size))
      bytes += head.reversed()
      size += head.count
    }
    return bytes.reversed()
  }

  private static let bombs: [[UInt8]] = {
    // One repeated submessage: each occurrence is merged into the previous one.
    let part = WireBytes.field(2, WireBytes.field(2, WireBytes.widget(Fixture.forecast)))
    // An empty entry: much larger in memory than on the wire.
    let entry = WireBytes.field(2, WireBytes.field(4, [UInt8]()))
    return [part, entry].map { copies((4 << 20) / $0.count, of: $0) }
  }()

  /// Packed values with the expected status: repeated values of an enumeration are redundant.
  private static let packs: [(bytes: [UInt8], code: StatusCode?)] = [
    (kinds(families: WireBytes.field(3, [UInt8](repeating: 1, count: 60_000))), .invalidArgument),
    (kinds(families: WireBytes.field(3, [UInt8](repeating: 0, count: 60_000))), .invalidArgument),
    (kinds(families: [0x1A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), .invalidArgument),
    (kinds(families: [0x1A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]), .invalidArgument),
  ]

  private static func kinds(name: [UInt8] = Array("Clock".utf8), families: [UInt8] = [0x18, 1]) -> [UInt8] {
    WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, "com.example.clock")
      + WireBytes.field(3, WireBytes.field(1, name) + WireBytes.field(2, "Clock") + families)
  }

  /// Makes a unary call with a request of `bytes`, and returns its status and duration.
  static func ending(
    of path: String, _ bytes: [UInt8], on client: RPCClient
  ) async throws -> (status: RPCStatus?, time: Duration) {
    let begin = ContinuousClock.now
    let end = try await callStatus { _ = try await client.unary(WireBytes.unary(path), bytes) }
    return (end, begin.duration(to: .now))
  }

  /// Sends a message of `bytes` on a provider's stream, and returns the status and duration.
  private static func ending(
    of bytes: [UInt8], on client: RPCClient
  ) async throws -> (status: RPCStatus?, time: Duration) {
    let call = try await client.bidirectional(WireBytes.provide)
    try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
    let begin = ContinuousClock.now
    let end = try await callStatus {
      try await call.send(bytes)
      for try await _ in call.responses {}
    }
    return (end, begin.duration(to: .now))
  }
}
