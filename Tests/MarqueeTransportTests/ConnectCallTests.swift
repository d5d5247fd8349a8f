import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Connect calls through a socket in HTTP/1.1", .timeLimit(.minutes(1)))
struct ConnectCallTests {
  private static let json = "application/json"
  private static let stream = "application/connect+proto"

  @Test("Unary calls are served in both codecs, one after the other on one connection")
  func unary() async throws {
    let counts = try await EchoServer.run { _, client in
      for method in [Methods.echo, Methods.echoNow] {
        let proto = await client.answer(method.path, [1, 2])
        #expect(proto?.status == 200 && proto?.body == [1, 2] && proto?["content-type"] == "application/proto")
        let json = await client.answer(method.path, Array("[3,4]".utf8), type: "application/json; charset=utf-8")
        #expect(json?.status == 200 && json?.text == "[3,4]" && json?["content-type"] == "application/json")
        #expect(json?["connection"] == nil && json?["vary"] == nil)
      }
      let empty = await client.answer(Methods.echo.path, [])
      #expect(empty?.status == 200 && empty?.body == [])
      let emptyJSON = await client.answer(Methods.echo.path, [], type: Self.json)
      #expect(emptyJSON?.status == 400 && emptyJSON?.text.contains("\"invalid_argument\"") == true)
    }
    #expect(counts.callsFinished[.ok] == 6)
  }

  @Test("A response larger than the buffers of the channel and the socket is sent as a whole, one after the other")
  func largeResponses() async throws {
    let start = ContinuousClock.now
    _ = try await EchoServer.run { server, client in
      let message = [UInt8](repeating: 7, count: 1 << 20)
      for _ in 0..<3 { client.push(HTTP1RawClient.call(Methods.echo.path, message)) }
      for _ in 0..<3 {
        let large = await client.response()
        #expect(large?.status == 200 && large?.body == message)
      }
    }
    // Output that is not passed on would end the connection only after this time.
    #expect(ContinuousClock.now - start < RPCLimits().stallTimeMax)
  }

  @Test("A call like the last one on its connection, but for one field, is judged by its own head")
  func similar() async throws {
    _ = try await EchoServer.run({ $0.limits.messageSizeMax = 16_384 }) { _, client in
      let first = await client.answer(Methods.echo.path, [1])
      let longer = await client.answer(Methods.echo.path, [UInt8](repeating: 2, count: 10_000))
      #expect(first?.body == [1] && longer?.body.count == 10_000)
      let late = await client.answer(Methods.echo.path, [1], ["Connect-Timeout-Ms: 0"])
      #expect(late?.status == 504)
      let other = await client.answer(Methods.echoNow.path, [3])
      #expect(other?.body == [3])
      let tooLarge = await client.answer(Methods.echoNow.path, [UInt8](repeating: 2, count: 16_385))
      #expect(tooLarge?.status == 413)
    }
    _ = try await EchoServer.run { _, client in
      let first = await client.answer(Methods.echo.path, [1])
      client.push(HTTP1RawClient.call(Methods.echo.path, [1], host: "example.com"))
      let foreign = await client.response()
      let own = await client.answer(Methods.echo.path, [4])
      #expect(first?.status == 200 && foreign?.status == 421 && own?.body == [4])
    }
  }

  @Test("A stream has status 200, its messages in envelopes, and one message at its end, also if it fails")
  func streams() async throws {
    _ = try await EchoServer.run { _, client in
      let whole = await client.answer(Methods.count.path, HTTP1RawClient.envelope([3]), type: Self.stream)
      #expect(whole?.status == 200 && whole?["content-type"] == Self.stream)
      #expect(whole?.messages.data == [[0], [1], [2]] && whole?.messages.end == "{}")
      let json = await client.answer(
        Methods.count.path, HTTP1RawClient.envelope(Array("[2]".utf8)), type: "application/connect+json")
      #expect(json?.messages.data == [Array("[0]".utf8), Array("[1]".utf8)] && json?.messages.end == "{}")
      let broken = await client.answer(Methods.breakOff.path, HTTP1RawClient.envelope([1]), type: Self.stream)
      #expect(broken?.status == 200 && broken?.messages.data == [[0]])
      #expect(broken?.messages.end == #"{"error":{"code":"aborted","message":"broken off"}}"#)
      let half = await client.answer(Methods.count.path, [0, 0, 0, 0, 9, 1], type: Self.stream)
      #expect(half?.status == 200 && half?.messages.end?.contains("\"invalid_argument\"") == true)
      let none = await client.answer(Methods.count.path, [], type: Self.stream)
      #expect(none?.messages.end?.contains("\"unimplemented\"") == true)
      let two = HTTP1RawClient.envelope([1]) + HTTP1RawClient.envelope([1])
      let twice = await client.answer(Methods.count.path, two, type: Self.stream)
      #expect(twice?.messages.end?.contains("more than one request") == true)
    }
  }

