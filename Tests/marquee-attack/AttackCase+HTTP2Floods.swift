import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Floods of valid frames of HTTP/2, and calls that are reset.
  static let http2Floods = [
    AttackCase(
      number: 62, summary: "HTTP/2: opens and resets 3 000 calls (rapid reset); an ordinary client cancels 300",
      growthMax: 24, count: .failed("flood"), way: .again { _, endpoint in try await resetCalls(endpoint) }),
    AttackCase(
      number: 63, summary: "HTTP/2: provokes the server to reset calls (MadeYouReset)", growthMax: 24,
      count: .failed("flood"), way: .again { harness, endpoint in try await provokeResets(harness, endpoint) }),
    AttackCase(
      number: 64, summary: "HTTP/2: floods of settings, pings, priorities, credit, empty data and unknown frames",
      count: .failed("flood"), way: .again { _, endpoint in try await flood(endpoint) }),
    AttackCase(
      number: 65, summary: "HTTP/2: opens 10 000 concurrent streams, and one more than the acknowledged limit",
      growthMax: 24, count: .rejected("calls"), way: .again { _, endpoint in try await openMany(endpoint) }),
  ]

  /// GOAWAY's code for a peer that causes too much work.
  private static let enhanceYourCalm: UInt32 = 11
  private static let attach = WireBytes.attach(Fixture.device, Fixture.weatherApp)

  // MARK: Resets

  private static let resetCalls = (0..<3_000 as Range<UInt32>).flatMap { number in
    HTTP2Frame.open(2 * number + 1, ProviderService.provide.path) + HTTP2Frame.reset(2 * number + 1)
  }

  private static func resetCalls(_ endpoint: Endpoint) async throws -> String {
    let time = try await HTTP2Attacker.rejection(of: resetCalls, on: endpoint, code: enhanceYourCalm)
    var ordinary = try await HTTP2Attacker(endpoint)
    for number in 0..<300 as Range<UInt32> {
      let stream = 2 * number + 1
      ordinary.push(HTTP2Frame.open(stream, ProviderService.provide.path))
      ordinary.push(HTTP2Frame.message(stream, attach, endsStream: false))
      _ = try await ordinary.frames { $0.type == 0 && $0.stream == stream }
      ordinary.push(HTTP2Frame.reset(stream))
    }
    ordinary.push(HTTP2Frame.call(601))
    try require(try await ordinary.response(of: 601).code == "0", "the ordinary client is not served")
    try await ordinary.vanish()
    return "GOAWAY after \(time.words); the ordinary client is unaffected"
  }

  /// Frames that follow the opening of each stream, and cause a stream error.
  private static let provocations: [(name: String, frames: @Sendable (UInt32) -> [UInt8])] = [
    ("too much credit", { HTTP2Frame.open($0, ProviderService.provide.path) + HTTP2Frame.credit($0, 0x7FFF_FFFF) }),
    (
      "too much data",
      {
        let request = HPACK.request(ProviderService.provide.path, [("content-length", "1")])
        return HTTP2Frame.headers($0, request) + HTTP2Frame.message($0, attach)
      }
    ),
    (
      "too little data",
      {
        let request = HPACK.request(ProviderService.provide.path, [("content-length", "100")])
        return HTTP2Frame.headers($0, request) + HTTP2Frame.message($0)
      }
    ),
    ("an invalid name", { HTTP2Frame.headers($0, HPACK.request(ProviderService.provide.path, [("Name", "a")])) }),
    (
      "trailers without the end",
      {
        HTTP2Frame.open($0, ProviderService.provide.path) + HTTP2Frame.headers($0, HPACK.literal("a", "b"))
      }
    ),
    ("no pseudo-header fields", { HTTP2Frame.headers($0, HPACK.literal("a", "b")) }),
  ]

  private static let provoked = provocations.map { provocation in
    (name: provocation.name, bytes: (0..<20_000 as Range<UInt32>).flatMap { provocation.frames(2 * $0 + 1) })
  }

  private static func provokeResets(_ harness: AttackHarness, _ endpoint: Endpoint) async throws -> String {
    var most = 0
    let logSize = harness.daemon.log.text.utf8.count
    for (name, bytes) in provoked {
      var attacker = try await HTTP2Attacker(endpoint, within: .seconds(60))
      attacker.push(bytes)
      let received: [GRPCRawClient.Frame]
      do {
        received = try await attacker.ending().frames
      } catch {
        throw RequirementFailure("\(name): \(error)")
      }
      try require(received.last?.errorCode == enhanceYourCalm, "\(name): \(received.last?.errorCode ?? 0)")
      // Calls over the limit of concurrent ones are refused, which is no error.
      most = max(most, received.count { $0.type == 3 && $0.errorCode != 7 })
    }
    try require(most < 2_000, "\(most) streams were reset")
    let growth = harness.daemon.log.text.utf8.count - logSize
    try require(growth < 1_000 * provoked.count, "\(growth) bytes of log for \(provoked.count) connections")
    return "\(provoked.count) kinds, each GOAWAY after at most \(most) resets"
  }

  // MARK: Floods

  private static let torrents: [(name: String, bytes: [UInt8], code: UInt32)] = [
    ("SETTINGS", copies(10_000, of: HTTP2Frame(type: 4).bytes), enhanceYourCalm),
    ("settings", copies(10_000, of: HTTP2Frame(type: 4, payload: HTTP2Frame.setting(4, 1)).bytes), enhanceYourCalm),
    ("acknowledged settings", copies(10_000, of: HTTP2Frame(type: 4, flags: 1).bytes), 1),
    ("PING", copies(10_000, of: HTTP2Frame(type: 6, payload: ping).bytes), enhanceYourCalm),
    ("answered PING", copies(10_000, of: HTTP2Frame(type: 6, flags: 1, payload: ping).bytes), enhanceYourCalm),
    (
      "PRIORITY",
      (0..<10_000).flatMap { HTTP2Frame(type: 2, stream: 2 * $0 + 1, payload: [0, 0, 0, 0, 7]).bytes },
      enhanceYourCalm
    ),
    ("WINDOW_UPDATE", copies(300_000, of: HTTP2Frame.credit(0, 1)), enhanceYourCalm),
    (
      "empty DATA",
      HTTP2Frame.open(1, ProviderService.provide.path) + copies(10_000, of: HTTP2Frame.data(1, [])), enhanceYourCalm
    ),
    (
      "padding",
      HTTP2Frame.open(1, ProviderService.provide.path)
        + copies(2_000, of: HTTP2Frame(type: 0, flags: 8, stream: 1, payload: [5, 0, 0, 0, 0, 0]).bytes),
      enhanceYourCalm
    ),
    ("unknown frames", copies(10_000, of: HTTP2Frame(type: 0x21, stream: 1).bytes), enhanceYourCalm),
    ("PRIORITY_UPDATE", copies(10_000, of: HTTP2Frame(type: 16, payload: [0, 0, 0, 1]).bytes), enhanceYourCalm),
    (
      "GOAWAY",
      HTTP2Frame.open(1, ProviderService.provide.path)
        + copies(10_000, of: HTTP2Frame(type: 7, payload: [UInt8](repeating: 0, count: 8)).bytes), enhanceYourCalm
    ),
    (
      "DATA of an ended call",
      HTTP2Frame.open(1, "a.B/C") + copies(150_000, of: HTTP2Frame.data(1, [])), enhanceYourCalm
    ),
    (
      "HEADERS of an ended call",
      HTTP2Frame.call(3) + copies(150_000, of: HTTP2Frame.headers(1, [0x82])), enhanceYourCalm
    ),
    // Each counts as open until its response is written.
    (
      "rejected calls",
      (0..<30_000 as Range<UInt32>).flatMap { HTTP2Frame.headers(2 * $0 + 1, invalidCall, endsStream: true) },
      1
    ),
  ]

  private static let ping = [UInt8](repeating: 1, count: 8)
  /// A request with another verb.
  private static let invalidCall = [0x82, 0x86, 0x84] + HPACK.literal(":authority", "localhost")

  private static func flood(_ endpoint: Endpoint) async throws -> String {
    var most = 0
    for (name, bytes, code) in torrents {
      var attacker = try await HTTP2Attacker(endpoint, within: .seconds(60))
      attacker.push(bytes)
      let frames = try await attacker.ending().frames
      let last = frames.last
      try require(last?.type == 7 && last?.errorCode == code, "\(name): no GOAWAY after \(frames.count) frames")
      most = max(most, frames.count { $0.type == 4 || $0.type == 6 })
    }
    try require(most < 300, "\(most) frames were acknowledged")
    return "\(torrents.count) kinds, each GOAWAY; at most \(most) acknowledgements"
  }

  // MARK: Streams

  private static let openMany = (0..<10_000 as Range<UInt32>).flatMap { number in
    HTTP2Frame.open(2 * number + 1, ProviderService.provide.path)
  }

  private static func openMany(_ endpoint: Endpoint) async throws -> String {
    // The server's settings, and with them its limit, are not acknowledged before the calls.
    var greedy = try await HTTP2Attacker(endpoint, awaitsSettings: false)
    greedy.push(openMany)
    let refused = try await greedy.frames { $0.type == 3 && $0.stream == 19_999 }.filter { $0.type == 3 }
    try require(refused.allSatisfy { $0.errorCode == 7 }, "a stream was reset, but not refused")
    let expected = (256..<10_000 as Range<UInt32>).map { 2 * $0 + 1 }
    try require(refused.map(\.stream) == expected, "\(refused.count) were refused")
    greedy.push(HTTP2Frame.message(1, attach, endsStream: false))
    _ = try await greedy.frames { $0.type == 0 && $0.stream == 1 }
    greedy.push(HTTP2Frame.open(20_001, ProviderService.provide.path))
    _ = try await greedy.rejection(1, "a stream over the acknowledged limit")
    return "9744 refused as retryable, the others work; over the acknowledged limit, GOAWAY"
  }
}
