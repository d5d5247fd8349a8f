import NIOCore

/// Holds a listener back while connections that it has accepted wait to be taken over or turned away, so that a rush
/// of them takes no more files than are spare.
///
/// `@unchecked Sendable`: all state is touched on the listener's event loop alone.
final class AcceptGate: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  /// So many may wait before the listener is held back; it may have accepted as many again by then.
  static let underWayMax = 16

  private let loop: any EventLoop
  private var context: ChannelHandlerContext?
  private var underWay = 0
  private var readIsHeld = false

  init(on loop: any EventLoop) {
    self.loop = loop
  }

  /// One of them was taken over or turned away. From anywhere.
  func settled() {
    loop.run {
      self.underWay -= 1
      guard self.readIsHeld, self.underWay < Self.underWayMax else { return }
      self.readIsHeld = false
      self.context?.read()
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    underWay += 1
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    if underWay < Self.underWayMax {
      context.read()
    } else {
      readIsHeld = true
    }
  }
}
