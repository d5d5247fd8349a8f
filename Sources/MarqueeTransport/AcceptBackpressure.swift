import Glibc
import NIOCore

/// Accept back-pressure: stops accepting while too many accepted connections are being initialized, so that a burst of
/// connections cannot exhaust the file descriptors that are left for them.
///
/// It also pauses when the process or the system is out of file descriptors, because `accept` would fail again at once
/// for as long as a connection is waiting.
///
/// `@unchecked Sendable`: all state is accessed only on the listener's event loop.
final class AcceptBackpressure: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  /// The pause after `accept` fails because of a lack of file descriptors or memory.
  private static let pause = TimeAmount.milliseconds(100)

  private let loop: any EventLoop
  /// The number of connections being initialized from which on no more are accepted. A read in progress may already
  /// have accepted as many again.
  let underWayMax: Int
  private var context: ChannelHandlerContext?
  private var underWay = 0
  private var hasPendingRead = false
  private var isPausing = false

  init(on loop: any EventLoop, underWayMax: Int) {
    self.loop = loop
    self.underWayMax = underWayMax
  }

  /// Records that a connection has been initialized or rejected. Thread-safe.
  func connectionInitialized() {
    loop.run {
      self.underWay -= 1
      guard self.hasPendingRead, self.underWay < self.underWayMax else { return }
      self.hasPendingRead = false
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
    if underWay < underWayMax {
      context.read()
    } else {
      hasPendingRead = true
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    guard !isPausing else { return }
    isPausing = true
    // Withholding `read` is not enough: the listener would keep polling for the connection that it failed to accept.
    setReading(false)
    loop.assumeIsolated().scheduleTask(in: Self.pause) {
      self.isPausing = false
      self.setReading(true)
    }
  }

  private func setReading(_ isReading: Bool) {
    guard let options = context?.channel.syncOptions else { return }
    // A closed listener accepts no connections anyway.
    try? options.setOption(.autoRead, value: isReading)
  }
}
