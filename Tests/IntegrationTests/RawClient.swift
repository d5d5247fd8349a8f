import MarqueeTransport
import NIOCore
import NIOPosix

/// A socket that says what a test wants it to say, and reads only what it is told to.
struct RawClient {
  private let channel: any Channel
  private let received: AsyncStream<[UInt8]>
  /// What has come, and how much of it has been given out.
  private var (bytes, offset) = ([UInt8](), RawFrame.prefaceSize)

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

  /// Sends without waiting for the socket to take it.
  func push(_ bytes: [UInt8]) {
    channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
  }

  /// Frames as they come, until `isLast` is true of one or the server closes; the preface is passed over.
  mutating func frames(until isLast: (RawFrame) -> Bool = { _ in false }) async -> [RawFrame] {
    var frames: [RawFrame] = []
    repeat {
      while let frame = RawFrame(bytes, at: &offset) {
        frames.append(frame)
        if isLast(frame) { return frames }
      }
    } while await readMore()
    return frames
  }

  private mutating func readMore() async -> Bool {
    for await chunk in received {
      bytes += chunk
      return true
    }
    return false
  }

  /// Sends one byte in each `interval` from now on, as long as the socket is open.
  func push(_ bytes: [UInt8], each interval: TimeAmount) {
    for (index, byte) in bytes.enumerated() {
      channel.eventLoop.scheduleTask(in: interval * (index + 1)) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: [byte]), promise: nil)
      }
    }
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

/// A frame of the call protocol, byte by byte.
struct RawFrame: Hashable {
  static let prefaceSize = 12
  static let preface: [UInt8] = [0x89, 0x4D, 0x52, 0x51, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0]
  /// What a client begins with: the preface and settings that change nothing.
  static let hello = preface + RawFrame(type: 1).bytes

  var type: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  static func open(_ stream: UInt32, _ method: String) -> [UInt8] {
    RawFrame(type: 2, stream: stream, payload: WireBytes.field(1, method)).bytes
  }

  static func message(_ stream: UInt32, _ payload: [UInt8], endsStream: Bool = true) -> [UInt8] {
    RawFrame(type: 4, flags: endsStream ? 1 : 0, stream: stream, payload: payload).bytes
  }

  static func credit(_ stream: UInt32, _ size: UInt32) -> [UInt8] {
    RawFrame(type: 7, stream: stream, payload: big(size)).bytes
  }

  var bytes: [UInt8] { Self.big(UInt32(payload.count)) + [type, flags] + Self.big(stream) + payload }

  /// Whether it ends a call that no handler has seen.
  var isRefusal: Bool { type == 5 && flags == 1 }
  /// Whether it tells why the connection ends.
  var isGoAway: Bool { type == 9 }

  private static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}

extension RawFrame {
  /// The frame at `offset`, which moves behind it; `nil` when it has not come whole.
  init?(_ bytes: [UInt8], at offset: inout Int) {
    guard bytes.count >= offset + 10 else { return nil }
    let number = { (start: Int) in bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    let end = offset + 10 + Int(number(offset))
    guard bytes.count >= end else { return nil }
    self.init(
      type: bytes[offset + 4], flags: bytes[offset + 5], stream: number(offset + 6),
      payload: Array(bytes[(offset + 10)..<end]))
    offset = end
  }
}
