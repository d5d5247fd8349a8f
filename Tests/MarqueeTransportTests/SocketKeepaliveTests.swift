import Foundation
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Keepalive of sockets", .timeLimit(.minutes(1)))
struct SocketKeepaliveTests {
  /// The kind of the timer of an established connection to a port, as the system reports it.
  private static func timers(ofPort port: Int) throws -> [String] {
    let name = ":" + String(format: "%04X", port)
    // Its size is unknown before it is read.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 5, words[1].hasSuffix(name), words[3] == "01" else { return nil }
      return String(words[5].prefix(2))
    }
  }

  @Test("The system probes idle TCP connections, because HTTP/1.1 has no pings")
  func probes() async throws {
    let server = try await EchoServer()
    guard case .tcp(_, let port) = server.endpoint else {
      Issue.record("not a TCP endpoint")
      return
    }
    var client = try await HTTP1RawClient(server.endpoint)
    var seen: [String] = []
    // Until its last response is acknowledged, the connection has a timer of another kind.
    for _ in 0..<100 where seen != ["02"] {
      let answer = await client.answer(Methods.echo.path, [1])
      #expect(answer?.status == 200)
      seen = try Self.timers(ofPort: port)
    }
    #expect(seen == ["02"])
    await server.shutDown()
  }
}
