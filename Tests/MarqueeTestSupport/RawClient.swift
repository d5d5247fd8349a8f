import MarqueeTransport
import NIOCore
import NIOPosix

/// A socket client that sends arbitrary bytes and reads only on request.
package struct RawClient {
  private let channel: any Channel
  private let received: AsyncStream<[UInt8]>
  /// The received bytes, and the number of those that were returned as frames.
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

  /// Sends, and waits for the write.
  package func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
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

  /// Returns all bytes received so far, once there are at least `count` or the server has closed the connection.
  ///
  /// The bytes include the preface and those of frames that were returned before.
  package mutating func receive(atLeast count: Int) async -> [UInt8] {
    while bytes.count < count, await readMore() {}
    return bytes
  }

  /// Returns all bytes received until the server closes the connection, as ``receive(atLeast:)`` does.
  package mutating func receiveToEnd() async -> [UInt8] { await receive(atLeast: .max) }

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

  /// Closes the direction to the server.
  package func closeOutput() async throws {
    try await channel.close(mode: .output)
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
