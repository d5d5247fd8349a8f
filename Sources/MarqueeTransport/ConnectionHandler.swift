import Logging
import MarqueeRPC
import NIOCore
import NIOSSL
import NIOTLS

/// A server's or client's reaction to the events of a connection. Called on the event loop.
protocol ConnectionSession: AnyObject {
  /// Called when the socket is open and, with TLS, the peer's certificate is known.
  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?)
  /// Handles an event; its ranges are offsets into `bytes`.
  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer)
  /// Called when the writer of the stream may continue, or its call has ended.
  func becameWritable(_ stream: StreamID)
  /// Called when the socket is closed, or when only its last output has to be written, with the protocol's failure if
  /// there was one.
  func disconnected(_ failure: ConnectionFailure?)
}

/// The channel handler that connects a socket and a clock to a ``Connection``.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class ConnectionHandler: FlushingHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Unchecked for performance: it is accessed several times per frame. Accesses cannot overlap: events are returned
  /// rather than called back, and the closures that the connection runs only encode messages or copy bytes.
  @exclusivity(unchecked) var connection: Connection
  let resources: LoopResources
  private let session: any ConnectionSession
  private(set) var context: ChannelHandlerContext?
  private var unread: ByteBuffer?
  private var failure: ConnectionFailure?
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?
  /// Unchecked for performance: the type has no methods.
  @exclusivity(unchecked) var flushState = FlushState()
  /// The time at which the current batch of bytes was received.
  var batchTime: MonotonicTime?
  private var hasEnded = false

  init(
    _ role: Connection.Role, limits: RPCLimits, acceptsMoved: Bool = false, resources: LoopResources,
    startedAt: MonotonicTime? = nil, session: any ConnectionSession
  ) {
    self.resources = resources
    self.session = session
    connection = Connection(
      role, limits: limits, acceptsMoved: acceptsMoved, arena: resources.arena, scratch: resources.scratch,
      at: startedAt ?? resources.now)
  }

  var serverConnection: ServerConnection? { (session as? NativeSession)?.server }

  /// The current time, or the start of the read that is being processed.
  var now: MonotonicTime { batchTime ?? resources.now }

  /// The number of unsent bytes of the call's messages.
  func backlogSize(of stream: StreamID) -> Int {
    connection.backlogSize(of: stream)
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
    let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)  // `nil` without TLS
    if tls == nil { session.connected(context.channel, certificate: nil) }
    flush()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)  // present: it sent this event
      session.connected(context.channel, certificate: tls?.peerCertificate)
    }
    if case .inputClosed? = event as? ChannelEvent { inputClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !flushState.isClosing, !flushState.isReceiving else { return }
    var buffer = unwrapInboundIn(data)
    if var kept = unread {
      unread = nil
      kept.writeBuffer(&buffer)
      buffer = kept
    }
    flushState.isReading = true
    flushState.isReceiving = true
    let now = resources.now
    batchTime = now
    let consumedCount = buffer.withUnsafeReadableBytes { bytes in
      var offset = 0
      while let event = connection.receive(bytes, from: &offset, at: now) {
        dispatch(event, bytes)
        writeEarly(context)
      }
      return offset
    }
    flushState.isReceiving = false
    buffer.moveReaderIndex(forwardBy: consumedCount)
    if buffer.readableBytes > 0, !flushState.isClosing {
      unread = compacted(buffer, context)
    }
  }

  /// Returns the bytes of an incomplete frame in a buffer of appropriate capacity.
  private func compacted(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> ByteBuffer {
    if bytes.storageCapacity > bytes.readableBytes * 4 { return context.channel.allocator.buffer(buffer: bytes) }
    var bytes = bytes
    bytes.discardReadBytes()
    return bytes
  }

  /// Releases the connection's resources, once.
  func end() {
    resources.timers.remove(self)
    guard !hasEnded else { return }
    hasEnded = true
    flushState.isClosing = true
    unread = nil
    session.disconnected(failure)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: Events

  func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    if case .failed(let failure) = event {
      self.failure = failure
      flushState.failureReason = failure.reason
    }
    session.handle(event, bytes)
  }

  func becameWritable(_ stream: StreamID) { session.becameWritable(stream) }
}
