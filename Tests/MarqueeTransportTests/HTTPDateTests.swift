import MarqueeHTTP
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("The date of responses", .timeLimit(.minutes(1)))
struct HTTPDateTests {
  private static let text = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test(
    "The value has the fixed form of RFC 9110",
    arguments: [
      (784_111_777, text), (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_796_083_199, "Mon, 30 Nov 2026 23:59:59 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
  func form(second: Int, expected: String) {
    var date = HTTPDate()
    #expect(date.text(at: second) == expected && date.text(at: second) == expected)
    #expect(date.text(at: second + 86_400) != expected && date.text(at: second) == expected)
  }

  private static func run(_ body: (EchoServer) async throws -> Void) async throws {
    var configuration = ServerConfiguration()
    configuration.dateClock = { 784_111_777 }
    configuration.files = StaticFiles(
      [.init(paths: ["/"], contentType: "text/html", content: [1])],
      missing: .init(paths: [], contentType: "text/plain", content: []), fields: [])
    let server = try await EchoServer(configuration: configuration)
    try await body(server)
    await server.shutDown()
  }

  @Test("Over HTTP/1.1, responses to calls, streams, files and other requests have the time of the clock, once")
  func oldVersion() async throws {
    try await Self.run { server in
      var client = try await HTTP1RawClient(server.endpoint)
      let stream = HTTP1RawClient.call(
        Methods.count.path, HTTP1RawClient.envelope([1]), type: "application/connect+proto")
      for request in [
        HTTP1RawClient.call(Methods.echo.path, [1]), HTTP1RawClient.call(Methods.fail.path, [5]), stream,
        HTTP1RawClient.call(Methods.echo.path, [1], type: "text/plain"),
        Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), Array("GET / HTTP/1.1\r\nHost: no\r\n\r\n".utf8),
      ] {
        client.push(request)
        let response = await client.response()
        #expect(response?.fields.filter { $0.name == "date" }.map(\.value) == [Self.text], "\(response?.status ?? 0)")
      }
      try await client.close()
    }
  }

  @Test("Over HTTP/2, responses have the time of the clock, except for those of gRPC")
  func newVersion() async throws {
    try await Self.run { server in
      var client = try await GRPCRawClient(server.endpoint)
      let web = "application/grpc-web"
      for (index, (path, type, body)) in [
        (Methods.echo.path, "application/proto", [1]), (Methods.fail.path, "application/proto", [5]),
        (Methods.count.path, "application/connect+proto", HTTP1RawClient.envelope([1])),
        (Methods.echo.path, "text/plain", [1]), (Methods.echo.path, web, HTTP1RawClient.envelope([1])),
        ("test.Echo/None", web, HTTP1RawClient.envelope([1])),
      ].enumerated() {
        let answer = await client.answer(UInt32(1 + 2 * index), path, body, type: type)
        #expect(answer["date"] == Self.text, "\(path) \(type)")
      }
      client.request(21, "", [], method: "GET", isWhole: true)
      let page = ConnectAnswer(await client.response(of: 21))
      #expect(page.status == 200 && page["date"] == Self.text)
      client.call(23, Methods.echo.path, [9])
      let echoed = await client.response(of: 23)
      #expect(echoed.messages == [[9]] && echoed.headers.allSatisfy { $0["date"] == nil })
      try await client.close()
    }
  }
}
