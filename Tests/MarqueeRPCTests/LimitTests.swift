import Testing

@testable import MarqueeRPC

@Suite("Limits")
struct LimitTests {
  @Test(
    "A frame over its maximum size is rejected by its header alone",
    arguments: [
      (UInt8(4), StatusCode.resourceExhausted), (2, .invalidArgument), (1, .resourceExhausted), (9, .resourceExhausted),
      (0x80, .resourceExhausted),
    ])
  func oversized(type: UInt8, code: StatusCode) {
    var link = Link.open()
    let header: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, type, 0, 0, 0, 0, type == 4 || type == 2 ? 1 : 0]
    let seen = link.feedServer(header)
    #expect(seen == [.failed(.oversized, code)])
  }

  @Test("A message over its method's limit ends only its call")
  func methodCap() {
    var link = Link.open()
    _ = link.feedServer(Frame.open(1).bytes + Frame.open(3).bytes)
    link.server.accept(StreamID(rawValue: 1), messageSizeMax: 4)
    let pieces = Frame.message(1, [1, 2, 3], flags: 2).bytes + Frame.message(1, [4, 5]).bytes
    #expect(link.feedServer(pieces) == [.ended(1, .resourceExhausted)])
    #expect(link.serverFrames().map { [UInt32($0.type), $0.stream] } == [[5, 1]])
    #expect(link.feedServer(Frame.message(3, [1, 2, 3, 4, 5]).bytes) == [.message(3, [1, 2, 3, 4, 5], isLast: false)])
    #expect(link.server.assemblySize == 0)
    #expect(link.server.counts.resourceExhausted == 1)
  }

  @Test("The total size of incomplete messages is limited")
  func assembly() {
    var limits = RPCLimits()
    limits.assemblySizeMax = 100_000
    var link = Link.open(RPCLimits(), limits)
    let piece = [UInt8](repeating: 1, count: 60_000)
    let frames: [Frame] = [.open(1), .open(3), .message(1, piece, flags: 2), .message(3, piece, flags: 2)]
    #expect(link.feedServer(frames.flatMap(\.bytes)).last == .ended(3, .resourceExhausted))
    #expect(link.server.assemblySize == 60_000)
  }

  @Test("The total size of unsent messages is limited: the call that exceeds it ends", arguments: [false, true])
  func backlog(isEncoded: Bool) {
    var limits = RPCLimits()
    limits.backlogSizeMax = 500_000
    var link = Link.open(RPCLimits(), limits)
    let calls = [link.openCall(), link.openCall(), link.openCall()]
    _ = link.exchange()
    let response = [UInt8](repeating: 7, count: 400_000)
    var outcomes: [Connection.SendOutcome] = []
    for id in calls {
      outcomes.append(
        isEncoded
          ? link.server.send(encoded: response, on: id, sizeMax: 1 << 20, at: link.now)
          : link.server.send(on: id, sizeMax: 1 << 20, at: link.now) { $0.append(response) })
    }
    // The part of the first message that fits the output is not counted.
    #expect(outcomes == [.accepted, .over, .over])
    let seen = link.exchange()
    #expect(seen.server == [2, 3].map { .ended(calls[$0 - 1].rawValue, .resourceExhausted) })
    #expect(seen.client.contains(.message(calls[0].rawValue, response, isLast: false)))
    #expect(seen.client.filter { $0 == .ended(calls[1].rawValue, .resourceExhausted) }.count == 1)
    #expect(link.server.backlogSize == 0)
  }

  private final class Account: ByteAccount {
    private(set) var size = 0
    private let sizeMax: Int

    init(sizeMax: Int) { self.sizeMax = sizeMax }

    func reserve(_ size: Int) throws(RPCStatus) {
      guard self.size + size <= sizeMax else { throw RPCStatus(.resourceExhausted, "account-size-max") }
      self.size += size
    }

    func release(_ size: Int) {
      self.size -= size
    }
  }

  @Test("Unsent messages count against the shared budget: the call that exceeds it ends")
  func sharedBacklog() {
    var link = Link.open()
    let account = Account(sizeMax: 150_000)
    link.server.backlogAccount = account
    let calls = (1...3).map { _ in link.openCall() }
    _ = link.exchange()
    let response = [UInt8](repeating: 7, count: 400_000)
    let outcomes = calls.prefix(2).map { link.server.send(encoded: response, on: $0, sizeMax: 1 << 20, at: link.now) }
    #expect(outcomes == [.accepted, .over])
    #expect((100_000...150_000).contains(account.size))
    let seen = link.exchange()
    #expect(seen.server == [.ended(calls[1].rawValue, .resourceExhausted)])
    #expect(seen.client.contains(.message(calls[0].rawValue, response, isLast: false)))
    #expect(account.size == 0)
    _ = link.server.send(encoded: response, on: calls[2], sizeMax: 1 << 20, at: link.now)
    #expect(account.size > 0)
    link.server.endAll(RPCStatus(.cancelled, "over"))
    #expect(account.size == 0)
  }

  @Test("Calls over the announced limit are refused and can be retried; running handlers count")
  func streamLimit() {
    var limits = RPCLimits()
    limits.streamCountMax = 2
    var link = Link.open(RPCLimits(), limits)
    #expect(link.client.peer.streamCountMax == 2)
    let opens = (0..<4).flatMap { Frame.open(UInt32($0 * 2 + 1)).bytes }
    #expect(link.feedServer(opens + Frame.cancel(1).bytes).count == 3)
    #expect(link.serverFrames().map { [UInt32($0.flags), $0.stream] } == [[1, 5], [1, 7]])
    #expect(link.feedServer(Frame.open(9).bytes).isEmpty)
    link.server.finish(StreamID(rawValue: 1), with: .ok)
    #expect(link.feedServer(Frame.open(11).bytes).count == 1)
    #expect(link.server.counts.overStreamLimit == 3)
    link.openCall()
    link.openCall()
    #expect(!link.client.canOpen)
  }

  @Test("Exceeding the credit fails the connection", arguments: [false, true])
  func overCredit(onConnection: Bool) {
    var limits = RPCLimits()
    limits.streamCredit = 16_384
    limits.connectionCredit = onConnection ? 16_384 : 65_536
    var link = Link.open(RPCLimits(), limits)
    let payload = [UInt8](repeating: 0, count: 16_374)
    _ = link.feedServer(Frame.open(1).bytes + Frame.open(3).bytes)
    link.toServer = Frame.message(1, payload).bytes
    _ = link.server.receive(&link.toServer, at: link.now, consuming: false)
    let next = Frame.message(onConnection ? 3 : 1, []).bytes
    #expect(link.feedServer(next) == [.failed(.protocolError, .internalError)])
  }

  @Test(
    "Floods fail the connection; the same number over a longer time does not",
    arguments: [
      (Frame.ping, 100), (Frame(type: 0x80), 1_000), (Frame.credit(0, 1), 10_000),
      (Frame.message(3, [], flags: 2), 1_000), (Frame.cancel(9), 1_000), (Frame.open(1), 20_000),
      (Frame(type: 8, flags: 1, payload: Frame.ping.payload), 1_000), (Frame.message(5, []), 100_000),
    ])
  func floods(frame: Frame, burst: Int) {
    var link = Link.open()
    var limits = RPCLimits()
    limits.streamCountMax = 1
    if frame.type == 2 { link = Link.open(RPCLimits(), limits) }
    var next = UInt32(3)
    _ = link.feedServer(Frame.open(1).bytes + (frame.type == 2 ? [] : Frame.open(3).bytes + Frame.open(9).bytes))
    func one() -> [UInt8] {
      var frame = frame
      if frame.type == 2 {
        frame.stream = next
        next += 2
      }
      return frame.bytes
    }
    for _ in 0..<burst {
      _ = link.feedServer(one())
      _ = link.serverFrames()
    }
    link.now = link.now.advanced(by: .seconds(1))
    #expect(!link.feedServer(one()).contains { $0.isFailure }, "the bucket refills within a second")
    var seen: [Seen] = []
    for _ in 0...(burst + 100_001) where seen.isEmpty { seen = link.feedServer(one()).filter(\.isFailure) }
    #expect(seen == [.failed(.flood, .resourceExhausted)])
  }

  @Test("Three hundred cancelled calls in thirty seconds are not a flood")
  func legitimateCancels() {
    var link = Link.open()
    for index in 0..<300 {
      link.now = link.now.advanced(by: .milliseconds(100))
      let id = UInt32(index * 2 + 1)
      let seen = link.feedServer(Frame.open(id).bytes + Frame.cancel(id).bytes)
      #expect(seen.last == .ended(id, .cancelled))
      link.server.finish(StreamID(rawValue: id), with: .ok)
    }
  }

  @Test("At most one pong is queued, regardless of the number of pings")
  func onePong() {
    var link = Link.open()
    for _ in 0..<50 { _ = link.feedServer(Frame.ping.bytes) }
    #expect(link.serverFrames() == [Frame(type: 8, flags: 1, payload: Frame.ping.payload)])
    _ = link.feedServer(Frame.ping.bytes)
    #expect(link.serverFrames().count == 1)
  }

  @Test(
    "Invalid metadata ends its call with INVALID_ARGUMENT",
    arguments: [
      [UInt8](repeating: 0x78, count: 0), Array("UPPER".utf8), Array("a b".utf8), [0x61, 13, 10], [0x61, 0, 0x62],
      [0xFF], [UInt8](repeating: 0x61, count: 129),
    ])
  func metadataKeys(key: [UInt8]) {
    func varint(_ value: Int) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value & 127 | 128), UInt8(value >> 7)]
    }
    var link = Link.open()
    let pair = [0x0A] + varint(key.count) + key + [0x12, 1, 0x31]
    _ = link.feedServer(Frame.open(1, extra: [0x1A] + varint(pair.count) + pair).bytes)
    let status = link.serverFrames()
    #expect(status.first?.payload.prefix(2) == [0x08, 3])
    #expect(link.server.counts.malformed == 1 && link.server.isOpen)
  }

  @Test("Metadata is limited to 64 pairs and 8 KiB; text values are printable ASCII")
  func metadataSizes() {
    var metadata = Metadata()
    for _ in 0..<64 { metadata.append("k", "v") }
    #expect(metadata.problem == nil)
    metadata.append("k", "v")
    #expect(metadata.problem?.contains("65") == true)
    var large = Metadata()
    large.append("k-bin", bytes: [UInt8](repeating: 0, count: 8_187))
    #expect(large.problem == nil)
    large.append("k", "")
    #expect(large.problem?.contains("8193") == true)
    var text = Metadata()
    text.append("k", "ä")
    #expect(text.problem != nil)
    #expect(text["k"] == "ä" && text["other"] == nil)
  }

  @Test("A timeout of zero or less fails on arrival; a long one is limited")
  func deadlines() {
    var link = Link.open()
    // timeout_us = 0, -1, and the largest.
    let minusOne = [0x10] + [UInt8](repeating: 0xFF, count: 9) + [1]
    let largest = [0x10] + [UInt8](repeating: 0xFF, count: 8) + [0x7F]
    let late = Frame.open(1, extra: [0x10, 0]).bytes + Frame.open(3, extra: minusOne).bytes
    #expect(link.feedServer(late) == [.rejected, .rejected])
    #expect(link.serverFrames().map { $0.payload.prefix(2) } == [[0x08, 4], [0x08, 4]])
    #expect(link.feedServer(Frame.open(5, extra: largest).bytes).count == 1)
    let deadline = link.server.streams[StreamID(rawValue: 5)]?.deadline
    #expect(deadline == link.now.advanced(by: link.server.limits.deadlineMax))
  }
}

