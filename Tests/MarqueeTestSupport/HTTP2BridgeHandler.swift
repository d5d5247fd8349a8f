import MarqueeRPC
import NIOCore

/// The channel handler of an ``HTTP2Bridge``, between the handler of a client's connection and the socket.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
package final class HTTP2BridgeHandler: ChannelDuplexHandler, @unchecked Sendable {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private let bridge: HTTP2Bridge
  private let loop: any EventLoop
  private let report: (String) -> Void
  private var reportedCount = 0
  private var context: ChannelHandlerContext?
  /// The client's bytes that have not been passed to the bridge: writes are processed in an event of their own.
  private var written: [UInt8] = []
  private var pumpIsScheduled = false
  private var isPumping = false
  private var isClosed = false
  private var timer: Scheduled<Void>?

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - codec: The encoding of messages in the Connect protocol; `nil` for gRPC.
  ///   - loop: The event loop of the channel.
  ///   - report: Called with each violation of HTTP/2 or of the protocol's mapping by the server.
  package init(
    _ codec: ConnectBridgeCall.Codec? = nil, on loop: any EventLoop, reporting report: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.report = report
    bridge = HTTP2Bridge(codec, at: loop.time)
  }

  // MARK: Channel events

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { pump() }
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  package func channelActive(context: ChannelHandlerContext) {
    pump()
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    buffer.withUnsafeReadableBytes { bridge.receive(fromServer: $0, at: loop.time) }
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    pump()
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    pump()
    context.fireChannelWritabilityChanged()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    written += unwrapOutboundIn(data).readableBytesView
    promise?.succeed()
  }

  package func flush(context: ChannelHandlerContext) { schedulePump() }

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if !isClosed, context.channel.isActive {
      receiveWritten()
      bridge.clientCloses()
      writeOutput(context)
    }
    context.close(mode: mode, promise: promise)
  }

  private func end() {
    isClosed = true
    timer?.cancel()
    timer = nil
  }

  // MARK: Translating

  /// Schedules the translation after the current event, in which the client's handler must not receive anything.
  private func schedulePump() {
    guard !pumpIsScheduled else { return }
    pumpIsScheduled = true
    loop.assumeIsolated().execute {
      self.pumpIsScheduled = false
      self.pump()
    }
  }

  private func pump() {
    guard let context, !isPumping, !isClosed, context.channel.isActive else { return }
    isPumping = true
    receiveWritten()
    var hasProgress = true
    while hasProgress, !isClosed {
      hasProgress = writeOutput(context)
      let bytes = bridge.outputToClient(at: loop.time)
      guard !bytes.isEmpty else { continue }
      hasProgress = true
      context.fireChannelRead(wrapInboundOut(context.channel.allocator.buffer(bytes: bytes)))
      context.fireChannelReadComplete()
    }
    isPumping = false
    for violation in bridge.violations[reportedCount...] { report(violation) }
    reportedCount = bridge.violations.count
    guard !isClosed else { return }
    if bridge.isOver { return context.close(promise: nil) }
    if !written.isEmpty { schedulePump() }
    setTimer()
  }

  private func receiveWritten() {
    guard !written.isEmpty else { return }
    let bytes = written
    written = []
    bridge.receive(fromClient: bytes, at: loop.time)
  }

  /// Writes the output to the server as long as the channel is writable.
  ///
  /// - Returns: Whether anything was written.
  @discardableResult
  private func writeOutput(_ context: ChannelHandlerContext) -> Bool {
    var hasWritten = false
    while context.channel.isWritable, !isClosed {
      let bytes = bridge.outputToServer(at: loop.time)
      guard !bytes.isEmpty else { break }
      context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
      hasWritten = true
    }
    if hasWritten { context.flush() }
    return hasWritten
  }

  private func setTimer() {
    guard timer == nil, let due = bridge.wakeUpTime else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(clamping: due.nanoseconds))
    timer = loop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.timer = nil
      self.bridge.wakeUp(at: self.loop.time)
      self.pump()
    }
  }
}
