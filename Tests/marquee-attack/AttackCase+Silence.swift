import Glibc
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOCore

extension AttackCase {
  /// Peers that are slow, silent, or do not read.
  static let silence = [
    AttackCase(
      number: 1, summary: "connects and sends nothing, or an incomplete preface", count: .failed("handshakeTimeout"),
      way: .waiting { harness in
        async let silent = closing(harness.tcp, [], within: 4.9...6)
        async let half = closing(harness.unix, Array(RawFrame.preface.prefix(6)), within: 4.9...6)
        return "closed after \(try await silent.words) and \(try await half.words)"
      }),
    AttackCase(
      number: 2, summary: "sends a frame byte by byte, one byte per second", count: .failed("frameTimeout"),
      way: .waiting { harness in
        var slow = try await RawAttacker(harness.tcp, within: .seconds(15))
        slow.push(RawFrame.hello)
        slow.push(RawFrame.open(1, DisplayService.watch.path), each: .seconds(1))
        let (frames, time) = try await slow.ending()
        // The first byte is sent after a second.
        try require(time > .seconds(10.9) && time < .seconds(12.5), "closed after \(time.words)")
        try require(frames.last?.isGoAway == true, "closed without a reason")
        return "closed with GOAWAY after \(time.words)"
      }),
    AttackCase(
      number: 3, summary: "stays connected without answering pings: with a call, stopped by SIGSTOP, without a call",
      count: .failed("keepaliveTimeout"), way: .waiting { harness in try await halfOpen(harness) }),
    AttackCase(
      number: 4, summary: "opens 256 watches of stacks or surfaces and never reads; or reads and grants no credit",
      growthMax: 96, count: .failed("stalled"),
      way: .waiting { harness in
        let (stacks, surfaces) = (try await neverReading(harness), try await neverReadingLists(harness))
        return "\(stacks); surfaces: \(surfaces)"
      }),
  ]

  /// Returns the time until the server closes a connection that sends `bytes` and then nothing, which must be in a
  /// range of seconds.
  private static func closing(
    _ endpoint: Endpoint, _ bytes: [UInt8], within seconds: ClosedRange<Double>
  ) async throws -> Duration {
    var silent = try await RawAttacker(endpoint, within: .seconds(seconds.upperBound))
    silent.push(bytes)
    let (_, time) = try await silent.ending()
    try require(time >= .seconds(seconds.lowerBound), "closed too early, after \(time.words)")
    return time
  }

  private static let watch = WireBytes.field(1, Fixture.device.text)

  private static func halfOpen(_ harness: AttackHarness) async throws -> String {
    let ended = { try await harness.metric("marquee_calls_total", DisplayService.watch.path) }
    let before = try await ended()
    let call = RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, watch)
    async let busy = closing(harness.tcp, RawFrame.hello + call, within: 39.9...42)
    async let idle = closing(harness.unix, RawFrame.hello, within: 69.9...72)
    // An ordinary client, stopped by SIGSTOP.
    let stopped = try Daemon(["--watch", "\(harness.unix)"], program: "/proc/self/exe")
    defer { stopped.send(signal: SIGKILL) }
    _ = try await stopped.log.line(with: "watching")
    stopped.send(signal: SIGSTOP)
    let words = "closed after \(try await busy.words) with a call, \(try await idle.words) without"
    let failures = try await harness.metric("marquee_connections_failed_total", "keepaliveTimeout")
    try require(failures == 3, "\(failures) of 3 half-open connections were closed")
    let calls = try await ended() - before
    try require(calls >= 2, "\(calls) of 2 calls ended")
    return words + ", the stopped one too; calls ended"
  }

  private static func neverReading(_ harness: AttackHarness) async throws -> String {
    let widgets = (1...16).map { Fixture.widget("Wide\($0)", of: Fixture.sportApp) }
    try await Fixture.build(harness.client(), device: Fixture.otherDevice, members: widgets)
    var provider = try await ProviderStream(harness.client(), device: Fixture.otherDevice, app: Fixture.sportApp)
    // One mebibyte per watch.
    for (index, widget) in widgets.enumerated() { try await provider.publish(65_000, UInt64(index + 1), widget) }
    let watch = WireBytes.field(1, Fixture.otherDevice.text)
    // It grants unlimited credit, so that only the socket and the server's own limits hold responses back.
    let watches = (0..<256).flatMap { index -> [UInt8] in
      let stream = UInt32(index * 2 + 1)
      return RawFrame.open(stream, DisplayService.watch.path) + RawFrame.message(stream, watch)
        + RawFrame.credit(stream, 0x7000_0000)
    }
    var deaf = try await RawAttacker(harness.unix, within: .seconds(40), reads: false)
    deaf.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watches)
    var miser = try await RawAttacker(harness.tcp, within: .seconds(40))
    miser.push(RawFrame.hello + RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, watch))
    for number in 17...100 as ClosedRange<UInt64> { try await provider.publish(60_000, number, widgets[0]) }
    let code = try await miser.code(of: 1)
    try require(code == 8, "the call without credit ended with code \(code)")
    miser.push(RawFrame.open(3, HealthService.check.path) + RawFrame.message(3, []))
    try require(try await miser.code(of: 3) == 0, "the connection without credit is unusable")
    let (_, time) = try await deaf.ending()
    try require(time > .seconds(29), "closed too early, after \(time.words)")
    return "closed after \(time.words); without credit the call is RESOURCE_EXHAUSTED and the connection stays"
  }

  /// Opens 256 watches of a surface whose list, of 80 KB, changes all the time.
  private static func neverReadingLists(_ harness: AttackHarness) async throws -> String {
    let provider = try ProviderClient(
      harness.client(), device: Fixture.otherDevice, app: Fixture.sportApp, kinds: [])
    let nowPlaying = WireBytes.field(1, Fixture.otherDevice.text) + WireBytes.field(2, Int64(6))
    let watches = (0..<256).flatMap { index -> [UInt8] in
      let (stream, count) = (UInt32(index * 2 + 1), Int64(index % 20 + 1))
      return RawFrame.open(stream, DisplayService.watchSurface.path)
        + RawFrame.message(stream, nowPlaying + WireBytes.field(3, count)) + RawFrame.credit(stream, 0x7000_0000)
    }
    var deaf = try await RawAttacker(harness.unix, within: .seconds(40), reads: false)
    deaf.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watches)
    for version in 1...100 { try await provider.setUpcomingMedia(media(version)) }
    let (_, time) = try await deaf.ending()
    try require(time > .seconds(29), "closed too early, after \(time.words)")
    return "closed after \(time.words)"
  }

  /// Twenty items that are all likely enough for Now Playing.
  private static func media(_ version: Int) throws -> UpcomingMedia {
    let display = String(repeating: "x", count: 4_000)
    return try UpcomingMedia(
      intents: (0..<20).map { number in
        let item = IntentValue.object(DisplayIdentity(identifier: "\(version)-\(number)", display: display))
        let parameter = IntentParameter(name: try IntentParameter.Name("mediaItem"), value: .single(item))
        return try Intent(type: .playMedia, parameters: [parameter])
      })
  }
}

extension ProviderStream {
  /// Publishes an entry with content of `size` bytes, which must be accepted.
  fileprivate mutating func publish(_ size: Int, _ number: UInt64, _ widget: Widget) async throws {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: size))
    let answer = try await publish(number, widget, [TimelineEntry(date: Fixture.start, content: content)])
    guard case .accepted = answer else { throw RequirementFailure("a timeline was not accepted: \(answer)") }
  }
}
