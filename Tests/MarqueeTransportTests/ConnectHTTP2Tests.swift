import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Connect calls through a socket in HTTP/2", .timeLimit(.minutes(1)))
struct ConnectHTTP2Tests {
  private static let json = "application/json"
  private static let stream = "application/connect+proto"

  /// Runs a server with the test methods, and a client.
  private static func run(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (EchoServer, inout GRPCRawClient) async throws -> Void
  ) async throws -> ServerCounts {
    var configuration = ServerConfiguration()
    change(&configuration)
    let server = try await EchoServer(configuration: configuration)
    var client = try await GRPCRawClient(server.endpoint)
    try await body(server, &client)
    // A call of gRPC shows that the connection is unaffected.
    client.call(99, Methods.echo.path, [9])
    let last = await client.response(of: 99)
    #expect(last.messages == [[9]] && last.code == "0")
    try await client.close()
    await server.shutDown()
    #expect(server.server.assemblySizes.all == 0 && server.server.backlogSizes.all == 0)
    return server.server.statistics
  }

  @Test("Unary calls are served in both codecs, beside gRPC on one connection")
  func unary() async throws {
    let counts = try await Self.run { _, client in
      var stream: UInt32 = 1
      for method in [Methods.echo, Methods.echoNow] {
        let proto = await client.answer(stream, method.path, [1, 2])
        #expect(proto.status == 200 && proto.body == [1, 2] && proto["content-type"] == "application/proto")
        #expect(proto["content-length"] == "2" && proto["vary"] == nil)
        client.call(stream + 2, method.path, [3])
        let grpc = await client.response(of: stream + 2)
        #expect(grpc.messages == [[3]] && grpc.code == "0")
        let json = await client.answer(
          stream + 4, method.path, Array("[3,4]".utf8), type: "application/json; charset=utf-8")
        #expect(json.status == 200 && json.text == "[3,4]" && json["content-type"] == Self.json)
        stream += 6
      }
      let empty = await client.answer(stream, Methods.echo.path, [])
      #expect(empty.status == 200 && empty.body == [])
      let emptyJSON = await client.answer(stream + 2, Methods.echo.path, [], type: Self.json)
      #expect(emptyJSON.status == 400 && emptyJSON.text.contains("\"invalid_argument\""))
      let large = [UInt8](repeating: 7, count: 1 << 20)
      client.call(stream + 4, Methods.echo.path, large, type: "application/proto")
      client.grant(stream + 4, 1 << 21)
      let echoed = ConnectAnswer(await client.response(of: stream + 4))
      #expect(echoed.status == 200 && echoed.body == large)
    }
    #expect(counts.callsFinished[.ok] == 9)
  }

  @Test("A stream has status 200, its messages in envelopes, and one message at its end, also if it fails")
  func streams() async throws {
    _ = try await Self.run { _, client in
      let whole = await client.answer(1, Methods.count.path, HTTP1RawClient.envelope([3]), type: Self.stream)
      #expect(whole.status == 200 && whole["content-type"] == Self.stream)
      #expect(whole.messages.data == [[0], [1], [2]] && whole.messages.end == "{}")
      let json = await client.answer(
        3, Methods.count.path, HTTP1RawClient.envelope(Array("[2]".utf8)), type: "application/connect+json")
      #expect(json.messages.data == [Array("[0]".utf8), Array("[1]".utf8)] && json.messages.end == "{}")
      let broken = await client.answer(5, Methods.breakOff.path, HTTP1RawClient.envelope([1]), type: Self.stream)
      #expect(broken.status == 200 && broken.messages.data == [[0]])
      #expect(broken.messages.end == #"{"error":{"code":"aborted","message":"broken off"}}"#)
      let half = await client.answer(7, Methods.count.path, [0, 0, 0, 0, 9, 1], type: Self.stream)
      #expect(half.status == 200 && half.messages.end?.contains("\"invalid_argument\"") == true)
      let none = await client.answer(9, Methods.count.path, [], type: Self.stream)
      #expect(none.messages.end?.contains("\"unimplemented\"") == true)
      let two = HTTP1RawClient.envelope([1]) + HTTP1RawClient.envelope([1])
      let twice = await client.answer(11, Methods.count.path, two, type: Self.stream)
      #expect(twice.messages.end?.contains("more than one request") == true)
      let zero = await client.answer(13, Methods.count.path, HTTP1RawClient.envelope([0]), type: Self.stream)
      #expect(zero.status == 200 && zero.messages.data.isEmpty && zero.messages.end == "{}")
    }
  }

