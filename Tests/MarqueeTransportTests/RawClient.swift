import MarqueeRPC
import NIOCore
import NIOPosix

@testable import MarqueeTransport

/// A socket that sends arbitrary bytes.
struct RawClient {
  let channel: any Channel
  private let received: AsyncStream<[UInt8]>

  init(_ endpoint: Endpoint, reads: Bool = true) async throws {
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
    received = stream
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reads)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Collector(continuation))
        }
      }
    switch endpoint {
    case .tcp(let host, let port): channel = try await bootstrap.connect(host: host, port: port).get()
    case .unix(let path): channel = try await bootstrap.connect(unixDomainSocketPath: path).get()
    }
  }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
  }

  /// Sends without waiting for the write.
  func push(_ bytes: [UInt8]) {
    channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
  }

  /// Returns all bytes that the server sends until it closes the connection.
  func rest() async -> [UInt8] {
    var bytes: [UInt8] = []
    for await chunk in received { bytes += chunk }
    return bytes
  }

  /// Returns the bytes that the server sends, until there are at least `count` or it closes the connection.
  func read(atLeast count: Int) async -> [UInt8] {
    var bytes: [UInt8] = []
    for await chunk in received {
      bytes += chunk
      if bytes.count >= count { break }
    }
    return bytes
  }

  func close() async throws {
    try await channel.close()
  }

  private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<[UInt8]>.Continuation

    init(_ continuation: AsyncStream<[UInt8]>.Continuation) {
      self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(Array(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}

/// Handwritten frames.
enum Raw {
  static let preface: [UInt8] = [0x89, 0x4D, 0x52, 0x51, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0]
  static let settings = frame(1)
  static let hello = preface + settings

  static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    big(UInt32(payload.count)) + [type, flags] + big(stream) + payload
  }

  static func open(_ stream: UInt32, _ method: String) -> [UInt8] {
    frame(2, stream: stream, [0x0A, UInt8(method.utf8.count)] + Array(method.utf8))
  }

  static func message(_ stream: UInt32, _ payload: [UInt8], flags: UInt8 = 1) -> [UInt8] {
    frame(4, flags: flags, stream: stream, payload)
  }

  static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// The types of the frames after the preface.
  static func types(in bytes: [UInt8]) -> [UInt8] {
    frames(in: bytes).map(\.type)
  }

  static func frames(in bytes: [UInt8]) -> [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] {
    var rest = bytes.dropFirst(12)
    var frames: [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] = []
    func number(_ offset: Int) -> UInt32 {
      rest[(rest.startIndex + offset)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    while rest.count >= 10, rest.count >= 10 + Int(number(0)) {
      let start = rest.startIndex
      let payload = Array(rest[(start + 10)..<(start + 10 + Int(number(0)))])
      frames.append((rest[start + 4], rest[start + 5], number(6), payload))
      rest = rest.dropFirst(10 + payload.count)
    }
    return frames
  }
}
