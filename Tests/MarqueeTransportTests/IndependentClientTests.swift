import Foundation
import Testing

@testable import MarqueeTransport

@Suite("Independent client written from the protocol article", .timeLimit(.minutes(1)))
struct IndependentClientTests {
  @Test("Its unary and bidirectional calls are answered")
  func calls() async throws {
    let server = try await EchoServer()
    guard case .tcp(_, let port) = server.endpoint else {
      Issue.record("no TCP endpoint")
      return
    }
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/call_protocol_client.py")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", fixture.path(), "\(port)"]
    let output = Pipe()
    process.standardOutput = output
    let ended = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { ended.continuation.yield($0.terminationStatus) }
    try process.run()
    var ends = ended.stream.makeAsyncIterator()
    #expect(await ends.next() == 0)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(
      text == """
        unary True (0, '')
        header {'seen': 'from Python'}
        chat one
        chat\(" ")
        chat three
        status (0, '')
        unknown 12

        """)
    await server.shutDown()
  }
}
