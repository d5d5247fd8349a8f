import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP

@Suite("Time on an HTTP/2 connection")
struct HTTP2TimeTests {
  typealias Message = HTTP2TestClient.Message

  @Test("A missing or incomplete preface, or missing settings, time out after five seconds")
  func handshake() {
    for bytes in [[], Array(HTTP2Connection.preface.prefix(7)), HTTP2Connection.preface] {
      var link = HTTP2Link()
      let start = link.now
      #expect(link.feed(bytes).isEmpty)
      #expect(link.wake() == [.failed(.handshakeTimeout, .deadlineExceeded)])
      #expect(start.duration(to: link.now) == .seconds(5))
      #expect(link.serverOutput().isEmpty == (bytes.count < HTTP2Connection.preface.count))
    }
  }

  @Test("A slow frame, and a header block without an end, time out ten seconds after the first byte")
  func slowFrames() {
    var block = Frame.headers(1)
    block.flags = 0
    let continuation = Frame(type: 9, stream: 1, payload: [0])
    for bytes in [Array(Frame.ping.bytes.prefix(9)), block.bytes + continuation.bytes.prefix(8)] {
      var link = HTTP2Link.open()
      let start = link.now
      for (index, byte) in bytes.enumerated() {
        #expect(link.feed([byte]).isEmpty)
        if index < 9 { link.now = link.now.advanced(by: .seconds(1)) }
        link.server.wakeUp(at: link.now)
      }
      #expect(link.wake() == [.failed(.frameTimeout, .deadlineExceeded)])
      #expect(start.duration(to: link.now) == .seconds(10))
    }
  }

  @Test(
    "A silent peer is pinged, sooner while calls are open, and then disconnected", arguments: [true, false])
  func keepalive(isBusy: Bool) {
    var link = HTTP2Link.open()
    if isBusy { _ = link.open() }
    let start = link.now
    #expect(link.wake().isEmpty)
    #expect(start.duration(to: link.now) == .seconds(isBusy ? 30 : 60))
    #expect(Frame.parse(link.serverOutput()).map(\.type) == [6])
    let seen = link.wake()
    #expect(seen == [.failed(.keepaliveTimeout, .unavailable)])
    #expect(start.duration(to: link.now) == .seconds(isBusy ? 40 : 70))
  }

  @Test("A client that answers pings stays connected")
  func answeredPings() {
    var link = HTTP2Link.open()
    for _ in 0..<10 {
      #expect(link.wake().isEmpty)
      link.exchange()
      #expect(link.server.isOpen)
    }
  }

  @Test("Each of a client's pings is answered")
  func pongs() {
    var link = HTTP2Link.open()
    link.client.ping()
    link.exchange()
    #expect(link.client.pongCount == 1)
    for _ in 0..<50 { _ = link.feed(Frame.ping.bytes) }
    #expect(Frame.parse(link.serverOutput()).map(\.type) == [UInt8](repeating: 6, count: 50))
  }

  @Test("A client may measure a round trip after every response, however many")
  func roundTrips() {
    var link = HTTP2Link.open()
    for _ in 0..<500 {
      let call = link.open()
      link.sendOK(call, [1])
      link.client.ping()
      link.exchange()
      #expect(link.server.isOpen)
    }
    #expect(link.client.pongCount == 500)
  }

  @Test("A call without credit, or a blocked socket, times out after thirty seconds")
  func stalls() {
    for isFinished in [false, true] {
      var link = HTTP2Link.open()
      link.client.grantsCredit = false
      let call = link.open()
      let message = [UInt8](repeating: 1, count: 100_000)
      _ = link.server.send(encoded: message, on: StreamID(call), sizeMax: 1 << 20, at: link.now)
      if isFinished { link.server.finish(StreamID(call), with: .ok) }
      link.exchange()
      link.now = link.now.advanced(by: .seconds(30))
      link.server.wakeUp(at: link.now)
      #expect(link.exchange() == (isFinished ? [] : [.ended(1, .resourceExhausted)]))
      #expect(link.response(call)["grpc-status"] == "8" && link.server.backlogSize == 0)
    }
    var blocked = HTTP2Link.open()
    _ = blocked.feed(Frame.ping.bytes)
    blocked.server.outputIsBlocked(at: blocked.now)
    blocked.now = blocked.now.advanced(by: .seconds(30))
    blocked.server.wakeUp(at: blocked.now)
    #expect(blocked.feed([]) == [.failed(.stalled, .resourceExhausted)])
  }

