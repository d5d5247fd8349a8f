import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP

/// The mapping of gRPC to HTTP/2, with a client over libnghttp2.
@Suite("gRPC calls over HTTP/2")
struct GRPCCallTests {
  typealias Field = HTTP2TestClient.Field
  typealias Message = HTTP2TestClient.Message

  private static func fields(_ more: [Field]) -> [Field] { HTTP2TestClient.fields("/a.B/C", more) }

  @Test("A unary call delivers its request with metadata and deadline, and gets a response with trailers")
  func unary() {
    var link = HTTP2Link.open()
    let more = [
      Field("grpc-timeout", "1S"), Field("key", "value"), Field("authorization", "Bearer t"), Field("raw-bin", "AP8"),
    ]
    let call = link.client.request(Self.fields(more))
    link.client.send(Message(bytes: [1, 2]).encoded, on: call, ends: true)
    var metadata = Metadata()
    metadata.append("key", "value")
    metadata.append("authorization", "Bearer t")
    metadata.append("raw-bin", bytes: [0, 255])
    #expect(link.feed(link.client.output()).prefix(1) == [.opened(1, "a.B/C", metadata, hasDeadline: true)])
    #expect(link.server.streams[StreamID(1)]?.deadline == link.now.advanced(by: .seconds(1)))
    link.sendOK(call, [3])
    link.exchange()
    let response = link.response(call)
    #expect(response.head == [Field(":status", "200"), Field("content-type", "application/grpc")])
    #expect(response.messages == [Message(bytes: [3])] && response.trailers == [Field("grpc-status", "0")])
    #expect(response.hasEnded && response.closeCode == 0 && link.server.streamCount == 0)
  }

  @Test("A call with one request gets it with the end of the stream, in whatever frame that is")
  func endOfStream() {
    let message = Message(bytes: [1, 2, 3]).encoded
    for divisions in [
      [message, nil], [message], [Array(message[..<3]), Array(message[3...])],
      [Array(message[..<6]), Array(message[6...]), nil],
    ] as [[[UInt8]?]] {
      var link = HTTP2Link.open()
      let call = link.open(single: true)
      var seen: [Seen] = []
      for (index, part) in divisions.enumerated() {
        seen += link.feed(Frame.data(call, part ?? [], ends: index == divisions.count - 1).bytes)
      }
      #expect(seen == [.message(1, [1, 2, 3], isLast: true)], "\(divisions)")
    }
  }

  @Test("A call that streams gets several messages of one frame, and then the end")
  func streaming() {
    var link = HTTP2Link.open()
    let call = link.open()
    let bytes = [[1], [], [2, 3]].flatMap { Message(bytes: $0).encoded }
    let seen = link.feed(Frame.data(call, bytes, ends: true).bytes)
    let messages: [Seen] = [[1], [], [2, 3]].map { .message(1, $0, isLast: false) }
    #expect(seen == messages + [.halfClosed(1)])
    link.sendOK(call, [4], [5])
    link.exchange()
    #expect(link.response(call).messages == [Message(bytes: [4]), Message(bytes: [5])])
  }

