import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Malformed input to the running process", .serialized, .timeLimit(.minutes(5)))
struct BadInputTests {
  /// The first bytes of connections that begin no protocol.
  static let garbage: [[UInt8]] = [
    Array("host: Host\r\n\r\n".utf8), [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [UInt8](repeating: 0, count: 100_000),
  ]
  /// The first bytes of HTTP/1.1, of HTTP/2, and of a damaged preface, which begins with a letter as HTTP/1.1 does.
  ///
  /// HTTP/1.1 ends after the response, and HTTP/2 because no SETTINGS follow.
  static let otherProtocols: [[UInt8]] = [
    Array("GET / HTTP/1.1\r\nHost: Host\r\nConnection: close\r\n\r\n".utf8),
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), Array(RawFrame.preface.dropFirst()),
  ]

  @Test("A connection with garbage instead of a preface is closed without a response, and logged")
  func garbage() async throws {
    try await Attack.run { attack in
      for bytes in Self.garbage {
        var raw = try await RawClient(attack.endpoint)
        raw.push(bytes)
        #expect(await raw.receiveToEnd() == [])
      }
      _ = try await attack.daemon.log.line(with: "reason=garbage")
      #expect(!attack.daemon.log.text.contains("Host"))
    }
  }

  @Test("A connection that begins as HTTP does receives no native preface, and is closed")
  func otherProtocols() async throws {
    try await Attack.run { attack in
      for bytes in Self.otherProtocols {
        var raw = try await RawClient(attack.endpoint)
        raw.push(bytes)
        #expect(await raw.receiveToEnd().starts(with: RawFrame.preface) == false)
      }
      #expect(!attack.daemon.log.text.contains("Host"))
    }
  }

  @Test("A frame truncated by the end of the connection is discarded")
  func truncated() async throws {
    try await Attack.run { attack in
      let message = WireBytes.timeline(
        7, widget: WireBytes.widget(Fixture.forecast), entries: [WireBytes.entry(date: 0, score: 1, duration: 0)])
      let attach = WireBytes.attach(Fixture.device, Fixture.weatherApp)
      let begin =
        RawFrame.hello + RawFrame.open(1, ProviderService.provide.path)
        + RawFrame.message(1, attach, flags: 0)
      let whole = RawFrame.message(1, message)
      for size in [1, 9, 10, 11, whole.count - 1] {
        var raw = try await RawClient(attack.endpoint)
        raw.push(begin)
        // The first event confirms the attachment.
        let attached = await raw.frames { $0.type == 4 }
        #expect(attached.last?.type == 4)
        raw.push(Array(whole.prefix(size)))
        try await raw.close()
      }
    }
  }

  @Test("An oversized frame is rejected by its header, before the payload", arguments: [UInt8(2), 4, 0x81])
  func oversized(type: UInt8) async throws {
    try await Attack.run { attack in
      var raw = try await RawClient(attack.endpoint)
      raw.push(RawFrame.hello + [0xFF, 0xFF, 0xFF, 0xFF, type, 0, 0, 0, 0, 1])
      let answer = await raw.frames()
      #expect(answer.last?.isGoAway == true)
      _ = try await attack.daemon.log.line(with: "reason=oversized")
    }
  }

  @Test(
    "An unknown method is UNIMPLEMENTED, and a malformed message is INVALID_ARGUMENT",
    arguments: [TestProtocol.native, .grpc, .connectProto])
  func unknown(over callProtocol: TestProtocol) async throws {
    try await Attack.run { attack in
      let connection = attack.connection(over: callProtocol)
      for path in ["marquee.v1.Provider/Nothing", "no.Service/Nothing", "x/y"] {
        let end = try await callStatus { _ = try await connection.unary(WireBytes.unary(path), []) }
        #expect(end?.code == .unimplemented)
      }
      let request = WireBytes.unary(ProviderService.registerKinds.path)
      for bytes: [UInt8] in [[0x0A], [0x0A, 0xFF], [0xFF, 0xFF, 0xFF], [0x0B], [0x00, 0x00], [0x08, 0x01]] {
        let end = try await callStatus { _ = try await connection.unary(request, bytes) }
        #expect(end?.code == .invalidArgument, "\(bytes): \(end as Any)")
      }
      guard callProtocol.isDuplex else { return }
      let call = try await connection.bidirectional(WireBytes.provide)
      try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
      try await call.send([0x12, 0x05, 0x01])
      let end = try await callStatus { for try await _ in call.responses {} }
      #expect(end?.code == .invalidArgument)
    }
  }

  /// An invalid timeline and its expected error.
  struct Flaw: Sendable, CustomTestStringConvertible {
    let name: String
    let code: StatusCode
    let words: String
    let message: [UInt8]
    var testDescription: String { name }