@Suite("Time")
struct TimeTests {
  /// Advances the time to the server's next wake-up.
  func wake(_ link: inout Link) -> [Seen] {
    link.now = link.server.wakeUpTime ?? link.now
    link.server.wakeUp(at: link.now)
    return link.feedServer([])
  }

  @Test("A missing or incomplete preface times out after five seconds")
  func handshake() {
    for bytes in [[], Array(Preface.bytes.prefix(7)), Preface.bytes, Preface.bytes + [0]] {
      var link = Link()
      let start = link.now
      #expect(link.feedServer(bytes).isEmpty)
      #expect(wake(&link) == [.failed(.handshakeTimeout, .deadlineExceeded)])
      #expect(start.duration(to: link.now) == .seconds(5))
    }
  }

  @Test("A slow frame times out ten seconds after its first byte")
  func slowFrame() {
    var link = Link.open()
    let start = link.now
    for byte in Frame.message(1, [1, 2, 3]).bytes.prefix(9) {
      #expect(link.feedServer([byte]).isEmpty)
      link.now = link.now.advanced(by: .seconds(1))
      link.server.wakeUp(at: link.now)
    }
    #expect(wake(&link) == [.failed(.frameTimeout, .deadlineExceeded)])
    #expect(start.duration(to: link.now) == .seconds(10))
  }

