import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// The channel handler of a client's connection in HTTP/2, with calls of gRPC and Connect: connects a socket and a
/// clock to an ``HTTP2Connection``, and its calls to their handlers.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class HTTP2Session: FlushingHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: ServerConnection
  let resources: LoopResources
  /// Unchecked for performance, like the state of flushing: both are accessed several times per frame.
  @exclusivity(unchecked) var connection: HTTP2Connection
  private(set) var context: ChannelHandlerContext?
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?
  @exclusivity(unchecked) var flushState = FlushState()
  /// The time at which the current batch of bytes was received.
  var batchTime: MonotonicTime?
  private var hasEnded = false
  /// The protocol of the call that is being opened.
  private var openedProtocol = CallProtocol.grpc

  /// Creates the session of a connection whose peer is known.
  init(_ server: ServerConnection, _ protocols: HTTP2Protocols) {
    self.server = server
    resources = server.resources
    connection = HTTP2Connection(
      limits: server.limits, protocols: protocols, scratch: resources.scratch, at: server.acceptedAt)
    connection.assemblyAccount = server.assembly
    connection.backlogAccount = server.backlog
    connection.date = { [resources] in resources.date }
  }

  var serverConnection: ServerConnection? { server }

  /// The current time, or the start of the read that is being processed.
  private var now: MonotonicTime { batchTime ?? resources.now }

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
    if case .inputClosed? = event as? ChannelEvent { inputClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !flushState.isClosing, !flushState.isReceiving else { return }
    let buffer = unwrapInboundIn(data)
    flushState.isReading = true
    flushState.isReceiving = true
    let now = resources.now
    batchTime = now
    buffer.withUnsafeReadableBytes { bytes in
      var offset = 0
      while !hasEnded, let event = connection.receive(bytes, from: &offset, at: now) {
        dispatch(event, bytes)
        writeEarly(context)
      }
    }
    flushState.isReceiving = false
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Releases the connection's resources, once.
  func end() {
    resources.timers.remove(self)
    guard !hasEnded else { return }
    hasEnded = true
    flushState.isClosing = true
    server.disconnected(connection.counts, owners: connection.owners)
    // The calls refer to this session.
    connection.abandon()
  }

  // MARK: Events

  func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let call):
      guard admit(call) else { return }
    case .failed(let failure):
      flushState.failureReason = failure.reason
    default:
      break
    }
    server.handle(event, bytes, on: self)
  }

  func becameWritable(_ stream: StreamID) {
    ServerConnection.call(connection.owner(of: stream))?.wakeWriters()
  }
}

// MARK: - Connect

extension HTTP2Session {
  /// Notes the protocol of an opened call, and rejects a call in the Connect protocol whose form does not suit its
  /// method.
  ///
  /// - Returns: Whether the call is to be opened.
  private func admit(_ call: OpenedCall) -> Bool {
    guard let format = connection.connectFormat(of: call.stream) else {
      openedProtocol = .grpc
      return true
    }
    openedProtocol = format.isGRPCWeb ? .grpc : .connect
    if let rejection = server.router.rejection(of: call.method, format, connection.protocols.forms) {
      connection.reject(call.stream, with: rejection, at: now)
      server.handle(.rejected, UnsafeRawBufferPointer(start: nil, count: 0), on: self)
      return false
    }
    return true
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
    return connection.send(on: stream, sizeMax: sizeMax, at: now, encode)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard !hasEnded else { return .over }
    defer { scheduleFlush() }
    return connection.send(encoded: bytes, on: stream, sizeMax: sizeMax, at: now)
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
    connection.advance(to: now)
    connection.end(stream, with: status)
    scheduleFlush()
  }

  // MARK: For the dispatch of calls

  func callProtocol(of stream: StreamID) -> CallProtocol { openedProtocol }

  func isJSON(_ stream: StreamID) -> Bool { connection.connectFormat(of: stream)?.codec == .json }

  func accept(_ stream: StreamID, _ call: ServerCall) {
    var start: MonotonicTime?
    if case .single = call.registration.route { start = now }
    connection.accept(
      stream, messageSizeMax: call.registration.requestSizeMax, owner: call, waitsForRequestSince: start)
  }

  func reject(_ stream: StreamID, with status: RPCStatus) {
    connection.reject(stream, with: status, at: now)
  }

  func finish(_ stream: StreamID, with status: RPCStatus) {
    guard !hasEnded else { return }
    connection.advance(to: now)
    connection.finish(stream, with: status)
    scheduleFlush()
  }

  // MARK: For the server

  func drain(retryAfter: Duration) {
    connection.advance(to: now)
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
