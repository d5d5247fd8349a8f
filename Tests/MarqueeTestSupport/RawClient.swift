import MarqueeTransport
import NIOCore
import NIOPosix

/// A socket client that sends arbitrary bytes and reads only on request.
package struct RawClient {
  private let channel: any Channel
  private let received: AsyncStream<[UInt8]>
  /// The received bytes, and the number of consumed ones.
  private var (bytes, offset) = ([UInt8](), RawFrame.prefaceSize)

  package init(_ endpoint: Endpoint, reads: Bool = true) async throws {
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

  /// Sends without waiting.
  package func push(_ bytes: [UInt8]) {
    channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
  }

  /// Returns the received frames until one satisfies `isLast` or the server closes. The preface is skipped.
  package mutating func frames(until isLast: (RawFrame) -> Bool = { _ in false }) async -> [RawFrame] {
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

  /// Sends one byte per `interval` from now on, while the socket is open.
  package func push(_ bytes: [UInt8], each interval: TimeAmount) {
    for (index, byte) in bytes.enumerated() {
      channel.eventLoop.scheduleTask(in: interval * (index + 1)) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: [byte]), promise: nil)
      }
    }
  }

  package func close() async throws {
    try await channel.close()
  }

  /// Closes after a time, unless the server closes first.
  package func close(in time: TimeAmount) {
    let channel = channel
    let end = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in end.cancel() }
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

/// A raw frame of the RPC protocol.
package struct RawFrame: Hashable {
  package static let prefaceSize = 12
  package static let preface: [UInt8] = [0x89, 0x4D, 0x52, 0x51, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0]
  /// A client's first bytes: the preface and default settings.
  package static let hello = preface + RawFrame(type: 1).bytes

  package var type: UInt8
  package var flags: UInt8
  package var stream: UInt32
  package var payload: [UInt8]

  package static func open(_ stream: UInt32, _ method: String) -> [UInt8] {
    RawFrame(type: 2, stream: stream, payload: WireBytes.field(1, method)).bytes
  }

  package static func message(_ stream: UInt32, _ payload: [UInt8], endsStream: Bool = true) -> [UInt8] {
    RawFrame(type: 4, flags: endsStream ? 1 : 0, stream: stream, payload: payload).bytes
  }

  package static func credit(_ stream: UInt32, _ size: UInt32) -> [UInt8] {
    RawFrame(type: 7, stream: stream, payload: big(size)).bytes
  }

  package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
    self.type = type
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  package var bytes: [UInt8] { Self.big(UInt32(payload.count)) + [type, flags] + Self.big(stream) + payload }

  /// Whether the frame refuses a call before any handler received it.
  package var isRefusal: Bool { type == 5 && flags == 1 }
  /// Whether the frame is a GOAWAY.
  package var isGoAway: Bool { type == 9 }

  package static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}

extension RawFrame {
  /// Parses the frame at `offset` and advances it; `nil` if the frame is incomplete.
  package init?(_ bytes: [UInt8], at offset: inout Int) {
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

extension RawFrame {
  /// The status code of a STATUS frame.
  package var statusCode: UInt64? { type == 5 ? number(1) ?? 0 : nil }

  /// Returns the first value of a numeric field of the payload; `nil` if it is missing.
  package func number(_ field: UInt64) -> UInt64? {
    var rest = payload[...]
    while let tag = Self.varint(&rest), let value = Self.varint(&rest) {
      if tag == field << 3 { return value }
      if tag & 7 == 2 { rest = rest.dropFirst(Int(clamping: value)) }
    }
    return nil
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = bytes.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
