import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Attacks by HTTP/1.1", .timeLimit(.minutes(1)))
struct HTTP1AttackTests {
  private static let start = "POST /test.Echo/Now HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n"
  /// A request that an attacker smuggles in the body of another one.
  private static let smuggled = "POST /test.Echo/Fail HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test(
    "A request whose end is ambiguous, or that is malformed, is answered once, and the connection is closed",
    arguments: [
      start + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
      start + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + smuggled,
      start + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + smuggled,
      start + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n" + smuggled,
      start + "Content-Length: 0, 5\r\n\r\n" + smuggled, start + "Content-Length: +5\r\n\r\n" + smuggled,
      start + "Content-Length: 0x5\r\n\r\n" + smuggled, start + "Content-Length: -1\r\n\r\n" + smuggled,
      start + "Content-Length: 99999999999999999999\r\n\r\n" + smuggled,
      start + "Content-Length : 0\r\n\r\n" + smuggled,
      start + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled,
      start + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
      start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + smuggled,
      start + "X: a\r\n Content-Length: 5\r\n\r\n" + smuggled, start + "X: a\n\r\n" + smuggled,
      "POST /test.Echo/Now HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n" + smuggled,
      start + "X: a\rContent-Length: 5\r\n\r\n" + smuggled, start + "X: a\u{0}b\r\n\r\n" + smuggled,
      start + "X\u{1}: a\r\n\r\n" + smuggled, start + ": a\r\n\r\n" + smuggled, start + "no colon\r\n\r\n" + smuggled,
      "POST /test.Echo/Now\r\n\r\n", "POST /test.Echo/Now HTTP/1.1 x\r\n\r\n",
      "POST /test.Echo/Now FTP/1.1\r\n\r\n", "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      start + "Transfer-Encoding: chunked\r\n\r\nx\r\n", start + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
      start + "Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n", start + "Transfer-Encoding: chunked\r\n\r\n1\r\nxx",
      start + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    ])
  func malformed(request: String) async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    client.push(request)
    let answer = await client.response()
    // An invalid request line has no version, and some of the codings are unknown.
    let isMalformed = [400, 501, 505].contains(answer?.status)
    #expect(isMalformed && answer?["connection"] == "close", "\(String(describing: answer))")
    let isClosed = await client.isClosed()
    #expect(isClosed, "answered twice")
    await server.shutDown()
    let counts = server.server.statistics
    #expect(counts.callsFinished[.ok] == nil && counts.callsRunning == 0)
    #expect(counts.connectionsFailed == [.protocolError: 1])
  }

  @Test("Header lists over their limits are refused with 431")
  func headers() async throws {
    let server = try await EchoServer()
    for fields in [
      "X: " + String(repeating: "a", count: 20_000) + "\r\n",
      (0..<400).map { "X-\($0): a\r\n" }.joined(),
      // The client is still sending when the response is written.
      (0..<100_000).map { "X-\($0): a\r\n" }.joined(),
      (0..<60).map { "X-\($0): " + String(repeating: "a", count: 1_000) + "\r\n" }.joined(),
    ] {
      var client = try await HTTP1RawClient(server.endpoint)
      client.push(Self.start + fields + "\r\n")
      let answer = await client.response()
      #expect(answer?.status == 431, "\(fields.prefix(10)): \(String(describing: answer))")
    }
    var late = try await HTTP1RawClient(server.endpoint)
    late.push("POST /test.Echo/Now HTTP/2.0\r\nHost: localhost\r\n\r\n")
    let lateAnswer = await late.response()
    #expect(lateAnswer?.status == 505)
    var client = try await HTTP1RawClient(server.endpoint)
    client.push(Self.start + (0..<70).map { "X-\($0): a\r\n" }.joined() + "Content-Length: 0\r\n\r\n")
    let answer = await client.response()
    #expect(answer?.status == 429 && answer?.text.contains("metadata-count-max") == true)
    await server.shutDown()
  }

  @Test("Slow heads and bodies, and connections without a request, are ended")
  func slow() async throws {
    var configuration = ServerConfiguration()
    configuration.limits.handshakeTimeMax = .milliseconds(300)
    configuration.limits.frameTimeMax = .milliseconds(300)
    configuration.limits.requestTimeMax = .milliseconds(300)
    configuration.limits.messageTimeMax = .milliseconds(300)
    configuration.limits.silenceIdleMax = .milliseconds(600)
    let server = try await EchoServer(configuration: configuration)
    var head = try await HTTP1RawClient(server.endpoint)
    head.push("POST /")
    let headAnswer = await head.response()
    #expect(headAnswer?.status == 408)
    var body = try await HTTP1RawClient(server.endpoint)
    body.push(Self.start + "Content-Length: 5\r\n\r\nab")
    let bodyAnswer = await body.response()
    #expect(bodyAnswer?.status == 429 && bodyAnswer?["connection"] == "close")
    #expect(bodyAnswer?.text.contains("message-time-max") == true)
    var second = try await HTTP1RawClient(server.endpoint)
    let first = await second.answer(Methods.echo.path, [1])
    #expect(first?.status == 200)
    second.push("POST /")
    let secondAnswer = await second.response()
    #expect(secondAnswer?.status == 408)
    var idle = try await HTTP1RawClient(server.endpoint)
    let last = await idle.answer(Methods.echo.path, [1])
    #expect(last?.status == 200)
    let isClosed = await idle.isClosed()
    #expect(isClosed)
    await server.shutDown()
    #expect(server.server.statistics.connectionsFailed == [.handshakeTimeout: 1, .frameTimeout: 2])
  }

  @Test("Bodies of many small chunks, and chunks with long extensions, are bounded")
  func chunks() async throws {
    var configuration = ServerConfiguration()
    configuration.limits.messageSizeMax = 1 << 16
    let server = try await EchoServer(configuration: configuration)
    var client = try await HTTP1RawClient(server.endpoint)
    client.push(Self.start + "Transfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<70 {
      client.push(Array(String(repeating: "1;e=xxxxxxxx\r\na\r\n", count: 1_000).utf8))
    }
    let answer = await client.response()
    #expect(answer?.status == 413)
    #expect(server.server.assemblySizes.all == 0)
    await server.shutDown()
  }

  @Test("A client that reads no responses gets no more requests processed")
  func unreadResponses() async throws {
    var configuration = ServerConfiguration()
    configuration.limits.stallTimeMax = .milliseconds(500)
    let server = try await EchoServer(configuration: configuration)
    var client = try await HTTP1RawClient(server.endpoint, reads: false)
    let (count, body) = (600, [UInt8](repeating: 7, count: 65_536))
    for _ in 0..<count { client.push(HTTP1RawClient.call(Methods.echoNow.path, body)) }
    _ = await client.isClosed()
    await server.shutDown()
    let counts = server.server.statistics
    #expect(counts.connectionsFailed == [.stalled: 1])
    // The buffers of both sockets hold some responses.
    #expect(counts.callsFinished[.ok, default: 0] < count / 2)
    #expect(server.server.backlogSizes.all == 0)
  }

  @Test("Requests that wait for a call are limited; it is then the last one of its connection")
  func pipelining() async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    client.push((0..<300).flatMap { _ in HTTP1RawClient.call(Methods.echo.path, [1]) })
    for _ in 0..<300 {
      let answer = await client.response()
      #expect(answer?.body == [1])
    }
    let small = Array(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\na:b\r\n\r\n", count: 4_000).utf8)
    client.push(HTTP1RawClient.call(Methods.wait.path, [], ["Connect-Timeout-Ms: 300"]) + small)
    let last = await client.response()
    #expect(last?.status == 504 && last?["connection"] == "close")
    let isClosed = await client.isClosed()
    #expect(isClosed)
    await server.shutDown()
  }

  @Test("A large request in JSON is processed beside the event loop, and an invalid one is rejected")
  func largeJSON() async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    let numbers = (0..<60_000).map { "\($0 % 256)" }.joined(separator: ",")
    for (text, status) in [("[\(numbers)]", 200), ("[\(numbers)", 400), ("[\(numbers)]", 200)] {
      let answer = await client.answer(Methods.echo.path, Array(text.utf8), type: "application/json")
      #expect(answer?.status == status)
      #expect(status != 200 || answer?.text == text)
    }
    // A client that disconnects meanwhile. The text counts until its conversion has ended.
    client.push(HTTP1RawClient.call(Methods.echo.path, Array("[\(numbers)]".utf8), type: "application/json"))
    try await client.close()
    try await wait(for: "the end of the conversion and the call") {
      server.server.assemblySizes.all == 0 && server.server.statistics.callsRunning == 0
    }
    await server.shutDown()
  }

  @Test("CONNECT and a request for an upgrade are the last ones of their connection", .timeLimit(.minutes(1)))
  func upgrades() async throws {
    let server = try await EchoServer()
    for (request, status) in [
      ("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
      (Self.start + "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n", 200),
    ] {
      var client = try await HTTP1RawClient(server.endpoint)
      client.push(Array(request.utf8) + [UInt8](repeating: 0x61, count: 1 << 20))
      let answer = await client.response()
      #expect(answer?.status == status && answer?["connection"] == "close")
      let isClosed = await client.isClosed()
      #expect(isClosed, "\(request)")
    }
    await server.shutDown()
  }

  @Test("A wrong host and a foreign origin are refused before any handler, and nothing is quoted")
  func hostsAndOrigins() async throws {
    var configuration = ServerConfiguration()
    configuration.origins = Origins(hosts: ["marquee.example.com"], origins: ["https://home.example.com"])
    let server = try await EchoServer(configuration: configuration)
    func answer(_ host: String?, _ fields: [String] = []) async throws -> HTTP1RawClient.Response? {
      var client = try await HTTP1RawClient(server.endpoint)
      var lines = ["POST /test.Echo/Now HTTP/1.1", "Content-Type: application/proto", "Content-Length: 0"] + fields
      if let host { lines.append("Host: \(host)") }
      client.push(lines.joined(separator: "\r\n") + "\r\n\r\n")
      return await client.response()
    }
    for host in ["localhost", "127.0.0.1:9", "marquee.example.com."] {
      let allowed = try await answer(host)
      #expect(allowed?.status == 200)
    }
    for host in ["127.0.0.1.evil.com", "evil.com", "localhost.evil.com"] {
      let refused = try await answer(host)
      #expect(refused?.status == 421 && refused?.text.contains("setting hosts") == true)
    }
    for (host, fields) in [(nil, []), ("localhost", ["Host: localhost"]), ("", [])] as [(String?, [String])] {
      let refused = try await answer(host, fields)
      #expect(refused?.status == 400 || refused?.status == 421)
    }
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
      let refused = try await answer("localhost", ["Origin: \(origin)"])
      #expect(refused?.status == 403 && refused?["access-control-allow-origin"] == nil && refused?.body == [])
    }
    let home = try await answer("localhost", ["Origin: https://home.example.com"])
    #expect(home?.status == 200 && home?["access-control-allow-origin"] == "https://home.example.com")
    #expect(home?["vary"] == "Origin" && home?["access-control-allow-credentials"] == nil)
    await server.shutDown()
    #expect(server.server.statistics.callsOpened == 4)
  }

  @Test("Preflight requests are answered only for allowed origins")
  func preflight() async throws {
    var configuration = ServerConfiguration()
    configuration.origins = Origins(origins: ["https://home.example.com"])
    let server = try await EchoServer(configuration: configuration)
    var client = try await HTTP1RawClient(server.endpoint)
    for (origin, status) in [("https://home.example.com", 204), ("https://evil.example", 403)] {
      client.push(
        "OPTIONS /test.Echo/Now HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\n"
          + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n")
      let answer = await client.response()
      #expect(answer?.status == status && answer?.body == [] && answer?["connection"] == nil)
      #expect((answer?["access-control-allow-methods"] == "POST") == (status == 204))
    }
    let next = await client.answer(Methods.echo.path, [1])
    #expect(next?.body == [1])
    await server.shutDown()
    #expect(server.server.statistics.callsOpened == 1)
  }
}
