import Glibc
import MarqueeModel
import MarqueeTransport
import MarqueeWire
import NIOCore
import ServerProcess

extension Row {
  /// Those who are slow, say nothing or read nothing.
  static let silence = [
    Row(
      number: 1, deed: "connects and says nothing, or half a preface", count: .failed("handshakeTimeout"),
      way: .waiting { siege in
        async let silent = closing(siege.tcp, [], within: 4.9...6)
        async let half = closing(siege.unix, Array(RawFrame.preface.prefix(6)), within: 4.9...6)
        return "closed after \(try await silent.words) and \(try await half.words)"
      }),
    Row(
      number: 2, deed: "sends a frame byte by byte, one a second", count: .failed("frameTimeout"),
      way: .waiting { siege in
        var slow = try await Assailant(siege.tcp, within: .seconds(15))
        slow.push(RawFrame.hello)
        slow.push(RawFrame.open(1, DisplayService.watch.path), each: .seconds(1))
        let (frames, time) = try await slow.ending()
        // The first byte comes after a second.
        try require(time > .seconds(10.9) && time < .seconds(12.5), "closed after \(time.words)")
        try require(frames.last?.isGoAway == true, "closed without a reason")
        return "told so and closed after \(time.words)"
      }),
    Row(
      number: 3, deed: "stays connected and answers no ping: with a call, stopped by SIGSTOP, and without a call",
      count: .failed("keepaliveTimeout"), way: .waiting { siege in try await halfOpen(siege) }),
    Row(
      number: 4, deed: "watches 256 times and never reads; or reads and grants no credit", growthMax: 96,
      count: .failed("stalled"), way: .waiting { siege in try await neverReading(siege) }),
  ]

  /// How long the server bears with a connection that sends `bytes` and then nothing, in seconds.
  private static func closing(
    _ endpoint: Endpoint, _ bytes: [UInt8], within seconds: ClosedRange<Double>
  ) async throws -> Duration {
    var silent = try await Assailant(endpoint, within: .seconds(seconds.upperBound))
    silent.push(bytes)
    let (_, time) = try await silent.ending()
    try require(time >= .seconds(seconds.lowerBound), "closed after \(time.words) already")
    return time
  }

  private static let watch = WireBytes.field(1, Home.device.text)

  private static func halfOpen(_ siege: Siege) async throws -> String {
    let ended = { try await siege.metric("marquee_calls_total", DisplayService.watch.path) }
    let before = try await ended()
    let call = RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, watch)
    async let busy = closing(siege.tcp, RawFrame.hello + call, within: 39.9...42)
    async let idle = closing(siege.unix, RawFrame.hello, within: 69.9...72)
    // A client of ours, which would answer if it could.
    let stopped = try Daemon(["--watch", "\(siege.unix)"], program: "/proc/self/exe")
    defer { stopped.send(signal: SIGKILL) }
    _ = try await stopped.log.line(with: "watching")
    stopped.send(signal: SIGSTOP)
    let words = "closed after \(try await busy.words) with a call, \(try await idle.words) without"
    let failures = try await siege.metric("marquee_connections_failed_total", "keepaliveTimeout")
    try require(failures == 3, "\(failures) of 3 half-open peers were given up")
    let calls = try await ended() - before
    try require(calls >= 2, "\(calls) of 2 calls have ended")
    return words + ", the stopped one too; calls ended"
  }

  private static func neverReading(_ siege: Siege) async throws -> String {
    let widgets = (1...16).map { Home.widget("Wide\($0)", of: Home.sportApp) }
    try await Home.build(siege.client(), device: Home.otherDevice, members: widgets)
    var provider = try await ProviderStream(siege.client(), device: Home.otherDevice, app: Home.sportApp)
    // A mebibyte for each of those who watch.
    for (index, widget) in widgets.enumerated() { try await provider.publish(65_000, UInt64(index + 1), widget) }
    let watch = WireBytes.field(1, Home.otherDevice.text)
    // It grants all the credit there is, so that only the socket and the server's own limits hold the answers back.
    let watches = (0..<256).flatMap { index -> [UInt8] in
      let stream = UInt32(index * 2 + 1)
      return RawFrame.open(stream, DisplayService.watch.path) + RawFrame.message(stream, watch)
        + RawFrame.credit(stream, 0x7000_0000)
    }
    var deaf = try await Assailant(siege.unix, within: .seconds(40), reads: false)
    deaf.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watches)
    var miser = try await Assailant(siege.tcp, within: .seconds(40))
    miser.push(RawFrame.hello + RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, watch))
    for number in 17...100 as ClosedRange<UInt64> { try await provider.publish(60_000, number, widgets[0]) }
    let code = try await miser.code(of: 1)
    try require(code == 8, "the call without credit ended with code \(code)")
    miser.push(RawFrame.open(3, HealthService.check.path) + RawFrame.message(3, []))
    try require(try await miser.code(of: 3) == 0, "the connection without credit is of no use")
    let (_, time) = try await deaf.ending()
    try require(time > .seconds(29), "closed after \(time.words) already")
    return "closed after \(time.words); without credit the call is RESOURCE_EXHAUSTED and the connection stays"
  }
}

extension ProviderStream {
  /// Publishes an entry with so much content, which must be accepted.
  fileprivate mutating func publish(_ size: Int, _ number: UInt64, _ widget: Widget) async throws {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: size))
    let answer = try await publish(number, widget, [TimelineEntry(date: Home.start, content: content)])
    guard case .accepted = answer else { throw Finding("a timeline was not accepted: \(answer)") }
  }
}
