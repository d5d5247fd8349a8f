import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// The channel handler of a client's connection in gRPC: connects a socket and a clock to an ``HTTP2Connection``, and
/// its calls to their handlers.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class HTTP2Session: ChannelDuplexHandler, TimedHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: ServerConnection
  private let resources: LoopResources
  private let connection: HTTP2Connection
  private var context: ChannelHandlerContext?
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?
  private var isReading = false
  /// Whether a buffer is being processed.
  private var isReceiving = false
  private var flushIsScheduled = false
  private var hasPendingRead = false
  private var hasFailed = false
  private var isClosing = false
  private var hasEnded = false

  /// Creates the session of a connection whose peer is known.
  init(_ server: ServerConnection) {
    self.server = server
    resources = server.resources
    connection = HTTP2Connection(limits: server.limits, scratch: resources.scratch, at: server.acceptedAt)
    connection.assemblyAccount = server.assembly
    connection.backlogAccount = server.backlog
  }

  // MARK: Channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    flush()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { closeAfterOutput() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A write that fails can read further input before it closes the channel, out of order.
    guard !isClosing, !isReceiving else { return }
    let buffer = unwrapInboundIn(data)
    isReading = true
    isReceiving = true
    let now = resources.now
    buffer.withUnsafeReadableBytes { bytes in
      var offset = 0
      while !hasEnded, let event = connection.receive(bytes, from: &offset, at: now) {
        dispatch(event, bytes)
        writeEarly(context)
      }
    }
    isReceiving = false
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flush()
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable, !isReading { flush() }
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    if connection.isInputPaused {
      hasPendingRead = true
    } else {
      context.read()
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Called when the wake-up time is reached.
  func wakeUp(at now: MonotonicTime) {
    connection.wakeUp(at: now)
    flush()
  }

  /// Releases the connection's resources, once.
  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    isClosing = true
    resources.timers.remove(self)
    server.disconnected(connection.counts, owners: connection.owners)
  }

  private func closeAfterOutput() {
    guard !isClosing, let context else { return }
    isClosing = true
    write(context)
    context.close(promise: nil)
  }

  // MARK: Flushing

  private func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    if case .failed = event { hasFailed = true }
    server.handle(event, bytes, on: self)
  }

  /// Schedules a flush at the end of the current event-loop tick; repeated calls coalesce.
  private func scheduleFlush() {
    guard !isReading, !flushIsScheduled, let context else { return }
    writeEarly(context)
    flushIsScheduled = true
    resources.loop.execute {
      self.flushIsScheduled = false
      self.flush()
    }
  }

  /// Processes everything that a batch of changes caused: events, output, waiting writers, the timer, and the end.
  private func flush() {
    guard let context, !isClosing else { return }
    isReading = true
    repeat {
      while let event = connection.nextEvent() { dispatch(event, UnsafeRawBufferPointer(start: nil, count: 0)) }
      write(context)
      for stream in connection.dequeueWritableStreams() {
        ServerConnection.call(connection.owner(of: stream))?.wakeWriters()
      }
    } while connection.hasOutput && context.channel.isWritable
    // Sending can fail the connection.
    while let event = connection.nextEvent() { dispatch(event, UnsafeRawBufferPointer(start: nil, count: 0)) }
    isReading = false
    if hasFailed || connection.isDrained { return closeAfterOutput() }
    if hasPendingRead, !connection.isInputPaused {
      hasPendingRead = false
      context.read()
    }
    guard let due = connection.wakeUpTime, due < timerTime else { return }
    resources.timers.set(due, for: self)
  }

  private func writeEarly(_ context: ChannelHandlerContext) {
    if connection.hasMuchOutput, !isClosing { write(context) }
  }

  private func write(_ context: ChannelHandlerContext) {
    var hasWritten = false
    while connection.hasOutput, context.channel.isWritable {
      var buffer: ByteBuffer?
      connection.drainOutput(at: resources.now) { buffer = context.channel.allocator.buffer(bytes: $0) }
      guard let buffer, buffer.readableBytes > 0 else { break }
      context.write(wrapOutboundOut(buffer), promise: nil)
      hasWritten = true
    }
    if hasWritten { context.flush() }
    if connection.hasOutput { connection.outputIsBlocked(at: resources.now) }
  }
}

extension HTTP2Session: CallCarrier {
  var streamCount: Int { connection.streamCount }

  // MARK: For calls

  func send(
    _ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard !hasEnded else { return .over }
    defer { scheduleFlush() }
    return connection.send(on: stream, sizeMax: sizeMax, at: resources.now, encode)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard !hasEnded else { return .over }
    defer { scheduleFlush() }
    return connection.send(encoded: bytes, on: stream, sizeMax: sizeMax, at: resources.now)
  }

  func sendHeader(_ metadata: Metadata, on stream: StreamID) -> Bool {
    guard !hasEnded else { return false }
    defer { scheduleFlush() }
    return connection.sendHeader(metadata, on: stream)
  }

  func backlogSize(of stream: StreamID) -> Int { hasEnded ? 0 : connection.backlogSize(of: stream) }

  func consume(_ receipt: CreditReceipt) {
    guard !hasEnded else { return }
    connection.consume(receipt)
    scheduleFlush()
  }

  func fail(_ stream: StreamID, with status: RPCStatus) {
    connection.advance(to: resources.now)
    connection.end(stream, with: status)
    scheduleFlush()
  }

  // MARK: For the dispatch of calls

  func accept(_ stream: StreamID, _ call: ServerCall) {
    var now: MonotonicTime?
    if case .single = call.registration.route { now = resources.now }
    connection.accept(
      stream, messageSizeMax: call.registration.requestSizeMax, owner: call, waitsForRequestSince: now)
  }

  func reject(_ stream: StreamID, with status: RPCStatus) {
    connection.reject(stream, with: status, at: resources.now)
  }

  func finish(_ stream: StreamID, with status: RPCStatus) {
    guard !hasEnded else { return }
    connection.advance(to: resources.now)
    connection.finish(stream, with: status)
    scheduleFlush()
  }

  // MARK: For the server

  func drain(retryAfter: Duration) {
    connection.advance(to: resources.now)
    connection.drain(retryAfter: retryAfter, message: "the server is shutting down")
    scheduleFlush()
  }

  func abort(_ status: RPCStatus) {
    connection.endAll(status)
    scheduleFlush()
  }

  func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    connection.end(reason, status)
    scheduleFlush()
  }

  func close() { closeAfterOutput() }
}
