import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// A connection without a socket and a clock, as the channel handler that connects it to both sees it.
protocol FlushableConnection {
  var limits: RPCLimits { get }
  var hasOutput: Bool { get }
  var hasMuchOutput: Bool { get }
  var isInputPaused: Bool { get }
  var isDrained: Bool { get }
  var wakeUpTime: MonotonicTime? { get }
  mutating func nextEvent() -> ConnectionEvent?
  mutating func wakeUp(at now: MonotonicTime)
  mutating func drainOutput(at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void)
  mutating func outputIsBlocked(at now: MonotonicTime)
  mutating func dequeueWritableStreams() -> [StreamID]
}

extension Connection: FlushableConnection {}
extension HTTP2Connection: FlushableConnection {}

/// The state of a channel handler that determines when its connection is flushed.
struct FlushState {
  /// Whether the end of the current read or flush flushes the connection.
  var isReading = false
  /// Whether a buffer is being processed. A write that fails reads what the socket still has before it closes the
  /// channel: that input would come into the middle of the buffer, and is dropped.
  var isReceiving = false
  var isScheduled = false
  /// Whether the channel asked for more input while too much output was pending.
  var hasPendingRead = false
  /// The reason why the connection has failed, so that the socket is closed after the output.
  var failureReason: ConnectionFailure.Reason?
  var isClosing = false
  /// When the socket is closed even if the peer has not read the output, or has not closed it; `nil` unless the handler
  /// waits for the peer.
  var lingersUntil: MonotonicTime?
}

/// A channel handler that connects a socket and a clock to a connection. Used on the event loop.
protocol FlushingHandler: ChannelDuplexHandler, TimedHandler, Sendable where OutboundOut == ByteBuffer {
  associatedtype FlushedConnection: FlushableConnection
  var connection: FlushedConnection { get set }
  var resources: LoopResources { get }
  var context: ChannelHandlerContext? { get }
  var flushState: FlushState { get set }
  /// The start of the read that is being processed.
  var batchTime: MonotonicTime? { get set }
  /// Handles an event; its ranges are offsets into `bytes`. Notes a failure in ``flushState``.
  func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer)
  /// Called when the writer of the stream may continue, or its call has ended.
  func becameWritable(_ stream: StreamID)
  /// Ends the connection's calls, and removes the timer.
  func end()
  /// The connection in the server, which can close it; `nil` on a client.
  var serverConnection: ServerConnection? { get }
}

/// The time that a peer has to close its side of the connection after all output has been written.
private let lingerTime = Duration.seconds(1)

extension FlushingHandler {
  /// Schedules a flush at the end of the current event-loop tick; repeated calls coalesce.
  func scheduleFlush() {
    guard !flushState.isReading, let context else { return }
    // The channel may become writable again during the write, which must not flush: a sender that is about to wait
    // for room could not be notified yet.
    flushState.isReading = true
    writeEarly(context)
    flushState.isReading = false
    guard !flushState.isScheduled else { return }
    flushState.isScheduled = true
    resources.loop.execute {
      self.flushState.isScheduled = false
      self.flush()
    }
  }

  /// Processes everything that a batch of changes caused: events, output, waiting writers, the timer, and the end.
  func flush() {
    guard let context, !flushState.isClosing else { return }
    flushState.isReading = true
    repeat {
      dispatchEvents()
      write(context)
      for stream in connection.dequeueWritableStreams() { becameWritable(stream) }
    } while connection.hasOutput && context.channel.isWritable
    // Sending can fail the connection.
    dispatchEvents()
    flushState.isReading = false
    if let reason = flushState.failureReason { return closeAfterOutput(lingering: reason.isOfSender) }
    if connection.isDrained { return closeAfterOutput(lingering: true) }
    if flushState.hasPendingRead, !connection.isInputPaused {
      flushState.hasPendingRead = false
      context.read()
    }
    guard let due = connection.wakeUpTime, due < timerTime else { return }
    resources.timers.set(due, for: self)
  }

  private func dispatchEvents() {
    while let event = connection.nextEvent() { dispatch(event, UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    flushState.isReading = false
    batchTime = nil
    flush()
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable, !flushState.isReading { flush() }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Reads from the socket, unless so much output is pending that the peer must read first.
  func read(context: ChannelHandlerContext) {
    if connection.isInputPaused, !flushState.isClosing {
      flushState.hasPendingRead = true
    } else {
      context.read()
    }
  }

  /// Writes output that justifies a write of its own before the end of the read.
  func writeEarly(_ context: ChannelHandlerContext) {
    if connection.hasMuchOutput, !flushState.isClosing { write(context) }
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

  /// Closes the socket after writing the pending output.
  ///
  /// - Parameter lingering: Whether the peer may be sending. Closing at once would have the system reset the
  ///   connection, and discard output that the peer has not read, such as the reason of a failure.
  func closeAfterOutput(lingering: Bool = false) {
    guard !flushState.isClosing, let context else { return }
    flushState.isClosing = true
    write(context)
    guard lingering else { return context.close(promise: nil) }
    end()
    serverConnection?.closeWithoutCarrier = { [weak self] _ in self?.context?.close(promise: nil) }
    linger(connection.limits.stallTimeMax)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [weak self] _ in
      guard let self, let context = self.context else { return }
      context.close(mode: .output, promise: nil)
      linger(lingerTime)
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
    if flushState.hasPendingRead { context.read() }
  }

  private func linger(_ time: Duration) {
    let end = resources.now.advanced(by: time)
    flushState.lingersUntil = end
    resources.timers.set(end, for: self)
  }

  /// Closes the socket that the peer has closed on its side.
  func inputClosed() {
    guard flushState.lingersUntil == nil else { context?.close(promise: nil); return }
    closeAfterOutput()
  }

  func wakeUp(at now: MonotonicTime) {
    if let end = flushState.lingersUntil {
      guard now < end else { context?.close(promise: nil); return }
      return resources.timers.set(end, for: self)
    }
    connection.wakeUp(at: now)
    flush()
  }
}

extension ConnectionFailure.Reason {
  /// Whether the peer caused the failure by its frames, of which it may be sending more.
  fileprivate var isOfSender: Bool {
    switch self {
    case .version, .oversized, .protocolError, .flood: true
    default: false
    }
  }
}
