import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("The console on a server", .timeLimit(.minutes(2)))
struct ConsoleTests {
  private static func get(_ endpoint: Endpoint, _ path: String) async throws -> HTTP1RawClient.Response? {
    var client = try await HTTP1RawClient(endpoint)
    client.push("GET \(path) HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\n\r\n")
    let response = await client.response()
    try await client.close()
    return response
  }

  @Test("It is served on every endpoint without a token, which no call of a page is")
  func pages() async throws {
    try await InProcessServer.run { server in
      for endpoint in [server.endpoint, server.tcpEndpoint] {
        let page = try await Self.get(endpoint, "/decisions?device=kitchen")
        #expect(page?.status == 200 && page?["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(page?.text.contains("/console/app.js") == true)
        let script = try await Self.get(endpoint, "/console/app.js")
        #expect(script?["content-type"] == "text/javascript; charset=utf-8")
        var client = try await HTTP1RawClient(endpoint)
        let fields = ["Sec-Fetch-Site: same-origin"]
        let call = await client.answer(
          "marquee.v1.Admin/ListDevices", Array("{}".utf8), type: "application/json", fields)
        #expect(call?.status == 401)
        try await client.close()
      }
    }
  }

  @Test("The setting console switches it off")
  func off() async throws {
    try await InProcessServer.run({ $0.servesConsole = false }) { server in
      for path in ["/", "/console/app.js", "/none"] {
        let response = try await Self.get(server.endpoint, path)
        #expect(response?.status == 405)
        let text = String(decoding: response?.body ?? [], as: UTF8.self)
        #expect(text.hasPrefix("Methods are called with POST. "), "\(text)")
      }
    }
  }
}