  @Test("An error has the code, the message, the details and the metadata, in JSON for every codec")
  func errors() async throws {
    _ = try await Self.run { _, client in
      let failed = await client.answer(1, Methods.fail.path, [5])
      #expect(failed.status == 404 && failed["content-type"] == Self.json && failed["trailer-reason"] == "asked")
      let details = #""details":[{"type":"Detail","value":"AQAC"}]"#
      #expect(failed.text == #"{"code":"not_found","message":"as asked",\#(details)}"#)
      for (index, (code, status)) in [(1, 499), (4, 504), (12, 501), (9, 400), (14, 503), (16, 401)].enumerated() {
        let answer = await client.answer(UInt32(3 + 2 * index), Methods.fail.path, [UInt8(code)])
        #expect(answer.status == status)
      }
      let unknown = await client.answer(21, "test.Echo/Nothing", [])
      #expect(unknown.status == 404)
      #expect(unknown.text == #"{"code":"unimplemented","message":"unknown method test.Echo/Nothing"}"#)
      let malformed = await client.answer(23, Methods.echo.path, Array("{".utf8), type: Self.json)
      #expect(malformed.status == 400 && malformed.text.contains("\"invalid_argument\""))
      let compressed = await client.answer(25, Methods.echo.path, [1], [("content-encoding", "gzip")])
      #expect(compressed.status == 501 && compressed["accept-encoding"] == "identity")
      let version = await client.answer(27, Methods.echo.path, [1], [("connect-protocol-version", "2")])
      #expect(version.status == 400)
      let late = await client.answer(29, Methods.echo.path, [1], [("connect-timeout-ms", "0")])
      #expect(late.status == 504)
      let many = (0..<65).map { ("x-\($0)", "a") }
      let crowded = await client.answer(31, Methods.echo.path, [1], many)
      #expect(crowded.status == 429 && crowded.text.contains("metadata-count-max"))
      let huge = (0..<125).map { ("x-\($0)", String(repeating: "a", count: 100)) }
      client.request(33, Methods.echo.path, [("content-type", Self.json)] + huge, isWhole: true)
      let overflow = ConnectAnswer(await client.response(of: 33))
      #expect(overflow.status == 431)
      client.request(35, "", huge, method: "GET", isWhole: true)
      let page = ConnectAnswer(await client.response(of: 35))
      #expect(page.status == 431)
    }
  }

  @Test("Cases 16 and 21: wrong methods, content types and kinds of calls have an HTTP status of their own")
  func otherRequests() async throws {
    _ = try await Self.run { _, client in
      for (index, (path, type)) in [
        (Methods.echo.path, "text/plain"), (Methods.echo.path, "application/x-www-form-urlencoded"),
        (Methods.echo.path, Self.stream), (Methods.count.path, "application/proto"),
      ].enumerated() {
        let answer = await client.answer(UInt32(1 + 2 * index), path, [1], type: type)
        #expect(answer.status == 415 && answer["content-type"] == "text/plain; charset=utf-8")
        let (own, other) = path == Methods.echo.path ? (Self.json, Self.stream) : (Self.stream, Self.json)
        let accepted = answer["accept-post"]?.split(separator: ", ").map(String.init) ?? []
        #expect(accepted.contains(own) && !accepted.contains(other))
        #expect(accepted.contains("application/grpc") && accepted.contains("application/grpc-web-text"))
        #expect(answer.text.hasPrefix(path) && answer.text.contains("\(own)"), "\(answer.text)")
      }
      client.request(11, "\(Methods.echo.path)?message=1", [], method: "GET", isWhole: true)
      let get = ConnectAnswer(await client.response(of: 11))
      #expect(get.status == 405 && get["allow"] == "POST")
      #expect(get.text.hasPrefix("\(Methods.echo.path) is called with POST. Send the content type "), "\(get.text)")
      for (index, method) in [Methods.chat, Methods.sum].enumerated() {
        let stream = UInt32(13 + 4 * index)
        let streaming = await client.answer(stream, method.path, HTTP1RawClient.envelope([1]), type: Self.stream)
        #expect(streaming.status == 200 && streaming.messages.end?.contains("\"unimplemented\"") == true)
        let unary = await client.answer(stream + 2, method.path, [1])
        #expect(unary.status == 501 && unary.text.contains("requires gRPC"))
      }
    }
  }