  @Test("A stream with credit may wait as long as others of its connection make progress")
  func sharedSocket() {
    var limits = RPCLimits()
    limits.outputSizeMax = 16_384
    var link = HTTP2Link.open(limits)
    let calls = (0..<8).map { _ in link.open() }
    for call in calls { link.sendOK(call, [UInt8](repeating: 1, count: 60_000)) }
    // The client reads a part every four seconds, and grants it again.
    for _ in 0..<100 {
      var part: [UInt8] = []
      link.server.drainOutput(at: link.now) { part += $0 }
      link.client.receive(part)
      link.now = link.now.advanced(by: .seconds(4))
      link.server.wakeUp(at: link.now)
      #expect(link.feed(link.client.output()).isEmpty)
    }
    for call in calls {
      #expect(link.response(call).messages.first?.bytes.count == 60_000 && link.response(call)["grpc-status"] == "0")
    }
  }

  @Test("A gRPC-Web response whose trailers cannot be sent is reset")
  func stalledTrailers() {
    var link = HTTP2Link.open()
    link.client.grantsCredit = false
    let call = link.open(contentType: "application/grpc-web")
    let message = [UInt8](repeating: 1, count: 65_530)
    _ = link.server.send(encoded: message, on: StreamID(call), sizeMax: 1 << 20, at: link.now)
    link.exchange()
    link.server.finish(StreamID(call), with: .ok)
    link.exchange()
    link.now = link.now.advanced(by: .seconds(31))
    link.server.wakeUp(at: link.now)
    link.exchange()
    #expect(link.response(call).closeCode == 2 && link.server.streamCount == 0)
  }

  @Test("A single request must begin within ten seconds, and its stream must end in as many")
  func slowRequests() {
    for bytes in [[], Message(bytes: [1]).encoded] {
      var link = HTTP2Link.open()
      let call = link.open(single: true)
      let start = link.now
      _ = link.feed(Frame.data(call, bytes).bytes)
      #expect(link.wake() == [.ended(1, .resourceExhausted)])
      #expect(start.duration(to: link.now) == .seconds(10))
    }
    var link = HTTP2Link.open()
    _ = link.open()
    link.now = link.now.advanced(by: .seconds(20))
    link.server.wakeUp(at: link.now)
    #expect(link.feed([]).isEmpty, "a call that streams may wait")
  }

  @Test("A slow message times out, and a message that keeps its rate does not")
  func slowMessages() {
    for rate in [1_000, 5_000] {
      var link = HTTP2Link.open()
      let call = link.open()
      let bytes = Message(bytes: [UInt8](repeating: 1, count: 400_000)).encoded
      var seen: [Seen] = []
      for start in stride(from: 0, to: bytes.count, by: rate) where seen.isEmpty {
        seen += link.feed(Frame.data(call, Array(bytes[start..<min(start + rate, bytes.count)])).bytes)
        _ = link.serverOutput()
        link.now = link.now.advanced(by: .seconds(1))
        link.server.wakeUp(at: link.now)
        seen += link.feed([])
      }
      if rate == 1_000 {
        #expect(seen == [.ended(1, .resourceExhausted)])
      } else {
        #expect(seen == [.message(1, Array(bytes.dropFirst(5)), isLast: false)])
      }
    }
  }

