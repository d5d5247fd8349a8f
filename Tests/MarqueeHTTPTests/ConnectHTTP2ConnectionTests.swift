import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP

@Suite("Connect over HTTP/2, without sockets")
struct ConnectHTTP2ConnectionTests {
  private static let unary = "application/proto"
  private static let stream = "application/connect+proto"

  @Test("A request is the same in pieces of any size", arguments: [1, 2, 5, 7, 1_000])
  func pieces(size: Int) {
    var link = HTTP2Link.open()
    link.pieceSize = size
    let body = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    for (type, sent) in [(Self.unary, body), (Self.stream, HTTP2TestClient.Message(bytes: body).encoded)] {
      let call = link.open(contentType: type, single: true)
      link.client.send(sent, on: call, ends: true)
      let seen = link.exchange()
      #expect(seen == [.message(UInt32(call), body, isLast: true)])
      #expect(link.server.connectFormat(of: StreamID(call))?.isStream == (type == Self.stream))
      link.sendOK(call, [1, 2])
      link.exchange()
      let response = link.response(call)
      #expect(response[":status"] == "200" && response["content-type"] == type && response.hasEnded)
      if type == Self.unary {
        #expect(response.body == [1, 2] && response.trailers.isEmpty)
      } else {
        #expect(response.messages == [.init(bytes: [1, 2]), .init(flag: 2, bytes: Array("{}".utf8))])
      }
    }
    #expect(link.server.streamCount == 0)
  }

  @Test("A response whose status is an error is dropped, and its metadata is sent on every response")
  func metadata() {
    var link = HTTP2Link.open()
    let call = link.open(contentType: Self.unary, single: true)
    var header = Metadata()
    header.append("seen", "yes")
    let isSent = link.server.sendHeader(header, on: StreamID(call))
    _ = link.server.send(encoded: [1, 2, 3], on: StreamID(call), sizeMax: 100, at: link.now)
    let isLate = link.server.sendHeader(header, on: StreamID(call))
    #expect(isSent && !isLate && link.server.backlogSize(of: StreamID(call)) == 3)
    var status = RPCStatus(.aborted, "no")
    status.metadata.append("reason", "asked")
    link.server.finish(StreamID(call), with: status)
    link.exchange()
    let response = link.response(call)
    #expect(response[":status"] == "409" && response["seen"] == "yes" && response["trailer-reason"] == "asked")
    #expect(String(decoding: response.body, as: UTF8.self) == #"{"code":"aborted","message":"no"}"#)
    #expect(response.closeCode == 0 || response.closeCode == nil)
  }

  @Test("Unread responses count as unsent, and are reset after the time without progress")
  func unreadResponses() {
    var link = HTTP2Link.open(clientSettings: [(4, 0)])
    let account = Account(sizeMax: 1 << 20)
    link.server.backlogAccount = account
    let call = link.open(contentType: Self.unary, single: true)
    link.client.send([1], on: call, ends: true)
    link.exchange()
    link.sendOK(call, [UInt8](repeating: 1, count: 100_000))
    link.exchange()
    #expect(account.size > 80_000 && link.server.streamCount == 1 && link.server.callCount == 0)
    for _ in 0..<20 where link.server.streamCount > 0 {
      _ = link.wake()
      link.exchange()
    }
    #expect(link.response(call).closeCode == 2 && link.server.streamCount == 0 && account.size == 0)
  }

  @Test("A client that is still sending has a second to read its response; one of gRPC is stopped at once")
  func earlyResponses() {
    for (type, time) in [(Self.unary, Duration.seconds(1)), (Self.stream, .seconds(1)), ("application/grpc", .zero)] {
      var link = HTTP2Link.open()
      let call = link.open(contentType: type, single: true)
      link.client.send([0, 0, 0], on: call)
      link.exchange()
      link.server.finish(StreamID(call), with: RPCStatus(.aborted, "no"))
      link.exchange()
      #expect(link.response(call).hasEnded && link.server.streamCount == (time > .zero ? 1 : 0))
      // What follows is dropped.
      link.client.send([UInt8](repeating: 1, count: 10_000), on: call)
      let start = link.now
      #expect(link.exchange().isEmpty)
      while link.server.streamCount > 0 {
        #expect(link.wake().isEmpty)
        link.exchange()
      }
      #expect(start.duration(to: link.now) == time && link.response(call).closeCode == 0)
    }
  }

  @Test("A response that a client cancels is not kept")
  func cancelledResponses() {
    var link = HTTP2Link.open(clientSettings: [(4, 0)])
    let account = Account(sizeMax: 1 << 20)
    link.server.backlogAccount = account
    for _ in 0..<50 {
      let call = link.open(contentType: Self.unary, single: true)
      link.client.send([1], on: call, ends: true)
      link.exchange()
      link.sendOK(call, [UInt8](repeating: 1, count: 100_000))
      link.exchange()
      link.client.reset(call)
      link.exchange()
    }
    #expect(account.size == 0 && link.server.streamCount == 0 && link.server.isOpen)
  }

  @Test("Bytes of incomplete bodies are limited, and returned when the call ends")
  func assembly() {
    var limits = RPCLimits()
    (limits.messageSizeMax, limits.assemblySizeMax) = (40_000, 50_000)
    var link = HTTP2Link.open(limits)
    let account = Account(sizeMax: 1 << 20)
    link.server.assemblyAccount = account
    let first = link.open(contentType: Self.unary, single: true)
    let second = link.open(contentType: Self.stream, single: true)
    link.client.send([UInt8](repeating: 1, count: 30_000), on: first)
    link.exchange()
    #expect(account.size == 30_000)
    link.client.send([0, 0, 0, 0x80, 0] + [UInt8](repeating: 1, count: 30_000), on: second)
    let seen = link.exchange()
    #expect(seen.count == 1)
    link.server.finish(StreamID(second), with: .ok)
    link.exchange()
    #expect(link.response(second)[":status"] == "200")
    #expect(
      link.response(second).messages.last.map { String(decoding: $0.bytes, as: UTF8.self) }?.contains(
        "assembly-size-max") == true)
    #expect(account.size == 30_000)
    link.client.reset(first)
    link.exchange()
    link.server.finish(StreamID(first), with: .ok)
    _ = link.wake()
    link.exchange()
    #expect(account.size == 0 && link.server.streamCount == 0)
  }
}
