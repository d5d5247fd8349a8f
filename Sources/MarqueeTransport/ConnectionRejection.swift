import MarqueeRPC
import NIOCore

/// Sends a rejected peer the reason in its own protocol, and closes the connection.
///
/// The reason is sent after the first input, which identifies the protocol, because closing a socket with unread input
/// may discard the bytes written to it.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class ConnectionRejection: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The maximum wait for input, after which the reason is sent in Marquee's own protocol.
  private static let waitMax = TimeAmount.seconds(1)

  /// The bytes that state the reason in each protocol of the server.
  private let reasons: [ConnectionProtocol: [UInt8]]
  private var received: ByteBuffer?
  private var end: Scheduled<Void>?

  /// - Parameter reasons: The bytes to send to the peer, by protocol.
  init(_ reasons: [ConnectionProtocol: [UInt8]]) {
    self.reasons = reasons
  }

  func channelActive(context: ChannelHandlerContext) {
    end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.waitMax) { self.answer(.native, context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    if var kept = received {
      kept.writeBuffer(&buffer)
      buffer = kept
    }
    received = buffer
    switch FirstBytes(buffer.readableBytesView) {
    case .incomplete: break
    case .begin(let known): answer(known, context)
    case .garbage: context.close(promise: nil)
    }
  }

  private func answer(_ known: ConnectionProtocol, _ context: ChannelHandlerContext) {
    if let reason = reasons[known] {
      context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: reason)), promise: nil)
    }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