  @Test(
    "A silent peer is pinged, sooner while calls are open, and then disconnected", arguments: [true, false])
  func keepalive(isBusy: Bool) {
    var link = Link.open()
    let start = link.now
    if isBusy { _ = link.feedServer(Frame.open(1).bytes) }
    #expect(wake(&link).isEmpty)
    #expect(start.duration(to: link.now) == .seconds(isBusy ? 30 : 60))
    #expect(link.serverFrames().map(\.type) == [8])
    #expect(wake(&link) == [.failed(.keepaliveTimeout, .unavailable)])
    #expect(start.duration(to: link.now) == .seconds(isBusy ? 40 : 70))
  }

  @Test("Any input from the peer answers a ping")
  func answeredPing() {
    var link = Link.open()
    _ = wake(&link)
    link.now = link.now.advanced(by: .seconds(9))
    _ = link.feedServer(Frame(type: 8, flags: 1, payload: Frame.ping.payload).bytes)
    let answered = link.now
    _ = link.serverFrames()
    _ = wake(&link)
    #expect(link.server.isOpen)
    #expect(answered.duration(to: link.now) == .seconds(60))
  }

  @Test("A deadline ends its call, and no other, on both sides")
  func deadline() {
    var link = Link.open()
    let late = link.openCall(timeout: .milliseconds(10))
    let other = link.openCall()
    _ = link.exchange()
    let start = link.now
    #expect(wake(&link) == [.ended(1, .deadlineExceeded)])
    #expect(start.duration(to: link.now) == .milliseconds(10))
    #expect(link.server.streamCount == 2, "the handler is still running")
    link.server.finish(late, with: .ok)
    link.client.wakeUp(at: link.now)
    #expect(link.feedClient([]) == [.ended(1, .deadlineExceeded)])
    let rest = link.exchange()
    #expect(rest.client.isEmpty && rest.server.isEmpty)
    #expect(link.client.streamCount == 1 && link.server.streamCount == 1)
    link.server.finish(other, with: .ok)
    #expect(link.exchange().client == [.ended(3, .ok)])
  }

