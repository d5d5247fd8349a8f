import MarqueeTransport
import NIOCore
import NIOEmbedded

/// A kernel of unary echo calls in JSON on one connection of a server in HTTP/1.1, in memory: the server's cost of a
/// call without a socket. The requests are those of `h2load`.
struct JSONKernel {
  private let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel
  private let server: RPCServer
  private let request: ByteBuffer

  init() throws {
    let body = #"{"service":"\#(EchoPayload.smallMessage.service)"}"#
    let fields: KeyValuePairs = [
      "host": "127.0.0.1:8080", "user-agent": "h2load nghttp2/1.52.0", "x-request-id": "0123456789abcdef",
      "x-client": "bench", "content-type": "application/json", "connect-timeout-ms": "10000",
      "content-length": "\(body.utf8.count)",
    ]
    let lines = ["POST /marquee.bench.v1.Echo/Small HTTP/1.1"] + fields.map { "\($0): \($1)" }
    request = ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    server = MarqueeEcho.server(on: loop)
    channel = EmbeddedChannel(loop: loop)
    try server.accept(channel)
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "kernel"), promise: nil)
  }

  /// Makes `count` calls, one after the other.
  func run(count: Int) throws {
    var size = 0
    for _ in 0..<count {
      try channel.writeInbound(request)
      loop.run()
      while let output = try channel.readOutbound(as: ByteBuffer.self) { size += output.readableBytes }
    }
    precondition(size > count * EchoPayload.small.encoded.count, "the echoes are missing")
  }
}
