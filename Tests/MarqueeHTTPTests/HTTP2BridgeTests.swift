import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

/// The bridge with which tests call servers in gRPC.
@Suite("Bridge from the native protocol to gRPC")
struct HTTP2BridgeTests {
  private typealias Seen = BridgedLink.Seen

  /// Sends a message of the client.
  private func send(_ bytes: [UInt8], on id: StreamID, _ link: BridgedLink) -> Connection.SendOutcome {
    link.client.send(on: id, sizeMax: .max, at: link.now) { $0.append(bytes) }
  }

  private func ready() -> BridgedLink {
    let link = BridgedLink()
    link.exchange()
    return link
  }

  @Test("A call passes metadata, deadline, header, messages of any division, and status with details")
  func call() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var sampler = Sampler(seed: seed)
      let link = BridgedLink(splitting: sampler)
      link.exchange()
      var metadata = Metadata()
      metadata.append("key", "value")
      metadata.append("raw-bin", bytes: [0, 255, 7])
      let id = link.open(metadata, timeout: .milliseconds(1_500))
      let sizes = [0, 1, 5, 70_000, sampler.number(in: 0...300_000)]
      let requests = sizes.map { [UInt8](repeating: UInt8($0 & 255), count: $0) }
      for request in requests {
        #expect(send(request, on: id, link) != .over)
        link.exchange()
      }
      link.client.closeSending(id, at: link.now)
      link.exchange()
      let messages = requests.map { Seen.message(id, $0) }
      let opened = Seen.opened(id, "a.B/C", metadata, timeout: .milliseconds(1_500))
      var expected: [Seen] = [.ready, opened]
      expected += messages
      expected.append(.halfClosed(id))
      #expect(link.serverSeen == expected)
      #expect(link.server.sendHeader(metadata, on: id))
      for request in requests { _ = link.server.send(encoded: request, on: id, sizeMax: .max, at: link.now) }
      let detail = StatusDetail(typeURL: "type.googleapis.com/a.B", value: [1, 2, 3, 4])
      let status = RPCStatus(.notFound, "no “stack” 100 %", details: [detail], metadata: metadata)
      link.server.finish(id, with: status)
      link.exchange()
      expected = [.ready, .header(id, metadata)]
      expected += messages
      expected.append(.ended(id, status))
      #expect(link.clientSeen == expected)
      #expect(link.bridge.violations.isEmpty && link.server.streamCount == 0 && link.client.streamCount == 0)
    }
  }

  @Test("A receiver that does not read holds the sender up, in both directions, until it reads")
  func backpressure() {
    for isServer in [true, false] {
      let link = ready()
      link.serverReads = false
      link.clientReads = false
      let id = link.open()
      link.exchange()
      let message = [UInt8](repeating: 1, count: 50_000)
      var sentCount = 0
      while sentCount < 1_000 {
        let outcome: Connection.SendOutcome
        if isServer {
          outcome = link.server.send(encoded: message, on: id, sizeMax: .max, at: link.now)
        } else {
          outcome = send(message, on: id, link)
        }
        sentCount += 1
        link.exchange()
        if outcome != .accepted { break }
      }
      #expect((10...60).contains(sentCount), "\(sentCount) messages of the \(isServer ? "server" : "client")")
      #expect(link.server.isOpen && link.client.isOpen && link.bridge.violations.isEmpty)
    }
  }

  @Test("A client that cancels a call resets the stream; a refused, cancelled or failed stream ends the call")
  func ends() {
    let link = ready()
    let cancelled = link.open()
    link.exchange()
    link.client.cancel(cancelled)
    link.exchange()
    #expect(link.serverSeen.last == .ended(cancelled, RPCStatus(.cancelled, "cancelled by the client")))
    link.server.finish(cancelled, with: .ok)
    let refused = link.open()
    link.exchange()
    var refusal = RPCStatus(.unavailable, "later")
    refusal.isRefusal = true
    link.server.finish(refused, with: refusal)
    link.exchange()
    #expect(link.clientSeen.last == .ended(refused, RPCStatus(.unavailable, "the server refused the stream")))
    #expect(link.bridge.violations.isEmpty && link.server.streamCount == 0)
  }

  @Test("A client that drains keeps its open calls, and a server that drains announces it to the client")
  func drain() {
    for isServer in [true, false] {
      let link = ready()
      let id = link.open()
      if isServer {
        link.exchange()
        link.server.drain(retryAfter: .seconds(1), message: "bye")
      } else {
        link.client.drain(retryAfter: .zero, message: "")
      }
      link.exchange()
      _ = link.server.send(encoded: [1], on: id, sizeMax: .max, at: link.now)
      link.server.finish(id, with: .ok)
      link.exchange()
      var expected: [Seen] = [.ready]
      if isServer { expected.append(.goAway("the server accepts no more calls")) }
      expected += [.header(id, Metadata()), .message(id, [1]), .ended(id, .ok)]
      #expect(link.clientSeen == expected)
    }
  }

  @Test("A server that fails the connection is reported as a violation, and the client gets the reason")
  func failure() {
    let link = ready()
    _ = link.open()
    link.exchange()
    link.server.end(.flood, RPCStatus(.resourceExhausted, "too many frames"))
    link.exchange()
    #expect(link.clientSeen.contains(.goAway("too many frames")) && link.bridge.isOver)
    #expect(link.bridge.violations.count == 1)
  }

  @Test("A silent server is pinged, and given up if it does not answer")
  func silence() {
    let link = ready()
    #expect(link.bridge.wakeUpTime == link.now.advanced(by: .seconds(60)))
    link.advance(by: .seconds(60))
    link.bridge.wakeUp(at: link.now)
    link.exchange()
    #expect(!link.bridge.isOver)
    link.advance(by: .seconds(200))
    link.bridge.wakeUp(at: link.now)
    _ = link.bridge.outputToServer(at: link.now)
    link.advance(by: .seconds(10))
    link.bridge.wakeUp(at: link.now)
    #expect(link.bridge.isOver)
  }
}
