import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Browsers, and calls in JSON", .timeLimit(.minutes(2)))
struct BrowserTests {
  /// Returns the response to a call in JSON: its status line and all that follows.
  private static func answer(
    _ endpoint: Endpoint, _ method: String, _ json: String, _ fields: [String] = []
  ) async throws -> String {
    var client = try await RawClient(endpoint)
    let head =
      [
        "POST /marquee.v1.\(method) HTTP/1.1", "Host: localhost", "Content-Type: application/json",
        "Content-Length: \(json.utf8.count)", "X-Last: 1",
      ] + fields
    client.push(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + json).utf8))
    // A request that is not one, whose response ends the connection.
    client.push(Array("end\r\n\r\n".utf8))
    return String(decoding: await client.receiveToEnd(), as: UTF8.self)
  }

  @Test("Calls in JSON reach the same handlers, and errors name the path of the invalid value")
  func json() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection(), members: [])
      let devices = try await Self.answer(server.endpoint, "Admin/ListDevices", "{}")
      #expect(devices.hasPrefix("HTTP/1.1 200 OK\r\n") && devices.contains("\"device\":\"\(Fixture.device)\""))
      let missing = try await Self.answer(server.endpoint, "Admin/ListStacks", "{\"device\":\"nobody\"}")
      #expect(missing.hasPrefix("HTTP/1.1 404 ") && missing.contains("{\"code\":\"not_found\""))
      let invalid = try await Self.answer(server.endpoint, "Admin/Explain", "{\"device\":\"d\",\"atMs\":[]}")
      #expect(invalid.hasPrefix("HTTP/1.1 400 ") && invalid.contains("\"message\":\"atMs"))
      // A handler's error, after one of the conversion from JSON.
      let handled = try await Self.answer(
        server.endpoint, "Admin/Explain", #"{"device":"d","stack":"home","atMs":"-1","atMS":1}"#)
      #expect(handled.hasPrefix("HTTP/1.1 400 ") && handled.contains("\"message\":\"atMs: -1 ms is outside"))
      #expect(handled.contains("\"type\":\"google.rpc.BadRequest\""))
      #expect(handled.contains("\r\nmarquee-ignored-fields: atMS\r\n"))
      let deep = String(repeating: "{\"a\":", count: 100) + "1" + String(repeating: "}", count: 100)
      let refused = try await Self.answer(server.endpoint, "Admin/ListDevices", deep)
      #expect(refused.hasPrefix("HTTP/1.1 429 ") && refused.contains("json-depth-max"))
    }
  }

  @Test("A browser's call without a token is unauthenticated over a Unix socket and from a loopback address")
  func browsers() async throws {
    let directory = try TemporaryDirectory()
    let policy = try directory.write(InProcessServer.openPolicy, to: "access.yaml")
    try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      for endpoint in [server.endpoint, server.tcpEndpoint] {
        let own = try await Self.answer(endpoint, "Admin/ListDevices", "{}")
        #expect(own.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for field in [
          "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "sec-fetch-site:", "Origin: http://localhost",
        ] {
          let refused = try await Self.answer(endpoint, "Admin/ListDevices", "{}", [field])
          #expect(refused.hasPrefix("HTTP/1.1 401 ") && refused.contains("\"unauthenticated\""), "\(field)")
        }
        let foreign = try await Self.answer(endpoint, "Admin/ListDevices", "{}", ["Origin: https://evil.example"])
        #expect(foreign.hasPrefix("HTTP/1.1 403 "))
      }
    }
  }
}