  @Test("Bodies over their limit are refused with 413 or in the stream, before they are received as a whole")
  func largeBodies() async throws {
    _ = try await Self.run { _, client in
      client.request(1, Methods.echo.path, [("content-type", "application/proto")])
      for _ in 0..<65 { client.push(.init(type: 0, stream: 1, payload: [UInt8](repeating: 1, count: 16_384))) }
      let large = ConnectAnswer(await client.response(of: 1))
      #expect(large.status == 413 && large.text.contains("\"resource_exhausted\""))
      client.request(3, Methods.count.path, [("content-type", Self.stream)])
      client.push(.init(type: 0, stream: 3, payload: [0, 0x40, 0, 0, 0]))
      let envelope = ConnectAnswer(await client.response(of: 3))
      #expect(envelope.status == 200 && envelope.messages.end?.contains("message-size-max") == true)
    }
  }

  @Test("A client that announces its body with Expect: 100-continue is asked for it")
  func expectContinue() async throws {
    _ = try await Self.run { _, client in
      client.request(1, Methods.echo.path, [("content-type", Self.json), ("expect", "100-continue")])
      let asked = await client.response(of: 1, headerCount: 1)
      #expect(asked.headers.first?[":status"] == "100")
      client.push(.init(type: 0, flags: 1, stream: 1, payload: Array("[7]".utf8)))
      let answer = ConnectAnswer(await client.response(of: 1))
      #expect(answer.status == 200 && answer.text == "[7]")
      client.request(3, "test.Echo/Nothing", [("content-type", Self.json), ("expect", "100-continue")])
      let unknown = ConnectAnswer(await client.response(of: 3))
      #expect(unknown.status == 404)
    }
  }

  @Test("The handler is cancelled at the deadline, and when the client cancels or disconnects")
  func cancellation() async throws {
    let counts = try await Self.run { server, client in
      let late = await client.answer(1, Methods.wait.path, [1], [("connect-timeout-ms", "50")])
      #expect(late.status == 504 && late.text.contains("\"deadline_exceeded\""))
      await server.waits.wait()
      await server.cancellations.wait()
      client.call(3, Methods.wait.path, [1], type: "application/proto")
      await server.waits.wait()
      client.cancel(3)
      await server.cancellations.wait()
      let other = try await GRPCRawClient(server.endpoint)
      other.call(1, Methods.flood.path, HTTP1RawClient.envelope([0]), type: Self.stream)
      await server.waits.wait()
      try await other.close()
      await server.cancellations.wait()
    }
    #expect(counts.callsAborted >= 2 && counts.callsRunning == 0)
  }

  @Test("Writers wait while the client grants no credit, and unread responses count until they are cancelled")
  func backpressure() async throws {
    _ = try await Self.run { server, client in
      client.call(1, Methods.flood.path, HTTP1RawClient.envelope([0]), type: Self.stream)
      await server.waits.wait()
      let first = await client.response(of: 1, messageCount: 1)
      #expect(first.messages.count == 1)
      let unsent = server.server.backlogSizes.all
      #expect(unsent <= RPCLimits().streamBacklogSizeMax + 2 * 65_536)
      client.cancel(1)
      await server.cancellations.wait()
      // No credit is left: the responses of 16 calls remain on the server.
      for index in 0..<16 as Range<UInt32> {
        client.call(3 + 2 * index, Methods.echo.path, [UInt8](repeating: 1, count: 100_000), type: "application/proto")
      }
      client.call(51, Methods.fail.path, [5], type: "application/proto")
      _ = await client.response(of: 51, headerCount: 1)
      let held = server.server.backlogSizes.all
      #expect(held >= 1_000_000)
      for index in 0..<16 as Range<UInt32> { client.cancel(3 + 2 * index) }
      client.cancel(51)
      client.grant(0, 1 << 20)
    }
  }

