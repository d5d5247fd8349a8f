import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP

@Suite("Limits of HTTP/2")
struct HTTP2LimitTests {
  typealias Field = HTTP2TestClient.Field

  /// A connection whose preface and settings were exchanged, for input in single frames.
  private static func server(_ limits: RPCLimits = RPCLimits()) -> HTTP2Link {
    var link = HTTP2Link(limits)
    let seen = link.feed(HTTP2Connection.preface + Frame.settings.bytes)
    precondition(seen == [.ready])
    _ = link.serverOutput()
    _ = link.feed(Frame.settingsAcknowledgement.bytes)
    return link
  }

  @Test(
    "Floods fail the connection with ENHANCE_YOUR_CALM; the same number over a longer time does not",
    arguments: [
      ("pings", Frame.ping, 100), ("SETTINGS", Frame.settings, 100),
      ("acknowledgements", Frame(type: 6, flags: 1, payload: Frame.ping.payload), 1_000),
      ("unknown frames", Frame(type: 0xF0), 1_000),
      ("PRIORITY", Frame(type: 2, stream: 9, payload: [0, 0, 0, 0, 1]), 1_000),
      ("GOAWAY", Frame(type: 7, payload: [0, 0, 0, 0, 0, 0, 0, 0]), 1_000), ("empty DATA", Frame.data(1, []), 1_000),
      ("padding", Frame(type: 0, flags: 8, stream: 1, payload: [1, 0]), 1_000),
      ("WINDOW_UPDATE", Frame.windowUpdate(0, 1), 10_000), ("late DATA", Frame.data(3, [1]), 100_000),
    ])
  func floods(name: String, frame: Frame, burst: Int) {
    var link = Self.server()
    _ = link.feed(Frame.headers(1).bytes + Frame.headers(3, ends: false).bytes)
    link.server.finish(StreamID(3), with: .ok)
    _ = link.serverOutput()
    var seen: [Seen] = []
    // The settings of the handshake count.
    let first = name == "SETTINGS" ? burst - 2 : burst
    for _ in 0..<first {
      seen += link.feed(frame.bytes)
      _ = link.serverOutput()
    }
    #expect(seen.isEmpty, "\(name)")
    link.now = link.now.advanced(by: .seconds(1))
    #expect(link.feed(frame.bytes).isEmpty, "the bucket refills within a second")
    for _ in 0...(burst + 100_001) where seen.isEmpty { seen = link.feed(frame.bytes) }
    #expect(seen == [.failed(.flood, .resourceExhausted)], "\(name)")
    let last = Frame.parse(link.serverOutput()).last
    #expect(last?.type == 7 && last?.payload[4..<8] == [0, 0, 0, 11], "GOAWAY")
    if name == "pings" { #expect(last?.payload.dropFirst(8).elementsEqual("too_many_pings".utf8) == true) }
    #expect(link.feed(frame.bytes).isEmpty, "no event follows a failure")
  }

  @Test("The input is paused while too many frames are unsent")
  func inputPause() {
    var limits = RPCLimits()
    limits.streamCountMax = 1
    limits.outputSizeMax = 16_384
    // Without an acknowledgement of the settings, streams over the limit are refused one by one.
    var link = HTTP2Link(limits)
    _ = link.feed(HTTP2Connection.preface + Frame.settings.bytes)
    var id: Int32 = 1
    while !link.server.isInputPaused, id < 10_000 {
      _ = link.feed(Frame.headers(id).bytes)
      id += 2
    }
    #expect(link.server.isInputPaused && id > 1_000 && link.server.isOpen)
    _ = link.serverOutput()
    #expect(!link.server.isInputPaused && link.server.isOpen)
  }

  @Test("Resetting streams in a loop fails the connection; 300 cancelled calls in 30 seconds do not")
  func rapidReset() {
    var link = Self.server()
    var (id, seen): (Int32, [Seen]) = (1, [])
    func cancelOne() {
      seen += link.feed(Frame.headers(id).bytes + Frame.reset(id).bytes)
      link.server.finish(StreamID(id), with: .ok)
      id += 2
    }
    for _ in 0..<300 {
      cancelOne()
      link.now = link.now.advanced(by: .milliseconds(100))
    }
    #expect(seen.count == 600 && !seen.contains(where: \.isFailure))
    seen = []
    for _ in 0..<1_100 where !seen.contains(where: \.isFailure) { cancelOne() }
    #expect(seen.last == .failed(.flood, .resourceExhausted))
    #expect(seen.count > 2_000)
  }

  @Test("Streams that the server resets because of the client's frames are limited")
  func madeYouReset() {
    var link = Self.server()
    var (id, seen): (Int32, [Seen]) = (1, [])
    for _ in 0..<1_100 where !seen.contains(where: \.isFailure) {
      // A window over its maximum is a stream error.
      seen += link.feed(Frame.headers(id).bytes + Frame.windowUpdate(id, 0x7FFF_FFFF).bytes)
      link.server.finish(StreamID(id), with: .ok)
      _ = link.serverOutput()
      seen += link.feed([])
      id += 2
    }
    #expect(seen.last == .failed(.flood, .resourceExhausted))
    #expect(seen.count > 1_000)
  }

  @Test("Calls over the announced limit are refused; running handlers of cancelled calls count")
  func streamLimit() {
    var limits = RPCLimits()
    limits.streamCountMax = 2
    var link = Self.server(limits)
    #expect(link.feed(Frame.headers(1).bytes + Frame.headers(3).bytes + Frame.reset(1).bytes).count == 3)
    #expect(link.feed(Frame.headers(5).bytes).isEmpty)
    #expect(Frame.parse(link.serverOutput()) == [Frame(type: 3, stream: 5, payload: Frame.number(7))])
    #expect(link.server.counts.overStreamLimit == 1)
    link.server.finish(StreamID(1), with: .ok)
    #expect(link.feed(Frame.headers(7).bytes).count == 1)
    // A client that ignores the announced limit violates the protocol.
    let seen = link.feed(Frame.headers(9).bytes)
    #expect(seen == [.failed(.protocolError, .internalError)])
  }

  @Test("Refused streams are limited before and after the settings are acknowledged")
  func refusals() {
    var limits = RPCLimits()
    limits.streamCountMax = 1
    limits.rejectedOpenRate = TokenBucket.Rate(burst: 50, perSecond: 1)
    for acknowledges in [true, false] {
      var link = HTTP2Link(limits)
      _ = link.feed(HTTP2Connection.preface + Frame.settings.bytes)
      _ = link.serverOutput()
      if acknowledges { _ = link.feed(Frame.settingsAcknowledgement.bytes) }
      let first = Frame.headers(1).bytes + (acknowledges ? Frame.reset(1).bytes : [])
      var (id, seen): (Int32, [Seen]) = (3, link.feed(first))
      for _ in 0..<60 where !seen.contains(where: \.isFailure) {
        seen += link.feed(Frame.headers(id).bytes)
        _ = link.serverOutput()
        seen += link.feed([])
        id += 2
      }
      #expect(seen.last == .failed(.flood, .resourceExhausted), "\(acknowledges)")
      #expect(id > 90)
    }
  }

  @Test("A header list over its limit ends the call with RESOURCE_EXHAUSTED; the next call is served")
  func headerSize() {
    var link = HTTP2Link.open()
    for fields in [
      [Field("k", String(repeating: "v", count: 16_384))],
      (0..<400).map { Field("k\($0)", "v") },
      (0..<65).map { Field("k\($0)", "v") },
      (0..<3).map { Field("k\($0)", String(repeating: "v", count: 6_000)) },
    ] {
      let call = link.client.request(HTTP2TestClient.fields("/a.B/C", fields))
      #expect(link.exchange() == [.rejected])
      #expect(link.response(call)["grpc-status"] == "8" && link.server.streamCount == 0)
    }
    let large = link.client.request(
      HTTP2TestClient.fields("/a.B/C", [Field("k", String(repeating: "v", count: 9_000))]))
    #expect(link.exchange() == [.rejected] && link.response(large)["grpc-status"] == "3")
    let fields = (0..<64).map { Field("k\($0)", "v") }
    _ = link.client.request(HTTP2TestClient.fields("/a.B/C", fields))
    guard case .opened(_, _, let metadata, _)? = link.exchange().first else {
      Issue.record("the call was not opened")
      return
    }
    #expect(metadata.pairs.count == 64)
  }

  @Test("Decompressed header lists are limited: references to one field are not stored, nor validated without end")
  func headerBomb() {
    var link = Self.server()
    // A literal field of 4 000 bytes with incremental indexing, and references to it.
    let literal: [UInt8] = [0x40, 1, 0x6B, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x76, count: 4_000)
    func block(_ count: Int) -> [UInt8] {
      Frame.headers(1).payload + literal + [UInt8](repeating: 0xBE, count: count)
    }
    #expect(link.feed(Frame(type: 1, flags: 4, stream: 1, payload: block(60)).bytes) == [.rejected])
    #expect(link.server.requestReader.head.metadata.byteCount <= 16_384)
    #expect(link.server.counts.resourceExhausted == 1 && link.server.isOpen)
    _ = link.serverOutput()
    let bomb = Frame(type: 1, flags: 4, stream: 3, payload: block(10_000)).bytes
    #expect(link.feed(bomb) == [.failed(.flood, .resourceExhausted)])
    // The rest of the block was skipped.
    #expect(link.server.requestReader.head.size < 17 * 16_384)
    let last = Frame.parse(link.serverOutput()).last
    #expect(last?.type == 7 && last?.payload[7] == 11)
  }

  @Test("Trailers are limited like other header lists")
  func trailerBomb() {
    var link = Self.server()
    _ = link.feed(Frame.headers(1).bytes)
    let literal: [UInt8] = [0x40, 1, 0x6B, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x76, count: 4_000)
    let block = literal + [UInt8](repeating: 0xBE, count: 10_000)
    let seen = link.feed(Frame(type: 1, flags: 5, stream: 1, payload: block).bytes)
    #expect(seen.last == .failed(.flood, .resourceExhausted))
  }

  @Test("Endless CONTINUATION frames, and frames over 16 KiB, fail the connection")
  func frames() {
    var link = Self.server()
    var block = Frame.headers(1)
    block.flags = 0
    var seen = link.feed(block.bytes)
    let continuation = Frame(type: 9, stream: 1, payload: [0, 1, 0x61, 1, 0x62])
    for _ in 0..<50 where seen.isEmpty { seen = link.feed(continuation.bytes) }
    #expect(seen.count == 1 && seen.first?.isFailure == true)
    var large = Self.server()
    #expect(large.feed([0, 0x40, 1, 0, 0, 0, 0, 0, 1]) == [.failed(.oversized, .resourceExhausted)])
  }

  @Test(
    "Violations of HTTP/2 fail the connection with a GOAWAY",
    arguments: [
      Frame.data(0, [1]), Frame.headers(2), Frame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2]),
      Frame(type: 8, stream: 0, payload: [0, 0, 0, 0]), Frame(type: 4, payload: [0]), Frame(type: 6, payload: [1]),
      Frame(type: 9, stream: 1), Frame(type: 1, flags: 4, stream: 1, payload: [0x80]),
      Frame.windowUpdate(0, 0x7FFF_FFFF), Frame(type: 4, payload: [0, 4, 0xFF, 0xFF, 0xFF, 0xFF]), Frame.data(7, [1]),
    ])
  func violations(frame: Frame) {
    var link = Self.server()
    let seen = link.feed(frame.bytes)
    #expect(seen.count == 1 && seen.first?.isFailure == true, "\(seen)")
    let last = Frame.parse(link.serverOutput()).last
    #expect(last?.type == 7 && last?.payload[7] != 0)
    #expect(!link.server.hasOutput)
  }

  @Test("First bytes that are not the preface close the connection without an answer")
  func garbage() {
    for bytes in [
      Array("GET / HTTP/1.1\r\n".utf8), Array("PRI * HTTP/2.0\r\n\r\nXX".utf8), [0x16, 3, 1], [0x89, 0x4D],
    ] as [[UInt8]] {
      var link = HTTP2Link()
      #expect(link.feed(bytes) == [.failed(.garbage, .internalError)])
      #expect(link.serverOutput().isEmpty)
    }
    var link = HTTP2Link()
    #expect(link.feed(Array(HTTP2Connection.preface.prefix(20))).isEmpty && link.serverOutput().isEmpty)
    #expect(link.feed(HTTP2Connection.preface.dropFirst(20) + Frame.ping.bytes).last?.isFailure == true)
  }

  @Test("A message may exceed the window, which opens as messages are consumed, and not before")
  func receiveCredit() {
    var limits = RPCLimits()
    (limits.streamCredit, limits.connectionCredit) = (16_384, 65_536)
    var link = HTTP2Link.open(limits)
    link.consumes = false
    let call = link.open()
    let message = HTTP2TestClient.Message(bytes: [UInt8](repeating: 7, count: 100_000))
    link.client.send(message.encoded + message.encoded, on: call)
    #expect(link.exchange() == [.message(1, message.bytes, isLast: false)])
    #expect(link.server.assemblySize <= 100_000 + 16_384, "one message and the window are buffered")
    let held = link.server.assemblySize
    #expect(held > 100_000)
    link.server.consume(link.receipts[0])
    #expect(link.exchange() == [.message(1, message.bytes, isLast: false)])
    link.server.consume(link.receipts[1])
    #expect(link.server.assemblySize == 0)
    // The whole credit is available again.
    for _ in 0..<20 {
      link.client.send(message.encoded, on: call)
      #expect(link.exchange().count == 1)
      link.server.consume(link.receipts[link.receipts.count - 1])
    }
  }

  @Test("Calls that end return the credit and the reservations of their messages")
  func returnedCredit() {
    var limits = RPCLimits()
    (limits.streamCredit, limits.connectionCredit) = (16_384, 16_384)
    let account = Account(sizeMax: 1 << 20)
    var link = HTTP2Link.open(limits)
    link.server.assemblyAccount = account
    link.consumes = false
    for round in 0..<40 {
      let call = link.open()
      let message = HTTP2TestClient.Message(bytes: [UInt8](repeating: 7, count: 9_000)).encoded
      link.client.send(message + message.prefix(5_000), on: call)
      #expect(link.exchange().count == 1, "round \(round)")
      switch round % 4 {
      case 0: link.server.finish(StreamID(call), with: .ok)
      case 1: link.client.reset(call)
      case 2: link.server.end(StreamID(call), with: RPCStatus(.aborted, ""))
      default: link.sendOK(call, [1])
      }
      link.exchange()
      link.server.finish(StreamID(call), with: .ok)
      #expect(account.size == 0 && link.server.assemblySize == 0 && link.server.streamCount == 0)
    }
  }

  @Test("Incomplete messages are limited per connection and by the shared budget")
  func assemblyLimits() {
    var limits = RPCLimits()
    limits.assemblySizeMax = 30_000
    for hasAccount in [false, true] {
      if hasAccount { limits.assemblySizeMax = 1 << 24 }
      let account = Account(sizeMax: 30_000)
      var link = HTTP2Link.open(limits)
      link.server.assemblyAccount = account
      let calls = (0..<3).map { _ in link.open() }
      var seen: [Seen] = []
      for call in calls {
        let part = HTTP2TestClient.Message(bytes: [UInt8](repeating: 1, count: 20_000)).encoded.prefix(12_000)
        seen += link.feed(Frame.data(call, Array(part)).bytes)
      }
      #expect(seen == [.ended(5, .resourceExhausted)])
      #expect(hasAccount ? account.size > 0 : link.server.assemblySize > 0)
      link.server.endAll(RPCStatus(.cancelled, "over"))
      #expect(account.size == 0 && link.server.assemblySize == 0)
    }
  }

  @Test("Unsent messages are limited, and the writer is told when there is room")
  func backlog() {
    var limits = RPCLimits()
    limits.backlogSizeMax = 1 << 20
    let account = Account(sizeMax: 1 << 24)
    var link = HTTP2Link.open(limits)
    link.client.grantsCredit = false
    link.server.backlogAccount = account
    let call = link.open()
    let message = [UInt8](repeating: 1, count: 100_000)
    func send(_ id: Int32) -> Connection.SendOutcome {
      link.server.send(encoded: message, on: StreamID(id), sizeMax: 1 << 20, at: link.now)
    }
    #expect((0..<3).map { _ in send(call) } == [.accepted, .accepted, .full])
    link.exchange()
    #expect(link.server.backlogSize(of: StreamID(call)) == 300_015 - 65_535 && account.size > 200_000)
    #expect(link.server.dequeueWritableStreams().isEmpty)
    link.client.grantsCredit = true
    link.client.grant(65_535, on: call)
    link.exchange()
    #expect(link.server.dequeueWritableStreams().contains(StreamID(call)))
    #expect(link.server.backlogSize(of: StreamID(call)) == 0 && account.size == 0)
    #expect(link.response(call).messages.count == 3)

    let (second, third) = (link.open(), link.open())
    link.client.grantsCredit = false
    for _ in 0..<9 { _ = send(second) }
    #expect(send(third) == .accepted && send(third) == .over)
    #expect(link.exchange() == [.ended(UInt32(third), .resourceExhausted)])
    #expect(send(second) == .full)
    let outcome = link.server.send(encoded: message, on: StreamID(second), sizeMax: 99_999, at: link.now)
    #expect(outcome == .tooLarge(100_000))
  }

  @Test("A call that ends drops its unsent messages, and its status is sent without credit")
  func statusWithoutCredit() {
    var link = HTTP2Link.open()
    link.client.grantsCredit = false
    let call = link.open()
    let message = [UInt8](repeating: 1, count: 200_000)
    _ = link.server.send(encoded: message, on: StreamID(call), sizeMax: 1 << 20, at: link.now)
    link.exchange()
    link.server.end(StreamID(call), with: RPCStatus(.aborted, "over"))
    #expect(link.exchange() == [.ended(1, .aborted)])
    #expect(link.response(call)["grpc-status"] == "10" && link.response(call).hasEnded)
    link.server.finish(StreamID(call), with: .ok)
    #expect(link.server.streamCount == 0 && link.server.backlogSize == 0)
  }

  @Test("Several calls share the connection, message by message")
  func fairness() {
    var link = HTTP2Link.open()
    let calls = (0..<4).map { _ in link.open() }
    let message = [UInt8](repeating: 1, count: 60_000)
    for call in calls { _ = link.server.send(encoded: message, on: StreamID(call), sizeMax: 1 << 20, at: link.now) }
    let data = Frame.parse(link.serverOutput()).filter { $0.type == 0 }
    #expect(Set(data.prefix(4).map(\.stream)).count == 4)
  }
}

/// A budget with a maximum.
final class Account: ByteAccount {
  private(set) var size = 0
  private let sizeMax: Int

  init(sizeMax: Int) {
    self.sizeMax = sizeMax
  }

  func reserve(_ size: Int) throws(RPCStatus) {
    guard self.size + size <= sizeMax else { throw RPCStatus(.resourceExhausted, "budget") }
    self.size += size
  }

  func release(_ size: Int) {
    self.size -= size
    precondition(self.size >= 0, "more was released than reserved")
  }
}
