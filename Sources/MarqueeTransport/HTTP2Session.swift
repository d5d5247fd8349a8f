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
  var connection: HTTP2Connection
  private(set) var context: ChannelHandlerContext?
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?
  var flushState = FlushState()
  /// Whether a buffer is being processed.
  private var isReceiving = false
  private var hasEnded = false
  /// The protocol of the call that is being opened.
  private var openedProtocol = CallProtocol.grpc
  /// The methods of the calls whose messages are JSON.
  private var jsonMethods: [StreamID: String] = [:]

  /// Creates the session of a connection whose peer is known.
  init(_ server: ServerConnection, _ protocols: HTTP2Protocols) {
    self.server = server
    resources = server.resources
    connection = HTTP2Connection(
      limits: server.limits, protocols: protocols, scratch: resources.scratch, at: server.acceptedAt)
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
    guard !flushState.isClosing, !isReceiving else { return }
    let buffer = unwrapInboundIn(data)
    flushState.isReading = true
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
    flushState.isReading = false
    flush()
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable, !flushState.isReading { flush() }
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    readUnlessPaused(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Releases the connection's resources, once.
  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    flushState.isClosing = true
    resources.timers.remove(self)
    server.disconnected(connection.counts, owners: connection.owners)
    // The calls refer to this session.
    connection.abandon()
    jsonMethods = [:]
  }

  // MARK: Events

  func dispatch(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let call):
      guard admit(call) else { return }
    case .message(let message) where !jsonMethods.isEmpty:
      if jsonMethods[message.stream] != nil { return deliverJSON(message) }
    case .failed:
      flushState.hasFailed = true
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
  /// Notes the form of an opened call, and rejects a call in the Connect protocol whose form does not suit its method.
  ///
  /// - Returns: Whether the call is to be opened.
  private func admit(_ call: OpenedCall) -> Bool {
    guard let format = connection.connectFormat(of: call.stream) else {
      openedProtocol = .grpc
      return true
    }
    openedProtocol = .connect
    if let rejection = server.router.rejection(of: call.method, format) {
      connection.reject(call.stream, with: rejection, at: resources.now)
      server.handle(.rejected, UnsafeRawBufferPointer(start: nil, count: 0), on: self)
      return false
    }
    if format.codec == .json { jsonMethods[call.stream] = call.method }
    return true
  }

  /// Delivers the request of a call whose messages are JSON, or ends the call if the text is not a request.
  private func deliverJSON(_ message: ReceivedMessage) {
    guard case .assembled(let text) = message.content, let call = ServerConnection.call(message.owner) else {
      return connection.consume(message.receipt)
    }
    server.encode(text, of: call) { result in
      // A call that has ended, perhaps before its handler was started, is forgotten.
      guard !self.hasEnded, self.jsonMethods[message.stream] != nil else {
        return self.connection.consume(message.receipt)
      }
      switch result {
      case .success(let request):
        let encoded = ReceivedMessage(
          stream: message.stream, content: .assembled(request), isLast: message.isLast, receipt: message.receipt,
          owner: call)
        self.server.handle(.message(encoded), UnsafeRawBufferPointer(start: nil, count: 0), on: self)
      case .failure(let status):
        self.connection.consume(message.receipt)
        self.fail(message.stream, with: status)
      }
    }
  }

  /// Sends the JSON of an encoded message.
  private func sendJSON(
    _ bytes: [UInt8], of method: String, on stream: StreamID, sizeMax: Int, isShared: Bool
  ) -> Connection.SendOutcome {
    guard bytes.count <= sizeMax else { return .tooLarge(bytes.count) }
    do throws(RPCStatus) {
      let text = try server.response(toJSON: bytes, of: method, isShared: isShared)
      return connection.send(encoded: text, on: stream, sizeMax: .max, at: resources.now)
    } catch {
      fail(stream, with: error)
      return .over
    }
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
    if !jsonMethods.isEmpty, let method = jsonMethods[stream] {
      var buffer = EncodeBuffer(scratch: resources.scratch)
      encode(&buffer)
      return sendJSON(buffer.bytes, of: method, on: stream, sizeMax: sizeMax, isShared: false)
    }
    return connection.send(on: stream, sizeMax: sizeMax, at: resources.now, encode)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard !hasEnded else { return .over }
    defer { scheduleFlush() }
    if !jsonMethods.isEmpty, let method = jsonMethods[stream] {
      return sendJSON(bytes, of: method, on: stream, sizeMax: sizeMax, isShared: true)
    }
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

  func callProtocol(of stream: StreamID) -> CallProtocol { openedProtocol }

  func accept(_ stream: StreamID, _ call: ServerCall) {
    var now: MonotonicTime?
    if case .single = call.registration.route { now = resources.now }
    connection.accept(
      stream, messageSizeMax: call.registration.requestSizeMax, owner: call, waitsForRequestSince: now)
  }

  func reject(_ stream: StreamID, with status: RPCStatus) {
    forgetJSON(stream)
    connection.reject(stream, with: status, at: resources.now)
  }

  func finish(_ stream: StreamID, with status: RPCStatus) {
    guard !hasEnded else { return }
    forgetJSON(stream)
    connection.advance(to: resources.now)
    connection.finish(stream, with: status)
    scheduleFlush()
  }

  private func forgetJSON(_ stream: StreamID) {
    if !jsonMethods.isEmpty { jsonMethods[stream] = nil }
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