  @Test("An error has the code, the message, the details and the metadata, in JSON for every codec")
  func errors() async throws {
    _ = try await EchoServer.run { _, client in
      let failed = await client.answer(Methods.fail.path, [5])
      #expect(failed?.status == 404 && failed?["content-type"] == "application/json")
      #expect(failed?["trailer-reason"] == "asked")
      let details = #""details":[{"type":"Detail","value":"AQAC"}]"#
      #expect(failed?.text == #"{"code":"not_found","message":"as asked",\#(details)}"#)
      for (code, status) in [(1, 499), (4, 504), (12, 501), (9, 400), (14, 503), (16, 401)] {
        let answer = await client.answer(Methods.fail.path, [UInt8(code)])
        #expect(answer?.status == status)
      }
      let unknown = await client.answer("test.Echo/Nothing", [])
      #expect(unknown?.status == 404 && unknown?.text.contains("\"unimplemented\"") == true)
      let malformed = await client.answer(Methods.echo.path, Array("{".utf8), type: Self.json)
      #expect(malformed?.status == 400 && malformed?.text.contains("\"invalid_argument\"") == true)
      let compressed = await client.answer(Methods.echo.path, [1], ["Content-Encoding: gzip"])
      #expect(compressed?.status == 501 && compressed?["accept-encoding"] == "identity")
      let version = await client.answer(Methods.echo.path, [1], ["Connect-Protocol-Version: 2"])
      #expect(version?.status == 400)
    }
  }