  @Test("A wrong host and a foreign origin are refused before any handler, and preflight requests are answered")
  func hostsAndOrigins() async throws {
    let home = "https://home.example.com"
    let counts = try await Self.run({
      $0.origins = Origins(hosts: ["marquee.example.com"], origins: [home])
    }) { _, client in
      var stream: UInt32 = 1
      func answer(_ host: String?, _ fields: [(String, String)] = [], type: String = Self.json) async -> ConnectAnswer {
        defer { stream += 2 }
        client.request(stream, "test.Echo/Now", [("content-type", type)] + fields, authority: host)
        client.push(.init(type: 0, flags: 1, stream: stream, payload: Array("[1]".utf8)))
        return ConnectAnswer(await client.response(of: stream))
      }
      for host in ["localhost", "127.0.0.1:9", "marquee.example.com."] {
        let allowed = await answer(host)
        #expect(allowed.status == 200)
      }
      let byField = await answer(nil, [("host", "localhost")])
      #expect(byField.status == 200)
      for host in ["127.0.0.1.evil.com", "evil.com", "localhost.evil.com"] {
        for type in [Self.json, Self.stream, "application/grpc-web"] {
          let refused = await answer(host, type: type)
          #expect(refused.status == 421 && refused.body.starts(with: "The server does not accept the host".utf8))
        }
      }
      let two = await answer("localhost", [("host", "evil.com")])
      #expect(two.status == 400)
      for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let refused = await answer("localhost", [("origin", origin)])
        #expect(refused.status == 403 && refused["access-control-allow-origin"] == nil && refused.body == [])
      }
      let allowed = await answer("localhost", [("origin", home)])
      #expect(allowed.status == 200 && allowed["access-control-allow-origin"] == home && allowed["vary"] == "Origin")
      let web = await answer("localhost", [("origin", home)], type: "application/grpc-web+proto")
      #expect(web.status == 200 && web["access-control-allow-origin"] == home)
      #expect(web["access-control-expose-headers"] == "grpc-status, grpc-message")
      for (origin, status) in [(home, 204), ("https://evil.example", 403)] {
        client.request(
          stream, "test.Echo/Now",
          [
            ("origin", origin), ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type,x-grpc-web"),
          ], method: "OPTIONS", isWhole: true)
        let preflight = ConnectAnswer(await client.response(of: stream))
        #expect(preflight.status == status && preflight.body == [])
        #expect((preflight["access-control-allow-methods"] == "POST") == (status == 204))
        stream += 2
      }
    }
    #expect(counts.callsOpened == 7)
  }

  @Test("Either protocol can be switched off on its own")
  func switchedOff() async throws {
    for (protocols, grpc, connect) in [([.grpc], true, false), ([.connect], false, true)]
      as [(Set<CallProtocol>, Bool, Bool)]
    {
      var configuration = ServerConfiguration()
      configuration.protocols = protocols
      let server = try await EchoServer(configuration: configuration)
      var client = try await GRPCRawClient(server.endpoint)
      client.call(1, Methods.echo.path, [1])
      let first = await client.response(of: 1)
      #expect(first.headers.first?[":status"] == (grpc ? "200" : "415"))
      let second = await client.answer(3, Methods.echo.path, [1])
      #expect(second.status == (connect ? 200 : 415))
      try await client.close()
      await server.shutDown()
    }
  }
}

/// A complete response to a call in the Connect protocol.
struct ConnectAnswer {
  let fields: [String: String]
  let body: [UInt8]

  init(_ response: GRPCRawClient.Response) {
    fields = response.headers.first { $0[":status"] != "100" } ?? [:]
    body = response.body
  }

  var status: Int? { fields[":status"].flatMap { Int($0) } }
  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? { fields[name] }

  /// The messages of a stream, and the last one, which ends it.
  var messages: (data: [[UInt8]], end: String?) {
    var response = HTTP1RawClient.Response()
    response.body = body
    return response.messages
  }
}

extension GRPCRawClient {
  /// Sends a call whose body has at most one frame for every 16 KiB.
  func call(_ stream: UInt32, _ path: String, _ body: [UInt8], _ fields: [(String, String)] = [], type: String) {
    request(stream, path, [("content-type", type)] + fields, isWhole: body.isEmpty)
    var rest = body[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_384))
      rest = rest.dropFirst(piece.count)
      push(Frame(type: 0, flags: rest.isEmpty ? 1 : 0, stream: stream, payload: piece))
    }
  }

  /// Sends a call in the Connect protocol, and returns the response.
  mutating func answer(
    _ stream: UInt32, _ path: String, _ body: [UInt8], _ fields: [(String, String)] = [],
    type: String = "application/proto"
  ) async -> ConnectAnswer {
    call(stream, path, body, fields, type: type)
    return ConnectAnswer(await response(of: stream))
  }
}
