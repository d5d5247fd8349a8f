import Logging
import MarqueeRPC
import NIOCore
import NIOSSL
import NIOTLS

/// What a connection's events mean to a server or a client. On the event loop.
protocol ConnectionSession: AnyObject {
  /// The socket is open and, with TLS, the peer's certificate is known.
  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?)
  /// One event; ranges in it are offsets into `bytes`.
  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer)
  /// The writer of that stream may go on, or finds its call over.
  func becameWritable(_ stream: StreamID)
  /// The socket is closed, for the given reason if the protocol knows one.
  func disconnected(_ failure: ConnectionFailure?)
}

/// Moves bytes and time between a socket and a ``Connection``.
///
/// `@unchecked Sendable`: all state is touched on the channel's event loop alone.
final class ConnectionHandler: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Unchecked, since every frame comes here several times. Two accesses do not overlap: what a connection has to say
  /// it returns, and the bodies that it runs meanwhile only encode a message or copy bytes.
  @exclusivity(unchecked) var connection: Connection
  let resources: LoopResources
  private let session: any ConnectionSession
  private var context: ChannelHandlerContext?
  private var unread: ByteBuffer?
  private var failure: ConnectionFailure?
  private var timer: Scheduled<Void>?
  private var timerTime = MonotonicTime.distantFuture
  private var isReading = false
  /// When the bytes came of which the current read makes events.
  private var batchTime: MonotonicTime?
  private var settlingIsScheduled = false
  private var readIsHeld = false
  private var isClosing = false
  private var hasEnded = false

  init(
    _ role: Connection.Role, limits: RPCLimits, resources: LoopResources, session: any ConnectionSession
  ) {
    self.resources = resources
    self.session = session
    connection = Connection(
      role, limits: limits, arena: resources.arena, scratch: resources.scratch, at: resources.now)
  }

  /// Now, as far as a connection needs to know: within a read, when that began.
  var now: MonotonicTime { batchTime ?? resources.now }

  /// Has what was changed outside a read written soon, once for all changes of this turn of the loop.
  func settleSoon() {
    guard !isReading, let context else { return }
    writeEarly(context)
    guard !settlingIsScheduled else { return }
    settlingIsScheduled = true
    resources.loop.execute {
      self.settlingIsScheduled = false
      self.settle()
    }
  }

  /// Bytes of a call's messages that wait for credit or room.
  func backlogSize(of stream: StreamID) -> Int {
    connection.backlogSize(of: stream)
  }

  /// Closes the socket once what is queued is written.
  func close() {
    guard !isClosing, let context else { return }
    isClosing = true
    write(context)
    context.close(promise: nil)
  }

  // MARK: Channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { start(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    start(context)
    context.fireChannelActive()
  }

  private func start(_ context: ChannelHandlerContext) {
    let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)  // absent without TLS
    if tls == nil { session.connected(context.channel, certificate: nil) }
    settle()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)  // it has just spoken
      session.connected(context.channel, certificate: tls?.peerCertificate)
    }
    if case .inputClosed? = event as? ChannelEvent { close() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    if var kept = unread {
      unread = nil
      kept.writeBuffer(&buffer)
      buffer = kept
    }
    isReading = true
    let now = resources.now
    batchTime = now
    let taken = buffer.withUnsafeReadableBytes { bytes in
      var offset = 0
      while let event = connection.receive(bytes, from: &offset, at: now) {
        dispatch(event, bytes)
        writeEarly(context)
      }
      return offset
    }
    buffer.moveReaderIndex(forwardBy: taken)
    if buffer.readableBytes > 0, !isClosing {
      buffer.discardReadBytes()
      unread = buffer
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    batchTime = nil
    settle()
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable, !isReading { settle() }
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    if connection.refusesInput {
      readIsHeld = true
    } else {
      context.read()
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Lets everything go, once.
  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    isClosing = true
    timer?.cancel()
    timer = nil
    unread = nil
    session.disconnected(failure)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: Settling

  private func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    if case .failed(let failure) = event { self.failure = failure }
    session.handle(event, bytes)
  }

  /// Does all that follows from a batch of changes: events, writes, writers, the timer, the end.
  private func settle() {
    guard let context, !isClosing else { return }
    isReading = true
    repeat {
      while let event = connection.nextEvent() { dispatch(event, UnsafeRawBufferPointer(start: nil, count: 0)) }
      write(context)
      for stream in connection.takeWritable() { session.becameWritable(stream) }
    } while connection.hasOutput && context.channel.isWritable
    isReading = false
    if failure != nil || connection.isDrained { return close() }
    if readIsHeld, !connection.refusesInput {
      readIsHeld = false
      context.read()
    }
    setTimer()
  }

  private func writeEarly(_ context: ChannelHandlerContext) {
    if connection.hasMuchOutput, !isClosing { write(context) }
  }

  private func write(_ context: ChannelHandlerContext) {
    var hasWritten = false
    while connection.hasOutput, context.channel.isWritable {
      var buffer: ByteBuffer?
      connection.takeOutput(at: resources.now) { buffer = context.channel.allocator.buffer(bytes: $0) }
      if let buffer { context.write(wrapOutboundOut(buffer), promise: nil) }
      hasWritten = true
    }
    if hasWritten { context.flush() }
    if connection.hasOutput { connection.outputIsBlocked(at: resources.now) }
  }

  private func setTimer() {
    guard let due = connection.wakeUpTime, due < timerTime else { return }
    timer?.cancel()
    timerTime = due
    timer = resources.loop.assumeIsolated().scheduleTask(deadline: due.nioDeadline) {
      self.timer = nil
      self.timerTime = .distantFuture
      self.connection.wakeUp(at: self.resources.now)
      self.settle()
    }
  }
}