    static let date = Fixture.start.milliseconds
    static let forecast = WireBytes.widget(Fixture.forecast)
    static let all = [
      Flaw(
        name: "NaN score", code: .invalidArgument, words: "timeline.entries[0].relevance.score: ",
        message: WireBytes.timeline(
          5, widget: forecast, entries: [WireBytes.entry(date: date, score: .nan, duration: 0)])),
      Flaw(
        name: "negative duration", code: .invalidArgument, words: "timeline.entries[0].relevance.duration_ms: ",
        message: WireBytes.timeline(
          5, widget: forecast, entries: [WireBytes.entry(date: date, score: 1, duration: .min)])),
      Flaw(
        name: "invalid UTF-8", code: .invalidArgument, words: "timeline.widget.kind.name: ",
        message: WireBytes.timeline(5, widget: WireBytes.widget(Fixture.weatherApp, kind: [0xC3, 0x28]), entries: [])),
      Flaw(
        name: "NUL in a name", code: .invalidArgument, words: "timeline.widget.kind.name: ",
        message: WireBytes.timeline(
          5, widget: WireBytes.widget(Fixture.weatherApp, kind: [0x41, 0, 0x42]), entries: [])),
      Flaw(
        name: "another app's widget", code: .invalidArgument, words: "timeline.widget.kind.app: ",
        message: WireBytes.timeline(5, widget: WireBytes.widget(Fixture.score), entries: [])),
      Flaw(
        name: "unknown widget kind", code: .notFound, words: "widget.kind: ",
        message: WireBytes.timeline(5, widget: WireBytes.widget(Fixture.weatherApp, kind: [0x41]), entries: [])),
    ]
  }

  @Test(
    "An invalid field of a timeline is reported by its path, and the stream continues", arguments: TestProtocol.duplex)
  func fields(over callProtocol: TestProtocol) async throws {
    try await Attack.run { attack in
      let connection = attack.connection(over: callProtocol)
      let call = try await connection.bidirectional(WireBytes.provide)
      var events = call.responses.makeAsyncIterator()
      try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
      let attached = try await events.nextInTime()
      #expect(attached == .attached(.english))
      guard case .placed = try await events.nextInTime() else { throw UnexpectedEvent() }
      for flaw in Flaw.all {
        try await call.send(flaw.message)
        let event = try await events.nextInTime()
        guard case .rejected(_, let code, let message, _) = event else { throw UnexpectedEvent() }
        #expect(code == flaw.code && message.contains(flaw.words), "\(flaw.name): \(message)")
      }
    }
  }

  @Test("Of 10 000 streams opened at once, those over the limit are rejected, and the connection stays open")
  func streams() async throws {
    try await Attack.run { attack in
      var raw = try await RawClient(attack.endpoint)
      let numbers = (0..<10_000).map { UInt32($0 * 2 + 1) }
      raw.push(RawFrame.hello + numbers.flatMap { RawFrame.open($0, ProviderService.provide.path) })
      let last = numbers.last
      let rejected = await raw.frames { $0.isRefusal && $0.stream == last }.filter(\.isRefusal)
      #expect(rejected.map(\.stream) == Array(numbers.dropFirst(256)))
      // An open stream still works.
      raw.push(RawFrame.message(1, WireBytes.attach(Fixture.device, Fixture.weatherApp), flags: 0))
      let answer = await raw.frames { $0.type == 4 }
      #expect(answer.last?.stream == 1)
      try await raw.close()
    }
  }

  @Test("A client that never reads responses uses bounded server memory")
  func neverReads() async throws {
    try await Attack.run { attack in
      let raw = try await RawClient(attack.endpoint, reads: false)
      let request = WireBytes.field(1, Fixture.device.text)
      // The client grants maximum credit, so that only the socket and the server's limits bound the responses.
      let watches = (0..<200).flatMap { index -> [UInt8] in
        let stream = UInt32(index * 2 + 1)
        return RawFrame.open(stream, DisplayService.watch.path) + RawFrame.message(stream, request)
          + RawFrame.credit(stream, 0x7000_0000)
      }
      raw.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watches)
      var provider = try await ProviderStream(attack.connection(), app: Fixture.sportApp)
      for number in 1...100 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let entry = TimelineEntry(date: Fixture.start, content: content)
        let answer = try await provider.publish(number, Fixture.score, [entry])
        #expect(answer == .accepted(number))
      }
      try await raw.close()
    }
  }

  @Test(
    "Messages with excessive decoding cost are RESOURCE_EXHAUSTED before they are decoded",
    arguments: TestProtocol.duplex)
  func bombs(over callProtocol: TestProtocol) async throws {
    try await Attack.run { attack in
      let connection = attack.connection(over: callProtocol)
      // One repeated submessage: each occurrence is merged into the previous one.
      let part = WireBytes.field(2, WireBytes.field(2, WireBytes.widget(Fixture.forecast)))
      // Empty entries: many bytes in memory per byte on the wire.
      let entry = WireBytes.field(2, WireBytes.field(4, [UInt8]()))
      let bombs = [part, entry].map { Self.repeated($0, size: 4 << 20) }
      for bomb in bombs {
        let call = try await connection.bidirectional(WireBytes.provide)
        try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
        let clock = ContinuousClock()
        let begin = clock.now
        try await call.send(bomb)
        let end = try await callStatus { for try await _ in call.responses {} }
        #expect(end?.code == .resourceExhausted, "\(bomb.count) bytes: \(end as Any)")
        #expect(begin.duration(to: clock.now) < .seconds(20))
      }
    }
  }

  /// Returns as many repetitions of bytes as a size permits.
  private static func repeated(_ bytes: [UInt8], size: Int) -> [UInt8] {
    var all = bytes
    // Doubled, because each byte takes long without optimization.
    while all.count < size { all += all }
    return Array(all.prefix(size / bytes.count * bytes.count))
  }
}
