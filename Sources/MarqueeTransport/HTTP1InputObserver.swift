import NIOCore

/// Reports input to a session before it is decoded, so that the time of an incomplete request head is limited, and
/// drops input that no request can follow in.
final class HTTP1InputObserver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private weak var session: HTTP1Session?

  init(_ session: HTTP1Session) {
    self.session = session
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if session?.noteInput() == true { context.fireChannelRead(data) }
  }
}
