import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOHTTP1

/// The channel handler of a client's connection in HTTP/1.1: serves calls of the Connect protocol and of gRPC-Web, and
/// files, one after the other.
///
/// Requests that a client sends before the response to an earlier one wait in ``pending``.
///
/// Exclusivity of some properties is unchecked for performance: they are accessed several times per request. Accesses
/// cannot overlap, because no method of their types calls the session.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class HTTP1Session: ChannelDuplexHandler, TimedHandler, @unchecked Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The maximum size of a field, and of all fields of a request.
  static let headerListSizeMax = 16_384
  /// The maximum number of fields of a request.
  static let headerFieldCountMax = Metadata.pairCountMax + 16
  /// The maximum size of the rest of a request that is read and dropped so that the connection can be reused.
  static let droppedSizeMax = 65_536
  /// The number of parts of later requests from which on no more input is read.
  static let pendingCountMax = 64
  /// The size of later requests in memory from which on no more input is read. More requests of the same read, which
  /// can contain thousands, are dropped: the connection is closed after the response to the current one.
  static let pendingSizeMax = 262_144
  /// The time for which the input of a client is dropped after the last response, so that it can read the response, and
  /// for which the call of a client that sends nothing more continues.
  private static let lingerTime = Duration.seconds(1)

  let server: ServerConnection
  let resources: LoopResources
  let check: OriginCheck
  let forms: CallForms
  let files: StaticFiles
  var context: ChannelHandlerContext?
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?

  /// The request that is received or answered.
  var exchange: HTTP1Exchange?
  /// The bytes of the head that the decoder is about to report, if a repetition of it can be recognized.
  var rawHead: HTTP1RawHead?
  var lastHead: HTTP1HeadCache?
  /// The number of requests that have been decoded.
  private(set) var decodedCount = 0
  /// The parts of later requests.
  @exclusivity(unchecked) private var pending = CircularBuffer<HTTP1RequestPart>(initialCapacity: 0)
  private var pendingSize = 0
  /// Whether the current request, as far as it is decoded, is the last one that is decoded: after `CONNECT` and a
  /// request for an upgrade, the decoder only stores its input.
  private var decodingEnds = false
  private var inputIsDropped = false
  /// Whether the connection is closed after the responses to the requests before malformed input.
  private var inputIsMalformed = false
  private var lastStream: UInt32 = 0
  var deniedCalls: TokenBucket
  /// The time since which the connection waits for a request, and at which a part of its head was received.
  var idleSince: MonotonicTime
  var headStartedAt: MonotonicTime?
  var hasReceivedHead = false

  @exclusivity(unchecked) var output: HTTP1Output

  private var isProcessing = false
  private var isReading = false
  private var flushIsScheduled = false
  private var hasPendingRead = false
  var isDraining = false
  /// Whether the connection is closed when the output has been written.
  var closesAfterOutput = false
  private var isClosing = false
  /// Whether the client is given time to read the last output, because it may be sending.
  private var lingers = false
  /// The time at which that ends; `nil` until the output has been written.
  var lingersUntil: MonotonicTime?
  /// The time at which the connection is closed although its client has not read the last output.
  var closeDeadline = MonotonicTime.distantFuture
  private var inputIsClosed = false
  private(set) var hasEnded = false
  private var counts = RejectionCounts()

  /// Creates the session of a connection whose peer is known.
  init(_ server: ServerConnection, _ check: OriginCheck, _ forms: CallForms, files: StaticFiles) {
    self.server = server
    self.files = files
    self.forms = forms
    self.check = check
    resources = server.resources
    deniedCalls = TokenBucket(server.limits.deniedCallRate, at: server.acceptedAt)
    idleSince = server.acceptedAt
    output = HTTP1Output(server.backlog)
  }

  /// Returns the decoder of requests, with the session's limits.
  static func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headerListSizeMax
    limits.maxHeaderListSize = headerListSizeMax
    limits.maxHeaderFieldCount = headerFieldCountMax
    return ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits))
  }

  // MARK: Channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // A client may close its direction after the request of a unary call.
    // Where the channel has no such option, that closes the connection.
    _ = try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    setTimer()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  /// Starts the clock of a request's head at its first input.
  ///
  /// - Returns: Whether the input is to be decoded.
  func noteInput() -> Bool {
    if closesAfterOutput || hasEnded || inputIsDropped { return false }
    if exchange == nil, pending.isEmpty, headStartedAt == nil { headStartedAt = resources.now }
    return true
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): receive(.head(head, rawHead.take()))
    case .body(let buffer): receive(.body(buffer))
    case .end(let trailers):
      decodedCount += 1
      receive(.end(trailerCount: trailers?.count ?? 0))
    }
  }

  /// Returns the request at the beginning of the input if it is complete and the same call as the last one.
  func repetition(in input: UnsafeRawBufferPointer) -> HTTP1Repetition? { lastHead?.repetition(in: input) }

  /// Receives a request that was not decoded.
  func receive(_ repetition: HTTP1Repetition, _ body: ByteBuffer?) {
    receive(.repetition(repetition))
    if let body, body.readableBytes > 0 { receive(.body(body)) }
    receive(.end(trailerCount: 0))
  }

  private func receive(_ part: HTTP1RequestPart) {
    guard !closesAfterOutput, !hasEnded, !inputIsDropped, let context else { return }
    isReading = true
    switch part {
    case .head(let head, _):
      if pendingSize >= Self.pendingSizeMax { return dropPending() }
      decodingEnds = head.method == .CONNECT || head.headers.contains(name: "upgrade")
    case .repetition: if pendingSize >= Self.pendingSizeMax { return dropPending() }
    case .body: break
    case .end: inputIsDropped = decodingEnds
    }
    if pending.isEmpty, mayProcess {
      process(part)
    } else {
      guard keep(part) else { return dropPending() }
      process()
    }
    guard isOutputFull else { return }
    write(context)
    process()
  }

  /// Keeps a part of a later request.
  ///
  /// - Returns: Whether the server's budget for incomplete messages has room for it.
  private func keep(_ part: HTTP1RequestPart) -> Bool {
    let size = part.memorySize
    do throws(RPCStatus) {
      try server.assembly?.reserve(size)
    } catch {
      // As after too many requests, the connection is closed after the current one.
      return false
    }
    pending.append(part)
    pendingSize += size
    return true
  }

  /// Drops the parts of a later request whose end has not been received.
  private func dropIncompleteRequest() {
    while let part = pending.last {
      if case .end = part { return }
      pending.removeLast()
      pendingSize -= part.memorySize
      server.assembly?.release(part.memorySize)
    }
  }

  private func removePending() {
    pending.removeAll()
    server.assembly?.release(pendingSize)
    pendingSize = 0
  }

  /// Drops the requests that wait, and all that follow.
  private func dropPending() {
    removePending()
    inputIsDropped = true
    isDraining = true
    // The output holds the processing up, and all requests before have been answered.
    if exchange == nil { closeAfterOutput(lingering: true) }
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
    if isInputPaused {
      hasPendingRead = true
    } else {
      context.read()
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { inputClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Responds to input that is not a request of HTTP/1.1, and closes the connection: the end of the request is unknown.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What follows malformed input is an error, too, and the connection is closed in time.
    guard !closesAfterOutput, context.channel.isActive else { return }
    guard let error = error as? HTTPParserError, !hasEnded else { return context.close(promise: nil) }
    counts.malformed += 1
    server.failed(.protocolError)
    dropIncompleteRequest()
    if let exchange, !exchange.isReceived {
      exchange.connect.errorStatus = 400
      exchange.isLast = true
      endCall(exchange, RPCStatus(.invalidArgument, "malformed request"))
    } else if exchange != nil || !pending.isEmpty {
      // The requests before it are complete, and are answered before the connection is closed.
      inputIsMalformed = true
      inputIsDropped = true
      return
    } else {
      let status = error == .headerOverflow ? 431 : error == .invalidVersion ? 505 : 400
      append(HTTP1ResponseHead(status, [.init("connection", "close")]).bytes(contentLength: 0, date: resources.date))
    }
    closeAfterOutput(lingering: true)
  }

  /// The client sends nothing more: it has closed the connection, or only its direction, which looks the same.
  ///
  /// The call of a stream ends at once, and any other after the time within which most calls are answered.
  private func inputClosed() {
    inputIsClosed = true
    if lingersUntil != nil {
      context?.close(promise: nil)
      return
    }
    guard let exchange else {
      if pending.isEmpty { closeAfterOutput() }
      return
    }
    if !exchange.isReceived || exchange.call?.registration.kind == .serverStreaming {
      disconnected(exchange)
    } else {
      exchange.disconnectionTime = resources.now.advanced(by: Self.lingerTime)
      setTimer()
    }
  }

  func disconnected(_ exchange: HTTP1Exchange) {
    endCall(exchange, RPCStatus(.cancelled, "the client disconnected"))
    closeAfterOutput()
  }

  /// Releases the connection's resources, once.
  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    resources.timers.remove(self)
    server.disconnected(counts, owners: exchange?.call.map { [$0] } ?? [])
    // The call refers to this session.
    exchange = nil
    pending.removeAll()
  }

  // MARK: Requests

  /// Processes received parts up to the end of a request that is not answered yet.
  private func process() {
    while !pending.isEmpty, mayProcess {
      let part = pending.removeFirst()
      pendingSize -= part.memorySize
      server.assembly?.release(part.memorySize)
      process(part)
    }
  }

  private func process(_ part: HTTP1RequestPart) {
    isProcessing = true
    defer { isProcessing = false }
    switch part {
    case .head(let head, let raw):
      begin(head, raw, nextStream())
      limitTimeIfInputIsClosed()
    case .repetition(let repetition):
      begin(repetition, nextStream())
      limitTimeIfInputIsClosed()
    case .body(let buffer):
      buffer.withUnsafeReadableBytes { bodyReceived($0) }
    case .end:
      requestReceived()
    }
  }

  /// Notes the head of a request.
  ///
  /// - Returns: The number of its stream.
  private func nextStream() -> StreamID {
    headStartedAt = nil
    hasReceivedHead = true
    lastStream += 2
    return StreamID(rawValue: lastStream - 1)
  }

  private func limitTimeIfInputIsClosed() {
    if inputIsClosed { exchange?.disconnectionTime = resources.now.advanced(by: Self.lingerTime) }
  }

  /// Whether the next received part is processed: not while another one or a request is, or the client reads no
  /// responses.
  private var mayProcess: Bool {
    !isProcessing && !closesAfterOutput && !hasEnded && !isOutputFull && exchange?.isReceived != true
  }

  private var isOutputFull: Bool { outputSize >= server.limits.outputSizeMax }

  private var isInputPaused: Bool {
    pending.count >= Self.pendingCountMax || pendingSize >= Self.pendingSizeMax || isOutputFull
  }

  /// Removes an exchange that is over, and processes the next request.
  func removeIfOver(_ exchange: HTTP1Exchange) {
    guard exchange.isOver, self.exchange === exchange else { return }
    self.exchange = nil
    idleSince = resources.now
    if isDraining || isLastRequest { closeAfterOutput(lingering: inputIsDropped) }
    process()
  }

  func countRejection(_ code: StatusCode) {
    switch code {
    case .deadlineExceeded: counts.late += 1
    case .resourceExhausted: counts.resourceExhausted += 1
    default: counts.malformed += 1
    }
  }

  /// Whether the client sends nothing more, and no later request waits.
  private var isLastRequest: Bool { (inputIsClosed || inputIsMalformed) && pending.isEmpty }

  /// Whether the response to the current request must announce that the connection is closed after it.
  func mustClose(_ exchange: HTTP1Exchange) -> Bool {
    isDraining || isLastRequest || closesAfterOutput || lastStream > 1 << 30 || exchange.isLast
      || exchange.traits.endsConnection
      || (!exchange.isReceived && !restIsSmall(exchange))
  }

  /// Whether the unread rest of a request is known to be small.
  private func restIsSmall(_ exchange: HTTP1Exchange) -> Bool {
    if exchange.traits.expectsContinue || exchange.head.has("transfer-encoding") { return false }
    guard let text = exchange.head.values(of: "content-length").first else { return true }
    return (Int(text) ?? .max) <= Self.droppedSizeMax
  }

  // MARK: Output

  /// The number of bytes that have not been passed to the channel.
  var outputSize: Int { output.size }

  /// Appends bytes to the output.
  func append(_ bytes: [UInt8]) {
    guard !hasEnded, !isClosing else { return }
    output.append(bytes)
    scheduleFlush()
  }

  /// Reserves the output, and bytes that follow, from the server's budget in whole blocks.
  ///
  /// - Returns: The status of the exceeded limit, or `nil` on success.
  func reserveOutput(adding size: Int = 0) -> RPCStatus? {
    output.reserve(adding: size)
  }

  /// Closes the connection when the output has been written.
  ///
  /// - Parameter lingering: Whether the client may be sending, so that closing at once might discard the output.
  func closeAfterOutput(lingering: Bool = false) {
    guard !hasEnded else { return }
    closesAfterOutput = true
    // Unread input would have the system reset the connection, and discard the response.
    if lingering || !pending.isEmpty { lingers = true }
    removePending()
    scheduleFlush()
  }

  /// Closes the connection when the output has been written, or a moment later if the client does not read it.
  func closeSoon() {
    closeDeadline = min(closeDeadline, resources.now.advanced(by: Self.lingerTime))
    closeAfterOutput()
  }

  /// Schedules a flush at the end of the current event-loop tick; repeated calls coalesce.
  func scheduleFlush() {
    guard !isReading, !flushIsScheduled, context != nil else { return }
    flushIsScheduled = true
    resources.loop.execute { self.flushAsScheduled() }
  }

  /// Schedules a flush after the loop has processed its other sockets.
  private func scheduleLaterFlush() {
    guard !flushIsScheduled else { return }
    flushIsScheduled = true
    _ = resources.loop.assumeIsolated().scheduleTask(in: LoopExecutor.pause) { self.flushAsScheduled() }
  }

  private func flushAsScheduled() {
    flushIsScheduled = false
    flush()
  }

  /// Ends calls that failed, writes the output, resumes waiting writers, and sets the timer.
  func flush() {
    guard let context, !hasEnded else { return }
    isReading = true
    if let exchange, let status = exchange.pendingEnd { endCall(exchange, status) }
    write(context)
    if let exchange, let call = exchange.call, !exchange.isAnswered,
      outputSize == 0 || (exchange.isFull && outputSize <= server.limits.streamBacklogSizeMax / 2)
    {
      exchange.isFull = false
      call.wakeWriters()
    }
    write(context)
    while !pending.isEmpty, mayProcess {
      process()
      write(context)
    }
    isReading = false
    guard !hasEnded else { return }
    if closesAfterOutput, outputSize == 0 { close(context) }
    // The socket has accepted all that it was passed, so that no event follows.
    if outputSize > 0, context.channel.isWritable { scheduleLaterFlush() }
    if hasPendingRead, !isInputPaused {
      hasPendingRead = false
      context.read()
    }
    setTimer()
  }

  private func write(_ context: ChannelHandlerContext) {
    var hasWritten = false
    while context.channel.isWritable, let part = output.nextPart() {
      context.write(wrapOutboundOut(part), promise: nil)
      hasWritten = true
    }
    if hasWritten { context.flush() }
    output.settle(hasProgress: hasWritten, at: resources.now)
  }

  /// Closes the channel after its last write; a client that may be sending is given time to read the response first.
  ///
  /// The write may wait for the client in the channel, where no progress is seen.
  private func close(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    closeDeadline = min(closeDeadline, resources.now.advanced(by: server.limits.stallTimeMax))
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.outputWritten() }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
  }

  private func outputWritten() {
    guard lingers, !inputIsClosed else {
      context?.close(promise: nil)
      return
    }
    context?.close(mode: .output, promise: nil)
    lingersUntil = resources.now.advanced(by: Self.lingerTime)
    setTimer()
  }
}
