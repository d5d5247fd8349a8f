import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOCore

extension AttackCase {
  /// Peers in HTTP/2 that are slow, or that read slowly or nothing.
  static let http2Windows = [
    AttackCase(
      number: 71, summary: "HTTP/2: 256 watches with windows of 0 bytes, 64 with windows of 1 byte, 256 never read",
      way: .waitingAlone {
        try await AttackHarness.run { harness in
          try await buildWideDevice(harness.client())
          return try await Measurement.of(harness, growthMax: 96, repeats: false) { _ in
            try await readSlowly(harness)
          }.words
        }
      }),
    AttackCase(
      number: 86, summary: "HTTP/2: 4 096 calls with one byte of a request of 4 MiB", growthMax: 48,
      way: .again { _, endpoint in try await announce(endpoint) }),
    AttackCase(
      number: 72, summary: "calls in segments of one byte in HTTP/2 and HTTP/1.1; a message in frames of one byte",
      way: .again { _, endpoint in try await sendBytes(endpoint) }),
  ]

  // MARK: Senders

  private static let announcements = (0..<256 as Range<UInt32>).flatMap { number in
    HTTP2Frame.open(2 * number + 1, ProviderService.publishTimeline.path)
      + HTTP2Frame.data(2 * number + 1, [0] + RawFrame.big(4 << 20) + [10])
  }

  private static func announce(_ endpoint: Endpoint) async throws -> String {
    var attackers: [HTTP2Attacker] = []
    for _ in 0..<16 {
      var attacker = try await HTTP2Attacker(endpoint)
      attacker.push(announcements + HTTP2Frame(type: 6, payload: [UInt8](repeating: 1, count: 8)).bytes)
      let frames = try await attacker.frames { $0.type == 6 }
      try require(!frames.contains { $0.type == 1 || $0.type == 3 }, "a call has ended")
      attackers.append(attacker)
    }
    for attacker in attackers { try await attacker.vanish() }
    return "each is assembled"
  }

  // MARK: Slow readers

  private static let watch = WireBytes.field(1, Fixture.otherDevice.text)

  private static func watches(_ count: UInt32) -> [UInt8] {
    (0..<count).flatMap { HTTP2Frame.call(2 * $0 + 1, DisplayService.watch.path, watch) }
  }

  /// Creates a device whose state is 1 MiB.
  static func buildWideDevice(_ client: RPCClient) async throws {
    let widgets = (1...16).map { Fixture.widget("Wide\($0)", of: Fixture.sportApp) }
    try await Fixture.build(client, device: Fixture.otherDevice, members: widgets)
    var provider = try await ProviderStream(client, device: Fixture.otherDevice, app: Fixture.sportApp)
    for (index, widget) in widgets.enumerated() {
      let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(index), count: 65_000))
      let answer = try await provider.publish(
        UInt64(index + 1), widget, [TimelineEntry(date: Fixture.start, content: content)])
      guard case .accepted = answer else { throw RequirementFailure("a timeline was not accepted: \(answer)") }
    }
  }

  private static func readSlowly(_ harness: AttackHarness) async throws -> String {
    async let zero = grantNothing(harness.tcp)
    async let tiny = grantBytes(harness.tcp)
    async let deaf = neverRead(harness.unix)
    return "without credit \(try await zero); \(try await tiny); never read: closed after \(try await deaf.words)"
  }

  private static func grantNothing(_ endpoint: Endpoint) async throws -> String {
    var miser = try await HTTP2Attacker(endpoint, within: .seconds(50), settings: HTTP2Frame.setting(4, 0))
    let begin = ContinuousClock.now
    miser.push(watches(256))
    var ended: Set<UInt32> = []
    _ = try await miser.frames { frame in
      if frame.endsStream || frame.type == 3 { ended.insert(frame.stream) }
      return ended.count == 256
    }
    let time = begin.duration(to: .now)
    try require(time > .seconds(29), "ended too early, after \(time.words)")
    miser.push(HTTP2Frame.call(513) + HTTP2Frame.credit(513, 65_535))
    try require(try await miser.response(of: 513).code == "0", "the connection without credit is unusable")
    try await miser.vanish()
    return "each ended within \(time.words) and the connection is kept"
  }

  /// Grants a byte at a time, so that calls make progress that no limit of time ends.
  private static func grantBytes(_ endpoint: Endpoint) async throws -> String {
    var tiny = try await HTTP2Attacker(endpoint, within: .seconds(50), settings: HTTP2Frame.setting(4, 1))
    tiny.push(watches(64))
    let credit = (0..<64 as Range<UInt32>).flatMap { HTTP2Frame.credit(2 * $0 + 1, 1) }
    for _ in 0..<100 {
      tiny.push(credit)
      try await Task.sleep(for: .milliseconds(20))
    }
    var size = 0
    _ = try await tiny.frames { frame in
      if frame.type == 0 { size += frame.payload.count }
      return size >= 64 * 101
    }
    tiny.push(HTTP2Frame.call(129) + HTTP2Frame.credit(129, 65_535))
    try require(try await tiny.response(of: 129).code == "0", "the connection with little credit is unusable")
    try await tiny.vanish()
    return "with a byte each, \(size) bytes in as many frames"
  }

  private static func neverRead(_ endpoint: Endpoint) async throws -> Duration {
    let unlimited = HTTP2Frame.setting(4, 0x7FFF_FFFF)
    var deaf = try await HTTP2Attacker(endpoint, within: .seconds(50), settings: unlimited, reads: false)
    deaf.push(HTTP2Frame.credit(0, 0x7000_0000) + watches(256))
    let (_, time) = try await deaf.ending()
    try require(time > .seconds(29), "closed too early, after \(time.words)")
    return time
  }

  // MARK: Bytes

  /// A request with an unknown field of 60 000 bytes, and no device, in frames of one byte.
  private static let divided = {
    let request = WireBytes.field(1_000, [UInt8](repeating: 7, count: 60_000))
    let message = [0] + RawFrame.big(UInt32(request.count)) + request
    return HTTP2Frame.open(3, ProviderService.registerKinds.path) + message.flatMap { HTTP2Frame.data(3, [$0]) }
      + HTTP2Frame.data(3, [], endsStream: true)
  }()

  private static func sendBytes(_ endpoint: Endpoint) async throws -> String {
    var attacker = try await HTTP2Attacker(endpoint)
    attacker.push(HTTP2Frame.call(1), each: .microseconds(200))
    try require(try await attacker.response(of: 1).code == "0", "a call in segments of one byte failed")
    attacker.push(divided)
    let code = try await attacker.response(of: 3).code
    try require(code == "3", "a message in frames of one byte: code \(code ?? "none")")
    try await attacker.vanish()
    var old = try await HTTP1Attacker(endpoint)
    old.push(HTTP1Attacker.start() + "Content-Length: 0\r\n\r\n", each: .microseconds(200))
    try require(try await old.response().status == 200, "a call in segments of one byte failed in HTTP/1.1")
    try await old.vanish()
    return "served"
  }
}
