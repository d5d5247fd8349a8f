import NIOCore

/// Sends a rejected peer the reason, and closes the connection after the first input from the peer: closing a socket
/// with unread input may discard the bytes written to it.
final class ConnectionRejection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The maximum wait for input.
  private static let waitMax = TimeAmount.seconds(1)

  private let bytes: [UInt8]
  private var end: Scheduled<Void>?

  /// - Parameter bytes: The bytes to send to the peer.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.waitMax) { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