  @Test("Cases 16 and 21: wrong methods, content types and kinds of calls have an HTTP status of their own")
  func otherRequests() async throws {
    _ = try await EchoServer.run { _, client in
      for (path, type) in [
        (Methods.echo.path, "text/plain"), (Methods.echo.path, "application/x-www-form-urlencoded"),
        (Methods.echo.path, Self.stream), (Methods.count.path, "application/proto"),
      ] {
        let answer = await client.answer(path, [1], type: type)
        #expect(answer?.status == 415 && answer?["content-type"] == "text/plain; charset=utf-8")
        let own = path == Methods.echo.path ? "application/json" : Self.stream
        let accepted = answer?["accept-post"]?.split(separator: ", ").map(String.init) ?? []
        #expect(accepted.contains(own) && accepted.contains("application/grpc-web"))
        #expect(!accepted.contains("application/grpc"))
        #expect(answer?.text.hasPrefix(path) == true && answer?.text.contains(own) == true)
      }
      client.push("GET /\(Methods.echo.path)?message=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let get = await client.response()
      #expect(get?.status == 405 && get?["allow"] == "POST" && get?["connection"] == nil)
      #expect(get?.text.hasPrefix("\(Methods.echo.path) is called with POST. ") == true)
      for method in [Methods.chat, Methods.sum] {
        let streaming = await client.answer(method.path, HTTP1RawClient.envelope([1]), type: Self.stream)
        #expect(streaming?.status == 505)
      }
      client.push("POST /\(Methods.echo.path) HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
      let old = await client.response()
      #expect(old?.status == 415 && old?["connection"] == "close")
    }
  }

  @Test("In HTTP/1.0, unary calls and files are served; streams, other versions and other codings are refused")
  func otherVersions() async throws {
    let server = try await EchoServer()
    let length = "Host: localhost\r\nContent-Length: 1\r\n\r\na"
    let chunks = "\r\n\r\n1\r\na\r\n0\r\n\r\n"
    for (start, rest, status) in [
      ("\(Methods.echo.path) HTTP/1.0\r\nContent-Type: application/proto\r\n", length, 200),
      ("\(Methods.count.path) HTTP/1.0\r\nContent-Type: \(Self.stream)\r\n", length, 505),
      ("\(Methods.echo.path) HTTP/2.0\r\nContent-Type: application/proto\r\n", length, 505),
      ("\(Methods.echo.path) HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked", chunks, 501),
      ("\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked", chunks, 501),
      ("\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked", chunks, 400),
      (
        "\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        chunks, 501
      ),
    ] {
      var client = try await HTTP1RawClient(server.endpoint)
      client.push("POST /" + start + rest)
      let answer = await client.response()
      #expect(answer?.status == status && answer?["connection"] == "close", "\(start): \(String(describing: answer))")
      if start.contains("1.0"), status == 505 { #expect(answer?.text.contains("HTTP/1.1") == true) }
      let isClosed = await client.isClosed()
      #expect(isClosed)
    }
    await server.shutDown()
  }

  @Test("Requests may be pipelined, chunked, and announce their body with Expect: 100-continue")
  func framing() async throws {
    _ = try await EchoServer.run { _, client in
      client.push((1...200).flatMap { HTTP1RawClient.call(Methods.echoNow.path, [UInt8($0)]) })
      for number in 1...200 as ClosedRange<UInt8> {
        let answer = await client.response()
        #expect(answer?.body == [number])
      }
      let head = "POST /\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      client.push(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n3;x=y\r\n,2]\r\n0\r\nTrailer: ignored\r\n\r\n")
      let chunked = await client.response()
      #expect(chunked?.text == "[1,2]")
      client.push(head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
      let asked = await client.response()
      #expect(asked?.status == 100)
      client.push("[7]")
      let answer = await client.response()
      #expect(answer?.text == "[7]")
    }
  }

  @Test("Case 24: after an error, a small unread body is dropped, and a larger one closes the connection")
  func unreadBodies() async throws {
    _ = try await EchoServer.run { server, client in
      let small = await client.answer("test.Echo/Nothing", [UInt8](repeating: 1, count: 60_000))
      #expect(small?.status == 404 && small?["connection"] == nil)
      let next = await client.answer(Methods.echo.path, [1])
      #expect(next?.body == [1])
      let size = 2 << 20
      client.push("POST /\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n")
      client.push("Content-Length: \(size)\r\n\r\n")
      let large = await client.response()
      #expect(large?.status == 413 && large?["connection"] == "close")
      #expect(large?.text.contains("\"resource_exhausted\"") == true)
      let isClosed = await client.isClosed()
      #expect(isClosed)
      var chunked = try await HTTP1RawClient(server.endpoint)
      chunked.push("POST /\(Methods.echo.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n")
      chunked.push("Transfer-Encoding: chunked\r\n\r\n")
      chunked.push(Array("180000\r\n".utf8) + [UInt8](repeating: 1, count: 0x180000) + Array("\r\n0\r\n\r\n".utf8))
      let refused = await chunked.response()
      #expect(refused?.status == 413)
      var expecting = try await HTTP1RawClient(server.endpoint)
      expecting.push("POST /test.Echo/Nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n")
      expecting.push("Content-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      let unknown = await expecting.response()
      #expect(unknown?.status == 404 && unknown?["connection"] == "close")
      let envelope = await HTTP1RawClient.answerOfOversizedEnvelope(server.endpoint, Methods.count.path)
      #expect(envelope?.status == 200 && envelope?.messages.end?.contains("message-size-max") == true)
    }
  }

  @Test("The handler is cancelled at the deadline, and when the client disconnects")
  func cancellation() async throws {
    let counts = try await EchoServer.run { server, client in
      let late = await client.answer(Methods.wait.path, [1], ["Connect-Timeout-Ms: 50"])
      #expect(late?.status == 504 && late?.text.contains("\"deadline_exceeded\"") == true)
      await server.waits.wait()
      await server.cancellations.wait()
      let next = await client.answer(Methods.echo.path, [1])
      #expect(next?.body == [1])
      client.push(HTTP1RawClient.call(Methods.wait.path, [1]))
      await server.waits.wait()
      try await client.close()
      await server.cancellations.wait()
      let stream = try await RawClient(server.endpoint, reads: false)
      stream.push(HTTP1RawClient.call(Methods.flood.path, HTTP1RawClient.envelope([0]), type: Self.stream))
      await server.waits.wait()
      try await stream.close()
      await server.cancellations.wait()
    }
    #expect(counts.callsAborted >= 2)
  }

  @Test("Writers wait while the client does not read")
  func backpressure() async throws {
    _ = try await EchoServer.run { server, _ in
      let slow = try await RawClient(server.endpoint, reads: false)
      slow.push(HTTP1RawClient.call(Methods.flood.path, HTTP1RawClient.envelope([0]), type: Self.stream))
      await server.waits.wait()
      try await Task.sleep(for: .milliseconds(300))
      let unsent = server.server.backlogSizes.all
      #expect(unsent <= 2 * RPCLimits().streamBacklogSizeMax)
      try await slow.close()
      await server.cancellations.wait()
    }
  }

  @Test("A server that shuts down completes calls, and announces the end of the connection")
  func shutdown() async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    var idle = try await HTTP1RawClient(server.endpoint)
    let answer = await idle.answer(Methods.echo.path, [1])
    #expect(answer?.body == [1])
    client.push(HTTP1RawClient.call(Methods.wait.path, [1]))
    await server.waits.wait()
    async let end: Void = server.server.shutDown(grace: .milliseconds(200))
    let isIdleClosed = await idle.isClosed()
    #expect(isIdleClosed)
    let aborted = await client.response()
    #expect(aborted?.status == 504 && aborted?["connection"] == "close")
    await end
  }
}

extension HTTP1RawClient {
  /// Returns the response to a stream whose envelope announces 1 GiB.
  static func answerOfOversizedEnvelope(_ endpoint: Endpoint, _ path: String) async -> Response? {
    guard var client = try? await HTTP1RawClient(endpoint) else { return nil }
    client.push("POST /\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/connect+proto\r\n")
    client.push("Transfer-Encoding: chunked\r\n\r\n")
    client.push(Array("5\r\n".utf8) + [0, 0x40, 0, 0, 0] + Array("\r\n".utf8))
    return await client.response()
  }
}
