import NIOCore

/// Tells a peer why its connection is refused, and closes it once the peer has said anything: a socket that is closed
/// on unread bytes may take back what was written to it.
final class ConnectionRefusal: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How long a silent peer is waited for.
  private static let waitMax = TimeAmount.seconds(1)

  private let words: [UInt8]
  private var end: Scheduled<Void>?

  /// - Parameter words: What the peer is told.
  init(_ words: [UInt8]) {
    self.words = words
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: words)), promise: nil)
    end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.waitMax) { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
