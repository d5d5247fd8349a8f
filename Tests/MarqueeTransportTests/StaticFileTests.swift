import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Files for browsers through a socket", .timeLimit(.minutes(1)))
struct StaticFileTests {
  private static let content = [UInt8](repeating: 0x61, count: 100_000)

  private static func run(
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (EchoServer) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration()
    configuration.files = StaticFiles(
      [.init(paths: ["/"], contentType: "text/html", content: content)],
      missing: .init(paths: [], contentType: "text/plain", content: Array("none".utf8)),
      fields: [.init("x-content-type-options", "nosniff")])
    change(&configuration)
    let server = try await EchoServer(configuration: configuration)
    try await body(server)
    await server.shutDown()
    #expect(server.server.assemblySizes.all == 0 && server.server.backlogSizes.all == 0)
  }

  private static func get(
    _ path: String, _ fields: [String] = [], host: String = "localhost", method: String = "GET"
  ) -> String {
    (["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test("Over HTTP/1.1, files are served between calls on one connection, with 304, 404 and HEAD")
  func oldVersion() async throws {
    try await Self.run { server in
      var client = try await HTTP1RawClient(server.endpoint)
      client.push(Self.get("/?device=kitchen"))
      let page = await client.response()
      #expect(page?.status == 200 && page?.body == Self.content && page?["content-type"] == "text/html")
      #expect(page?["x-content-type-options"] == "nosniff" && page?["connection"] == nil)
      let echoed = await client.answer(Methods.echo.path, [1])
      #expect(echoed?.body == [1])
      client.push(Self.get("/", ["If-None-Match: \(page?["etag"] ?? "")"]))
      let same = await client.response()
      #expect(same?.status == 304 && same?["content-length"] == nil)
      client.push(Self.get("/none"))
      let missing = await client.response()
      #expect(missing?.status == 404 && missing?.text == "none")
      client.push(Self.get("/", method: "HEAD") + Self.get("/none"))
      #expect(await client.receivesHead())
      let next = await client.response()
      #expect(next?.status == 404 && next?.text == "none")
      client.push(Self.get("/\(Methods.echo.path)"))
      let method = await client.response()
      #expect(method?.status == 405 && method?["allow"] == "POST")
      client.push(Self.get("/", method: "PUT"))
      let put = await client.response()
      #expect(put?.status == 405 && put?["allow"] == "GET, HEAD")
      // A body is dropped.
      client.push(Self.get("/none", ["Content-Length: 3"]) + "abc")
      let last = await client.answer(Methods.echo.path, [2])
      #expect(last?.status == 404)
      let after = await client.response()
      #expect(after?.body == [2])
      try await client.close()
    }
  }

  @Test("Over HTTP/1.1, many requests at once are answered in order, and the server keeps no more than its limit")
  func pipelined() async throws {
    try await Self.run { server in
      var client = try await HTTP1RawClient(server.endpoint)
      for _ in 1...50 { client.push(Self.get("/")) }
      for _ in 1...50 {
        let page = await client.response()
        #expect(page?.body.count == Self.content.count)
      }
      try await client.close()
    }
  }

  @Test("Over HTTP/2, files are served beside calls on one connection, with 304, 404 and HEAD")
  func newVersion() async throws {
    try await Self.run { server in
      var client = try await GRPCRawClient(server.endpoint)
      client.request(1, "", [], method: "GET", isWhole: true)
      client.push(GRPCRawClient.Frame(type: 8, payload: RawFrame.big(1 << 20)))
      client.grant(1, 1 << 20)
      let page = ConnectAnswer(await client.response(of: 1))
      #expect(page.status == 200 && page.body == Self.content && page["content-type"] == "text/html")
      #expect(page["content-length"] == "100000" && page["x-content-type-options"] == "nosniff")
      client.request(3, "", [("if-none-match", page["etag"] ?? "")], method: "GET", isWhole: true)
      let same = ConnectAnswer(await client.response(of: 3))
      #expect(same.status == 304 && same.body == [] && same["content-length"] == nil)
      client.request(5, "none", [], method: "GET", isWhole: true)
      let missing = ConnectAnswer(await client.response(of: 5))
      #expect(missing.status == 404 && missing.text == "none")
      client.request(7, "", [], method: "HEAD", isWhole: true)
      let head = ConnectAnswer(await client.response(of: 7))
      #expect(head.status == 200 && head.body == [] && head["content-length"] == "100000")
      client.request(9, Methods.echo.path, [], method: "GET", isWhole: true)
      let method = ConnectAnswer(await client.response(of: 9))
      #expect(method.status == 405 && method["allow"] == "POST")
      client.request(11, "none", [], method: "GET")
      client.send(11, [1, 2, 3], isLast: true)
      let body = ConnectAnswer(await client.response(of: 11))
      #expect(body.status == 404)
      client.call(13, Methods.echo.path, [9])
      let echoed = await client.response(of: 13)
      #expect(echoed.messages == [[9]] && echoed.code == "0")
      client.request(15, "", [], method: "OPTIONS", isWhole: true)
      let options = ConnectAnswer(await client.response(of: 15))
      #expect(options.status == 405 && options["allow"] == "GET, HEAD")
      try await client.close()
    }
  }

  @Test("A file is refused to an unknown host and to a page of another origin, like a call")
  func origins() async throws {
    try await Self.run { server in
      var one = try await HTTP1RawClient(server.endpoint)
      one.push(Self.get("/", host: "127.0.0.1.evil.com"))
      let host = await one.response()
      #expect(host?.status == 421 && host?["content-type"] == "text/plain; charset=utf-8")
      #expect(host?.text.contains("setting hosts") == true)
      one.push(Self.get("/", ["Origin: https://evil.example"]))
      let origin = await one.response()
      #expect(origin?.status == 403 && origin?.body == [])
      one.push(Self.get("/", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]))
      let followed = await one.response()
      #expect(followed?.status == 200)
      try await one.close()
      var two = try await GRPCRawClient(server.endpoint)
      two.request(1, "", [], method: "GET", authority: "127.0.0.1.evil.com", isWhole: true)
      let host2 = ConnectAnswer(await two.response(of: 1))
      #expect(host2.status == 421 && String(decoding: host2.body, as: UTF8.self) == host?.text)
      two.request(3, "", [("origin", "https://evil.example")], method: "GET", isWhole: true)
      let origin2 = ConnectAnswer(await two.response(of: 3))
      #expect(origin2.status == 403 && origin2.body == [])
      try await two.close()
    }
  }

  @Test("Files are served beside the Connect protocol only")
  func protocols() async throws {
    try await Self.run({ $0.protocols = [.native, .grpc] }) { server in
      var client = try await GRPCRawClient(server.endpoint)
      client.request(1, "", [], method: "GET", isWhole: true)
      let answer = ConnectAnswer(await client.response(of: 1))
      #expect(answer.status == 405 && answer.text.contains("application/grpc"))
      try await client.close()
    }
  }

  @Test("A file is not sent once the server has too many unsent bytes")
  func budget() async throws {
    try await Self.run({ ($0.peerBacklogSizeMax, $0.serverBacklogSizeMax) = (65_536, 65_536) }) { server in
      var client = try await HTTP1RawClient(server.endpoint)
      client.push(Self.get("/"))
      let refused = await client.response()
      #expect(refused?.status == 429 && refused?.text.contains("resource_exhausted") == true)
      try await client.close()
    }
  }
}
