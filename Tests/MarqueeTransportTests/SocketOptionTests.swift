import Foundation
import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Options of sockets", .timeLimit(.minutes(1)))
struct SocketOptionTests {
  /// The server's ends of the established connections to a port, as the system reports them.
  private static func connections(toPort port: Int) throws -> [[Substring]] {
    let name = ":" + String(format: "%04X", port)
    // Its size is unknown before it is read.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 5, words[1].hasSuffix(name), words[3] == "01" else { return nil }
      return words
    }
  }

  private static func port(of server: EchoServer) throws -> Int {
    guard case .tcp(_, let port) = server.endpoint else { throw RPCStatus(.internalError, "not a TCP endpoint") }
    return port
  }

  @Test("The system probes idle TCP connections, because HTTP/1.1 has no pings")
  func probes() async throws {
    let server = try await EchoServer()
    let port = try Self.port(of: server)
    var client = try await HTTP1RawClient(server.endpoint)
    var seen: [String] = []
    // Until its last response is acknowledged, the connection has a timer of another kind.
    for _ in 0..<100 where seen != ["02"] {
      let answer = await client.answer(Methods.echo.path, [1])
      #expect(answer?.status == 200)
      // The kind of the timer.
      seen = try Self.connections(toPort: port).map { String($0[5].prefix(2)) }
    }
    #expect(seen == ["02"])
    await server.shutDown()
  }

  @Test("The system keeps little of what a client does not read, since no budget of the server contains it")
  func unsentBytes() async throws {
    var configuration = ServerConfiguration()
    configuration.files = StaticFiles(
      [.init(paths: ["/"], contentType: "text/plain", content: [UInt8](repeating: 0x61, count: 8 << 20))],
      missing: .init(paths: [], contentType: "text/plain", content: []), fields: [])
    let server = try await EchoServer(configuration: configuration)
    let port = try Self.port(of: server)
    let silent = try await HTTP1RawClient(server.endpoint, reads: false)
    silent.push("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    var client = try await HTTP1RawClient(server.endpoint)
    var size = 0
    for _ in 0..<200 {
      let answer = await client.answer(Methods.echo.path, [1])
      #expect(answer?.status == 200)
      for words in try Self.connections(toPort: port) { size = max(size, Int(words[4].prefix(8), radix: 16) ?? 0) }
    }
    #expect((1...524_288).contains(size))
    try await silent.close()
    try await client.close()
    await server.shutDown()
  }
}
