import Testing

@testable import MarqueeRPC

@Suite("Redirection in the call protocol")
struct MovedTests {
  private static let moved = Moved(endpoint: "tcp:b:1", node: "\u{FC}")

  @Test("The detail is encoded as marquee.rpc.v1.Moved, and read again with fields that follow")
  func encoding() {
    let detail = Self.moved.detail
    #expect(detail.typeURL == "type.googleapis.com/marquee.rpc.v1.Moved")
    #expect(detail.value == [0x0A, 7] + Array("tcp:b:1".utf8) + [0x12, 2, 0xC3, 0xBC])
    #expect(Moved(detail) == Self.moved)
    #expect(Moved(StatusDetail(typeURL: detail.typeURL, value: detail.value + [0x18, 1])) == Self.moved)
    for count in 0..<detail.value.count {
      #expect(Moved(StatusDetail(typeURL: detail.typeURL, value: Array(detail.value.prefix(count)))) == nil)
    }
    for value in [[0x0A, 1, 0xFF, 0x12, 0], [0x12, 0, 0x0A, 0]] as [[UInt8]] {
      #expect(Moved(StatusDetail(typeURL: detail.typeURL, value: value)) == nil)
    }
    #expect(Moved(StatusDetail(typeURL: "t", value: detail.value)) == nil)
  }

  @Test("Only a refusal names another server")
  func refusal() {
    let details = [StatusDetail(typeURL: "t", value: []), Self.moved.detail]
    #expect(RPCStatus(.unavailable, "a", details: details).moved == nil)
    #expect(RPCStatus(.unavailable, "a", details: details, isRefusal: true).moved == Self.moved)
    #expect(RPCStatus(.unavailable, "a", details: [], isRefusal: true).moved == nil)
  }

  @Test("A client announces that it follows it, which the server knows of each call; a server never does")
  func settings() {
    for accepts in [true, false] {
      var link = Link()
      link.client = Connection(
        .client, acceptsMoved: accepts, arena: DecodeArena(), scratch: EncodeScratch(), at: link.now)
      _ = link.exchange()
      #expect(link.server.peer.acceptsMoved == accepts && !link.client.peer.acceptsMoved)
      _ = link.client.open(method: "a.B/C", deadline: nil, metadata: Metadata(), messageSizeMax: 10, at: link.now)
      var (bytes, offset, accepted) = (link.client.drainAll(at: link.now), 0, [Bool]())
      bytes.withUnsafeMutableBytes { bytes in
        while case .opened(let call)? = link.server.receive(UnsafeRawBufferPointer(bytes), from: &offset, at: link.now)
        {
          accepted.append(call.acceptsMoved)
        }
      }
      #expect(accepted == [accepts])
    }
  }

  @Test("The status of a call that no handler has seen is flagged, with its details")
  func flag() {
    for isRefusal in [true, false] {
      var link = Link.open()
      link.openCall()
      _ = link.exchange()
      let status = RPCStatus(.unavailable, "elsewhere", details: [Self.moved.detail], isRefusal: isRefusal)
      link.server.finish(StreamID(rawValue: 1), with: status)
      let (bytes, now) = (link.server.drainAll(at: link.now), link.now)
      var offset = 0
      bytes.withUnsafeBytes { bytes in
        guard case .ended(_, let ended, _)? = link.client.receive(bytes, from: &offset, at: now) else {
          Issue.record("the call has not ended")
          return
        }
        #expect(ended == status)
      }
    }
  }
}