  @Test("A call without credit, or a blocked socket, times out after thirty seconds")
  func stalls() {
    var link = Link.open()
    let call = link.openCall()
    _ = link.exchange()
    let message = [UInt8](repeating: 1, count: 1 << 20)
    #expect(link.server.send(encoded: message, on: call, sizeMax: 1 << 20, at: link.now) == .full)
    _ = link.serverFrames()
    let start = link.now
    link.now = start.advanced(by: .seconds(30))
    link.server.wakeUp(at: link.now)
    #expect(link.feedServer([]) == [.ended(1, .resourceExhausted)])
    #expect(link.server.dequeueWritableStreams() == [call])

    var blocked = Link.open()
    _ = blocked.feedServer(Frame.ping.bytes)
    blocked.server.outputIsBlocked(at: blocked.now)
    blocked.now = blocked.now.advanced(by: .seconds(30))
    blocked.server.wakeUp(at: blocked.now)
    #expect(blocked.feedServer([]) == [.failed(.stalled, .resourceExhausted)])
  }

  @Test("A draining server finishes open calls and ignores later ones")
  func drain() {
    var link = Link.open()
    let call = link.openCall()
    _ = link.exchange()
    link.server.drain(retryAfter: .seconds(2), message: "bye")
    #expect(link.feedServer(Frame.open(3).bytes + Frame.message(3, [1]).bytes).isEmpty)
    #expect(link.exchange().client == [.goAway(1, .unavailable)])
    #expect(!link.server.isDrained)
    link.server.finish(call, with: .ok)
    #expect(link.exchange().client == [.ended(1, .ok)])
    #expect(link.server.isDrained && link.client.isDrained)
  }

  @Test("A token bucket allows exactly its burst, then its rate")
  func bucket() {
    var now = MonotonicTime(nanoseconds: 0)
    var bucket = TokenBucket(.init(burst: 3, perSecond: 2), at: now)
    #expect((0..<5).map { _ in bucket.tryConsume(at: now) } == [true, true, true, false, false])
    var consumed = 0
    for _ in 0..<1_000 {
      now = now.advanced(by: .milliseconds(10))
      if bucket.tryConsume(at: now) { consumed += 1 }
    }
    #expect(consumed == 20)
  }
}