  @Test("A draining server accepts the requests of a round trip, then finishes the open calls")
  func drain() {
    var link = HTTP2Link.open()
    let call = link.open()
    link.server.drain(retryAfter: .seconds(2), message: "bye")
    let announcement = link.serverOutput()
    #expect(Frame.parse(announcement).map(\.type) == [7, 6])
    // A request that was on its way.
    let late = link.client.request(HTTP2TestClient.fields("/a.B/C"))
    #expect(link.feed(link.client.output()) == [.opened(UInt32(late), "a.B/C", Metadata(), hasDeadline: false)])
    link.client.receive(announcement)
    link.exchange()
    let (largest, text) = (Int32(0x7FFF_FFFF), "bye")
    #expect(link.client.goAways.map(\.lastStream) == [largest, late])
    #expect(link.client.goAways.map(\.code) == [0, 0] && link.client.goAways.last?.text == text)
    #expect(link.feed(Frame.headers(9).bytes + Frame.data(9, [1]).bytes).isEmpty && !link.server.isDrained)
    link.sendOK(call, [1])
    link.sendOK(late, [2])
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "0" && link.response(late)["grpc-status"] == "0")
    #expect(link.server.isDrained)
  }

  @Test("A client that does not answer cannot delay a drain by more than the time of a ping", arguments: [true, false])
  func unansweredDrain(isSilent: Bool) {
    var link = HTTP2Link.open()
    link.server.drain(retryAfter: .zero, message: "bye")
    _ = link.serverOutput()
    #expect(!link.server.isDrained)
    link.now = link.now.advanced(by: link.server.limits.pingTimeMax)
    if !isSilent { _ = link.feed(Frame.windowUpdate(0, 1).bytes) }
    link.server.wakeUp(at: link.now)
    let seen = link.feed([])
    #expect(seen == (isSilent ? [.failed(.keepaliveTimeout, .unavailable)] : []))
    #expect(Frame.parse(link.serverOutput()).map(\.type).contains(7))
    #expect(link.server.isDrained == !isSilent)
    let early = HTTP2Link()
    early.server.drain(retryAfter: .zero, message: "bye")
    #expect(early.server.isDrained)
  }

  @Test("A client that announces its end is drained after its calls")
  func clientGoAway() {
    var link = HTTP2Link.open()
    let call = link.open()
    link.client.goAway()
    #expect(link.exchange().isEmpty && !link.server.isDrained)
    link.sendOK(call, [1])
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "0" && link.server.isDrained)
  }

  @Test("Ending all calls, and the connection, notifies the client")
  func ends() {
    var link = HTTP2Link.open()
    let calls = (0..<2).map { _ in link.open() }
    link.server.endAll(RPCStatus(.deadlineExceeded, "shut down"))
    #expect(link.exchange() == [.ended(1, .deadlineExceeded), .ended(3, .deadlineExceeded)])
    #expect(calls.allSatisfy { link.response($0)["grpc-status"] == "4" })
    link.server.end(.evicted, RPCStatus(.resourceExhausted, "evicted"))
    #expect(link.feed([]) == [.failed(.evicted, .resourceExhausted)])
    link.client.receive(link.serverOutput())
    #expect(link.client.goAways.last?.text == "evicted")
    for call in calls { link.server.finish(StreamID(call), with: .ok) }
    #expect(link.server.streamCount == 0 && link.server.wakeUpTime == nil)
  }

  @Test("Too many denied calls end a connection without other calls")
  func deniedCalls() {
    var link = HTTP2Link.open()
    var seen: [Seen] = []
    let other = link.open()
    for _ in 0..<600 {
      let call = link.client.request(HTTP2TestClient.fields("/a.B/C"), ends: true)
      link.exchange()
      link.server.reject(StreamID(call), with: RPCStatus(.unauthenticated, ""), at: link.now)
      #expect(link.exchange().isEmpty)
    }
    link.sendOK(other, [1])
    link.client.send([], on: other, ends: true)
    link.exchange()
    #expect(link.response(other)["grpc-status"] == "0")
    #expect(deniedUntilFailure(HTTP2Link.open()) == 20_501)
    for _ in 0..<502 where seen.isEmpty {
      let call = link.client.request(HTTP2TestClient.fields("/a.B/C"))
      link.exchange()
      link.server.reject(StreamID(call), with: RPCStatus(.unauthenticated, ""), at: link.now)
      seen = link.exchange()
    }
    #expect(seen == [.failed(.flood, .resourceExhausted)])
    #expect(link.client.goAways.last?.code == 11)
  }

  /// Returns the number of denied calls with which a connection fails that has another call.
  private func deniedUntilFailure(_ connected: HTTP2Link) -> Int {
    var (link, count) = (connected, 0)
    _ = link.open()
    while link.server.isOpen, count < 30_000 {
      let call = link.client.request(HTTP2TestClient.fields("/a.B/C"), ends: true)
      link.exchange()
      link.server.reject(StreamID(call), with: RPCStatus(.unauthenticated, ""), at: link.now)
      link.exchange()
      count += 1
    }
    return count
  }

  @Test("A rejected connection gets settings and a GOAWAY")
  func rejection() {
    let client = HTTP2TestClient()
    client.receive(HTTP2Connection.rejection(RPCStatus(.resourceExhausted, "too many connections")))
    #expect(client.goAways == [HTTP2TestClient.GoAway(lastStream: 0, code: 11, text: "too many connections")])
  }
}
