import MarqueeTestSupport
import NIOCore
import NIOEmbedded
import Testing

@testable import MarqueeTransport

@Suite("Repeated calls on a connection in HTTP/1.1")
struct HTTP1RepetitionTests {
  private static let path = Methods.echoNow.path
  private static let call = HTTP1RawClient.call(path, [1, 2, 3])

  /// Requests after which, or instead of which, a call is repeated.
  private static let others: [[UInt8]] = [
    call, HTTP1RawClient.call(path, []), HTTP1RawClient.call(path, [UInt8](repeating: 9, count: 300)),
    HTTP1RawClient.call(path, [1, 2, 3], ["X-Note: a"]), HTTP1RawClient.call("test.Echo/None", [1]),
    HTTP1RawClient.call(path, [1], host: "example.com"), HTTP1RawClient.call(path, Array("[4]".utf8), type: "a/b"),
    HTTP1RawClient.call(path, Array("[4]".utf8), type: "application/json"),
    Array("POST /\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n".utf8)
      + Array("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n".utf8),
    Array("GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), Array("\r\n".utf8) + call,
    HTTP1RawClient.call(path, [1], ["Connection: close"]), Array("garbage\r\n\r\n".utf8),
    HTTP1RawClient.call(path, [5], ["Connect-Timeout-Ms: 0"]), HTTP1RawClient.call(path, [5], ["Upgrade: h2c"]),
  ]

  /// Returns the responses to requests that arrive in chunks.
  private static func output(_ chunks: [[UInt8]]) throws -> String {
    let loop = EmbeddedEventLoop()
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = loop
    configuration.dateClock = { 784_111_777 }
    var router = Router(status: EchoServer.status)
    router.transcoder = ByteListTranscoder()
    router.synchronous(Methods.echoNow) { request, _ in request }
    let server = RPCServer(router: router, configuration: configuration, logger: .silent)
    let channel = EmbeddedChannel(loop: loop)
    try server.accept(channel)
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "test"), promise: nil)
    var output: [UInt8] = []
    for chunk in chunks where channel.isActive {
      try channel.writeInbound(ByteBuffer(bytes: chunk))
      loop.run()
      while let part = try channel.readOutbound(as: ByteBuffer.self) { output += part.readableBytesView }
    }
    _ = try channel.finish(acceptAlreadyClosed: true)
    return String(decoding: output, as: UTF8.self)
  }

  @Test("The responses are the same however the requests are divided, and whatever was sent between them")
  func division() throws {
    let first = try Self.output([Self.call])
    for other in Self.others {
      // Byte by byte, no request is recognized.
      let requests = [Self.call, Self.call, other, Self.call, Self.call]
      let bytes = requests.flatMap(\.self)
      let expected = try Self.output(bytes.map { [$0] })
      #expect(expected.hasPrefix(first + first))
      #expect(try Self.output(requests) == expected, "\(String(decoding: other, as: UTF8.self))")
      #expect(try Self.output([bytes]) == expected, "\(String(decoding: other, as: UTF8.self))")
      for place in stride(from: 1, to: bytes.count, by: 7) {
        let chunks = [Array(bytes[..<place]), Array(bytes[place...])]
        #expect(try Self.output(chunks) == expected, "\(place), \(String(decoding: other, as: UTF8.self))")
      }
    }
  }

  @Test("A request in the body of a call is not recognized as one")
  func smuggled() throws {
    let outer = HTTP1RawClient.call(Self.path, Self.call)
    let answers = try Self.output([Self.call, outer, Self.call])
    #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == 3)
  }
}