  @Test("Both sides of a bidirectional call send in turn")
  func bidirectional() {
    var link = HTTP2Link.open()
    let call = link.open()
    for number in UInt8(0)..<5 {
      link.client.send(Message(bytes: [number]).encoded, on: call)
      #expect(link.exchange() == [.message(1, [number], isLast: false)])
      _ = link.server.send(on: StreamID(call), sizeMax: 10, at: link.now) { $0.append([number, number]) }
      link.exchange()
      #expect(link.response(call).messages.last == Message(bytes: [number, number]))
    }
    link.client.send([], on: call, ends: true)
    #expect(link.exchange() == [.halfClosed(1)])
    link.server.finish(StreamID(call), with: .ok)
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "0" && link.server.streamCount == 0)
  }

  @Test("An error before any message is one header list that ends the stream")
  func trailersOnly() {
    var link = HTTP2Link.open()
    let call = link.open()
    link.server.finish(StreamID(call), with: RPCStatus(.notFound, "no stack 7"))
    let frames = Frame.parse(link.serverOutput())
    #expect(frames.map(\.type) == [1, 3] && frames[0].flags == 5, "HEADERS with END_STREAM, then RST_STREAM")
    link.client.receive(frames.flatMap(\.bytes))
    let head = [
      Field(":status", "200"), Field("content-type", "application/grpc"), Field("grpc-status", "5"),
      Field("grpc-message", "no stack 7"),
    ]
    #expect(link.response(call).head == head && link.response(call).trailers.isEmpty)
  }

  @Test("An answer before the client has finished is followed by RST_STREAM with NO_ERROR")
  func earlyAnswer() {
    var link = HTTP2Link.open()
    let call = link.open()
    link.sendOK(call, [1])
    let frames = Frame.parse(link.serverOutput())
    #expect(frames.map(\.type) == [1, 0, 1, 3])
    #expect(frames.last?.payload == Frame.number(0))
    #expect(link.server.streamCount == 0)
    // Bytes that were on their way are ignored.
    #expect(link.feed(Frame.data(call, [0, 0, 0, 0, 0], ends: true).bytes).isEmpty && link.server.isOpen)
  }

  @Test("Headers are sent before the first message, once")
  func header() {
    var link = HTTP2Link.open()
    let call = link.open()
    var metadata = Metadata()
    metadata.append("k", "v")
    metadata.append("k-bin", bytes: [0xFF, 0xFE])
    #expect(link.server.sendHeader(metadata, on: StreamID(call)))
    #expect(!link.server.sendHeader(metadata, on: StreamID(call)))
    link.exchange()
    #expect(link.response(call).head.suffix(2) == [Field("k", "v"), Field("k-bin", "//4")])
    link.sendOK(call, [1])
    link.exchange()
    #expect(link.response(call).messages == [Message(bytes: [1])] && link.response(call)["grpc-status"] == "0")
  }

  @Test("A header without messages is followed by trailers, whether or not it was sent before")
  func headerOnly() {
    for drains in [false, true] {
      var link = HTTP2Link.open()
      let call = link.open()
      #expect(link.server.sendHeader(Metadata(), on: StreamID(call)))
      if drains { link.exchange() }
      link.server.finish(StreamID(call), with: RPCStatus(.aborted, ""))
      link.exchange()
      #expect(link.response(call).trailers == [Field("grpc-status", "10")])
      #expect(link.response(call).hasEnded && link.server.streamCount == 0)
    }
  }

  @Test(
    "Only content types of gRPC and Connect are served; others get the HTTP status 415",
    arguments: [
      ("application/grpc", true), ("application/grpc+proto", true), ("Application/GRPC", true),
      ("application/grpc;charset=utf-8", true), ("application/grpc+proto; a=b", true),
      ("application/grpc-web+proto", true), ("application/grpc+foo", false), ("application/grpcfoo", false),
      ("application/grpc-web-text", true), ("application/grpc-web-text+foo", false), ("text/plain", false), ("", false),
      (nil, false),
    ] as [(String?, Bool)])
  func contentTypes(type: String?, isServed: Bool) {
    var link = HTTP2Link.open()
    let call = link.client.request(HTTP2TestClient.fields("/a.B/C", contentType: type))
    let seen = link.exchange()
    if isServed {
      #expect(seen.count == 1 && seen.first != .rejected)
    } else {
      #expect(seen == [.rejected] && link.response(call)["content-type"] == "text/plain; charset=utf-8")
      #expect(link.response(call)[":status"] == "415")
      #expect(link.response(call)["accept-post"]?.hasSuffix(", application/grpc, application/grpc+proto") == true)
      #expect(link.response(call).hasEnded && link.server.counts.malformed == 1)
      // The client, which is still sending, has a moment to read the response.
      #expect(link.wake().isEmpty)
      link.exchange()
      #expect(link.server.streamCount == 0)
    }
  }

  @Test("Another HTTP method gets 405 with the allowed one")
  func methods() {
    for method in ["GET", "PUT", "OPTIONS", "post"] {
      var link = HTTP2Link.open()
      let call = link.client.request(HTTP2TestClient.fields("/a.B/C", method: method), ends: true)
      #expect(link.exchange() == [.rejected])
      #expect(link.response(call).head == [Field(":status", "405"), Field("allow", "POST")])
    }
  }

  @Test("Requests without `te` are served")
  func withoutTE() {
    var link = HTTP2Link.open()
    _ = link.client.request(Self.fields([]).filter { $0.name != "te" })
    #expect(link.exchange() == [.opened(1, "a.B/C", Metadata(), hasDeadline: false)])
  }

  @Test(
    "A timeout of zero is over at once, and a malformed one is an error",
    arguments: [("0n", 4), ("0H", 4), ("1", 3), ("-1S", 3), ("123456789S", 3), ("", 3), ("1S,1S", 3)])
  func timeouts(text: String, code: Int) {
    var link = HTTP2Link.open()
    let call = link.client.request(Self.fields([Field("grpc-timeout", text)]))
    #expect(link.exchange() == [.rejected])
    #expect(link.response(call)["grpc-status"] == String(code) && link.response(call)[":status"] == "200")
    #expect(link.server.counts.late == (code == 4 ? 1 : 0))
  }

  @Test("A long timeout is limited")
  func longTimeout() {
    var link = HTTP2Link.open()
    let call = link.client.request(Self.fields([Field("grpc-timeout", "99999999H")]))
    link.exchange()
    #expect(link.server.streams[StreamID(call)]?.deadline == link.now.advanced(by: link.server.limits.deadlineMax))
  }

  @Test("A deadline ends its call with DEADLINE_EXCEEDED, and no other")
  func deadline() {
    var link = HTTP2Link.open()
    let late = link.open(fields: [Field("grpc-timeout", "10m")])
    let other = link.open()
    let start = link.now
    #expect(link.wake() == [.ended(1, .deadlineExceeded)])
    #expect(start.duration(to: link.now) == .milliseconds(10))
    link.exchange()
    #expect(link.response(late)["grpc-status"] == "4" && link.response(late).hasEnded)
    #expect(link.server.streamCount == 2, "the handler is still running")
    link.server.finish(StreamID(late), with: .ok)
    #expect(link.server.streamCount == 1)
    link.sendOK(other, [1])
    link.exchange()
    #expect(link.response(other)["grpc-status"] == "0")
  }

  @Test("RST_STREAM cancels a call with any code, and its handler counts until it finishes", arguments: [0, 8, 2])
  func cancel(code: UInt32) {
    var link = HTTP2Link.open()
    let call = link.open()
    link.client.reset(call, code: code)
    #expect(link.exchange() == [.ended(1, .cancelled)])
    #expect(link.server.streamCount == 1)
    #expect(link.server.send(encoded: [1], on: StreamID(call), sizeMax: 9, at: link.now) == .over)
    link.server.finish(StreamID(call), with: .ok)
    #expect(link.server.streamCount == 0 && link.serverOutput().isEmpty)
  }

  @Test("A stream that ends inside a message or its prefix fails")
  func truncated() {
    for bytes in [[0, 0, 0, 0, 5, 1, 2], [0, 0, 0]] as [[UInt8]] {
      for single in [true, false] {
        var link = HTTP2Link.open()
        let call = link.open(single: single)
        #expect(link.feed(Frame.data(call, bytes, ends: true).bytes) == [.ended(1, .internalError)])
        link.exchange()
        #expect(link.response(call)["grpc-status"] == "13")
      }
    }
  }

  @Test("A call with one request is UNIMPLEMENTED with none or two")
  func requestCounts() {
    let one = Message(bytes: [1]).encoded
    for frames in [
      [Frame.data(1, [], ends: true)], [Frame.data(1, one + one, ends: true)],
      [Frame.data(1, one), Frame.data(1, one)], [Frame.data(1, one), Frame.data(1, [0])],
    ] {
      var link = HTTP2Link.open()
      let call = link.open(single: true)
      #expect(link.feed(frames.flatMap(\.bytes)) == [.ended(1, .unimplemented)])
      link.server.finish(StreamID(call), with: .ok)
      link.exchange()
      #expect(link.response(call)["grpc-status"] == "12" && link.server.streamCount == 0)
    }
    var link = HTTP2Link.open()
    let call = link.client.request(Self.fields([]), ends: true)
    var offset = 0
    let bytes = link.client.output()
    bytes.withUnsafeBytes { bytes in
      guard case .opened(let opened)? = link.server.receive(bytes, from: &offset, at: link.now) else {
        Issue.record("no call")
        return
      }
      link.server.accept(opened.stream, messageSizeMax: 10, waitsForRequestSince: link.now)
      guard case .ended(_, let status, _)? = link.server.receive(bytes, from: &offset, at: link.now) else {
        Issue.record("the call has not ended")
        return
      }
      #expect(status.code == .unimplemented)
    }
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "12")
  }

  @Test("A compressed message without an encoding is INTERNAL; another encoding is UNIMPLEMENTED")
  func compression() {
    for encoding in [nil, "identity"] {
      var link = HTTP2Link.open()
      let call = link.open(fields: encoding.map { [Field("grpc-encoding", $0)] } ?? [])
      #expect(link.feed(Frame.data(call, [1, 0, 0, 0, 1, 0]).bytes) == [.ended(1, .internalError)])
    }
    for encoding in ["gzip", "deflate", "x"] {
      var link = HTTP2Link.open()
      let call = link.client.request(Self.fields([Field("grpc-encoding", encoding)]))
      #expect(link.exchange() == [.rejected])
      #expect(link.response(call)["grpc-status"] == "12")
      #expect(link.response(call)["grpc-accept-encoding"] == "identity")
    }
  }

  @Test("A message over the limit ends its call from the prefix alone, and no other call")
  func tooLarge() {
    var link = HTTP2Link.open()
    let call = link.open(single: true, messageSizeMax: 100)
    let other = link.open(single: true, messageSizeMax: 100)
    #expect(link.feed(Frame.data(call, [0, 0xFF, 0xFF, 0xFF, 0xFF]).bytes) == [.ended(1, .resourceExhausted)])
    let largest = Message(bytes: [UInt8](repeating: 1, count: 100))
    #expect(
      link.feed(Frame.data(other, largest.encoded, ends: true).bytes) == [.message(3, largest.bytes, isLast: true)])
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "8")
    #expect(link.response(call)["grpc-message"]?.contains("message-size-max (100)") == true)
    #expect(link.server.counts.resourceExhausted == 1)
  }

  @Test("Binary metadata is padded or not, and joined by commas; the order of duplicates is kept")
  func binaryMetadata() {
    var link = HTTP2Link.open()
    _ = link.client.request(
      Self.fields([
        Field("a-bin", "AQ==,Ag"), Field("b", "1"), Field("a-bin", "Aw"), Field("b", "2"), Field("c-bin", ""),
      ]))
    var metadata = Metadata()
    metadata.append("a-bin", bytes: [1])
    metadata.append("a-bin", bytes: [2])
    metadata.append("b", "1")
    metadata.append("a-bin", bytes: [3])
    metadata.append("b", "2")
    metadata.append("c-bin", bytes: [])
    #expect(link.exchange() == [.opened(1, "a.B/C", metadata, hasDeadline: false)])
    for text in ["AQ!", "A", "AQ=", "A Q"] {
      let call = link.client.request(Self.fields([Field("a-bin", text)]))
      #expect(link.exchange() == [.rejected], "\(text)")
      #expect(link.response(call)["grpc-status"] == "3")
      #expect(link.response(call)["grpc-message"] == "metadata[0].value: not base64")
    }
  }

  @Test("Binary metadata may be in the URL-safe alphabet, and its unused bits are ignored")
  func liberalBinaryMetadata() {
    var link = HTTP2Link.open()
    let texts: [(String, [UInt8])] = [
      ("+/8", [0xFB, 0xFF]), ("-_8", [0xFB, 0xFF]), ("AR", [1]), ("AR==", [1]), ("AQJ=", [1, 2]),
    ]
    for (index, (text, bytes)) in texts.enumerated() {
      _ = link.client.request(Self.fields([Field("a-bin", text)]))
      var metadata = Metadata()
      metadata.append("a-bin", bytes: bytes)
      let opened = link.exchange()
      #expect(opened == [.opened(UInt32(2 * index + 1), "a.B/C", metadata, hasDeadline: false)], "\(text)")
    }
  }

  @Test("A value that is not printable ASCII, and a key that gRPC does not allow, are dropped")
  func droppedMetadata() {
    var link = HTTP2Link.open()
    _ = link.client.request(
      Self.fields([
        Field("a", "ä"), Field("b", " x\t"), Field("c~", "1"), Field("grpc-other", "1"),
        Field("content-length", "9"), Field("cookie", "s=1"), Field("d", "\tk\u{80}"),
      ]))
    var metadata = Metadata()
    metadata.append("b", "x")
    #expect(link.exchange() == [.opened(1, "a.B/C", metadata, hasDeadline: false)])
  }

  @Test("A call's parameters are independent of the call before it")
  func openings() {
    var link = HTTP2Link.open()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let method = ["a.B/C", "a.B/D", "a.B/CC"].randomElement(using: &generator)!
      var (metadata, fields): (Metadata, [Field]) = (Metadata(), [])
      for key in ["k", "l", "m"].prefix(Int.random(in: 0...3, using: &generator)) {
        let value = Bool.random(using: &generator) ? "1" : "2"
        metadata.append(key, value)
        fields.append(Field(key, value))
      }
      let hasDeadline = Bool.random(using: &generator)
      if hasDeadline { fields.append(Field("grpc-timeout", "3S")) }
      let call = link.client.request(HTTP2TestClient.fields("/" + method, fields))
      #expect(link.exchange() == [.opened(UInt32(call), method, metadata, hasDeadline: hasDeadline)])
      link.sendOK(call)
      link.exchange()
      #expect(link.response(call)["grpc-status"] == "0")
    }
  }

  @Test("An unknown method is UNIMPLEMENTED with the HTTP status 200")
  func unknownMethods() {
    for path in ["/", "/a", "a.B/C", "/" + String(repeating: "x", count: 257), "/a.B/\u{FF}", "*"] {
      var link = HTTP2Link.open()
      let call = link.client.request(HTTP2TestClient.fields(path))
      let seen = link.exchange()
      if seen == [.rejected] {
        #expect(link.response(call)["grpc-status"] == "12" && link.response(call)[":status"] == "200", "\(path)")
      } else {
        #expect(link.response(call).closeCode != nil || seen.count == 1, "\(path): \(seen)")
      }
    }
    var link = HTTP2Link.open()
    let call = link.client.request(HTTP2TestClient.fields("/a.B/Unknown"))
    link.exchange()
    link.server.reject(StreamID(call), with: RPCStatus(.unimplemented, "unknown method"), at: link.now)
    link.exchange()
    #expect(link.response(call)["grpc-status"] == "12" && link.response(call)[":status"] == "200")
  }

  @Test("A refusal before any message is RST_STREAM with REFUSED_STREAM, which clients retry")
  func refusal() {
    var link = HTTP2Link.open()
    let call = link.open()
    var status = RPCStatus(.unavailable, "later")
    status.isRefusal = true
    link.server.finish(StreamID(call), with: status)
    #expect(Frame.parse(link.serverOutput()) == [Frame(type: 3, stream: call, payload: Frame.number(7))])
    #expect(link.server.streamCount == 0)
  }

  @Test("A gRPC-Web response ends with a message that contains the trailers")
  func web() {
    var link = HTTP2Link.open()
    let call = link.open(contentType: "application/grpc-web+proto")
    _ = link.server.send(encoded: [7], on: StreamID(call), sizeMax: 9, at: link.now)
    link.server.finish(StreamID(call), with: RPCStatus(.aborted, "50 %"))
    link.exchange()
    let response = link.response(call)
    #expect(response["content-type"] == "application/grpc-web+proto" && response.trailers.isEmpty && response.hasEnded)
    let trailers = Array("grpc-status: 10\r\ngrpc-message: 50 %25\r\n".utf8)
    #expect(response.messages == [Message(bytes: [7]), Message(flag: 0x80, bytes: trailers)])
    let failed = link.open(contentType: "application/grpc-web")
    link.server.finish(StreamID(failed), with: RPCStatus(.notFound, ""))
    link.exchange()
    #expect(link.response(failed)["grpc-status"] == "5")
    #expect(link.wake().isEmpty)
    link.exchange()
    #expect(link.server.streamCount == 0)
  }
}
