import MarqueeTransport
import NIOCore
import NIOEmbedded

/// A kernel of unary echo calls in gRPC on one connection of a server, in memory: the server's cost of a call without a
/// socket. The frames are those of `h2load`.
struct GRPCKernel {
  /// The number of calls in one read, and in flight.
  private static let batchCount = 64

  private let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel
  private let server: RPCServer
  /// The frames of the first call, and of any other.
  private let first: Request
  private let other: Request

  init() throws {
    let content = EchoPayload.small.encoded
    let data = Frame(type: 0, Frame.endStream, [0, 0, 0, 0, UInt8(content.count)] + content)
    first = Request(headers: Frame(type: 1, Frame.endHeaders, Self.firstFields), data: data)
    other = Request(headers: Frame(type: 1, Frame.endHeaders, Self.fields), data: data)
    server = MarqueeEcho.server(on: loop)
    channel = EmbeddedChannel(loop: loop)
    try server.accept(channel)
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "kernel"), promise: nil)
    var bytes = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    // SETTINGS, and a WINDOW_UPDATE of the connection.
    Frame(type: 4, 0, []).append(to: &bytes, stream: 0)
    Frame(type: 8, 0, [0x40, 0, 0, 0]).append(to: &bytes, stream: 0)
    try channel.writeInbound(bytes)
  }

  /// Makes `count` calls.
  func run(count: Int) throws {
    var size = 0
    for start in stride(from: 0, to: count, by: Self.batchCount) {
      var bytes = ByteBuffer()
      for call in start..<min(start + Self.batchCount, count) {
        let request = call == 0 ? first : other
        request.headers.append(to: &bytes, stream: 2 * call + 1)
        request.data.append(to: &bytes, stream: 2 * call + 1)
      }
      try channel.writeInbound(bytes)
      loop.run()
      while let output = try channel.readOutbound(as: ByteBuffer.self) { size += output.readableBytes }
    }
    precondition(size > count * other.data.bytes.count, "the echoes are missing")
  }

  // MARK: Frames

  private struct Request {
    let headers: Frame
    let data: Frame
  }

  private struct Frame {
    static let endStream: UInt8 = 1
    static let endHeaders: UInt8 = 4

    let bytes: [UInt8]

    init(type: UInt8, _ flags: UInt8, _ payload: [UInt8]) {
      bytes = [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, 0] + payload
    }

    func append(to buffer: inout ByteBuffer, stream: Int) {
      let start = buffer.writerIndex
      buffer.writeBytes(bytes)
      buffer.setInteger(UInt32(stream), at: start + 5)
    }
  }

  // MARK: Header blocks

  /// The fields that clients add to the dynamic table.
  private static let indexedFields: KeyValuePairs = [
    ":authority": "127.0.0.1:8080", "user-agent": "h2load nghttp2/1.52.0", "x-request-id": "0123456789abcdef",
    "x-client": "bench", "content-type": "application/grpc", "te": "trailers", "grpc-timeout": "10S",
  ]

  /// The fields of the static table, `:scheme` and `:method`, and `:path`, which is not added to a table.
  private static let commonFields = [0x86, 0x83, 0x04] + text("/marquee.bench.v1.Echo/Small")

  /// The header block of the first request: it adds fields to the dynamic table.
  private static let firstFields = commonFields + indexedFields.flatMap { [0x40] + text($0) + text($1) }

  /// The header block of further requests, which refers to the dynamic table: its last entry has the number 62.
  private static let fields = commonFields + indexedFields.indices.reversed().map { 0x80 | UInt8(62 + $0) }

  private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }
}
