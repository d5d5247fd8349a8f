import MarqueeHTTP
import MarqueeRPC

extension HTTP1Session: CallCarrier {
  var streamCount: Int { exchange.map { $0.call != nil && !$0.isFinished ? 1 : 0 } ?? 0 }

  // MARK: For the dispatch of calls

  func callProtocol(of stream: StreamID) -> CallProtocol {
    exchange?.request?.format.isGRPCWeb == true ? .grpc : .connect
  }

  func isJSON(_ stream: StreamID) -> Bool {
    exchange?.stream == stream && exchange?.request?.format.codec == .json
  }

  func accept(_ stream: StreamID, _ call: ServerCall) {
    guard let exchange, exchange.stream == stream, exchange.request != nil else { return }
    exchange.call = call
    exchange.connect.beginBody(messageSizeMax: min(call.registration.requestSizeMax, server.limits.messageSizeMax))
  }

  func reject(_ stream: StreamID, with status: RPCStatus) {
    finish(stream, with: status)
    guard !hasEnded, !deniedCalls.tryConsume(at: resources.now) else { return }
    let rate = server.limits.deniedCallRate.perSecond
    end(.flood, RPCStatus(.resourceExhausted, "too many denied calls (denied-call-rate-max: \(rate))"))
  }

  func finish(_ stream: StreamID, with status: RPCStatus) {
    guard !hasEnded, let exchange, exchange.stream == stream, !exchange.isFinished else { return }
    exchange.isFinished = true
    exchange.call = nil
    releaseBody(exchange)
    if !exchange.isAnswered { answer(exchange, exchange.pendingEnd ?? status) }
    removeIfOver(exchange)
    scheduleFlush()
  }

  // MARK: For the server

  func drain(retryAfter: Duration) {
    isDraining = true
    if exchange == nil { closeAfterOutput() }
  }

  func abort(_ status: RPCStatus) {
    if let exchange { endCall(exchange, status) }
  }

  func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    guard !hasEnded else { return }
    if !closesAfterOutput {
      server.failed(reason)
      if let exchange {
        exchange.isLast = true
        endCall(exchange, status)
      }
      closeAfterOutput(lingering: true)
    }
    // An evicted connection makes room for another one, whether or not its client reads.
    if reason == .evicted { closeSoon() }
  }

  func close() { closeSoon() }

  // MARK: For calls

  func send(
    _ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard sendingExchange(stream) != nil else { return .over }
    var buffer = EncodeBuffer(scratch: resources.scratch)
    encode(&buffer)
    return send(stream, encoded: buffer.bytes, sizeMax: sizeMax)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard let exchange = sendingExchange(stream), let request = exchange.request else { return .over }
    guard bytes.count <= min(sizeMax, Int(UInt32.max)) else { return .tooLarge(bytes.count) }
    guard request.format.isStream else {
      exchange.connect.response = bytes
      return .accepted
    }
    sendStreamHead(exchange)
    append(HTTP1ResponseHead.chunk(exchange.connect.envelope(bytes)))
    return outcome(exchange)
  }

  func sendHeader(_ metadata: Metadata, on stream: StreamID) -> Bool {
    guard let exchange = sendingExchange(stream), !exchange.headIsSent, exchange.connect.response == nil else {
      return false
    }
    exchange.connect.header = metadata
    if exchange.connect.format.isStream { sendStreamHead(exchange) }
    return true
  }

  func backlogSize(of stream: StreamID) -> Int {
    sendingExchange(stream) == nil ? 0 : outputSize
  }

  func consume(_ receipt: CreditReceipt) {
    guard let exchange, exchange.stream == receipt.stream else { return }
    releaseBody(exchange)
  }

  func fail(_ stream: StreamID, with status: RPCStatus) {
    guard let exchange = sendingExchange(stream) else { return }
    exchange.pendingEnd = status
    scheduleFlush()
  }

  /// Returns the exchange of a call that may send.
  private func sendingExchange(_ stream: StreamID) -> HTTP1Exchange? {
    guard !hasEnded, let exchange, exchange.stream == stream, !exchange.isAnswered, exchange.pendingEnd == nil else {
      return nil
    }
    return exchange
  }

  /// Returns the result of queueing a message, and ends the call if a limit of unsent bytes is exceeded.
  private func outcome(_ exchange: HTTP1Exchange) -> Connection.SendOutcome {
    var exceeded = reserveOutput()
    if outputSize > server.limits.backlogSizeMax {
      let message = "too many unsent bytes: \(outputSize) (backlog-size-max: \(server.limits.backlogSizeMax))"
      exceeded = RPCStatus(.resourceExhausted, message)
    }
    if let exceeded {
      fail(exchange.stream, with: exceeded)
      return .over
    }
    guard outputSize >= server.limits.streamBacklogSizeMax else { return .accepted }
    exchange.isFull = true
    return .full
  }

  // MARK: Responses

  /// Sends the head of a stream's response unless it has been sent. Its status is 200 even if the call fails.
  private func sendStreamHead(_ exchange: HTTP1Exchange) {
    guard !exchange.headIsSent else { return }
    exchange.headIsSent = true
    var fields = exchange.connect.streamFields + [.init("transfer-encoding", "chunked")]
    if mustClose(exchange) { fields.append(.init("connection", "close")) }
    append(HTTP1ResponseHead(200, fields).bytes(date: resources.date))
  }

  /// Sends the response of a call that ends with `status`.
  func answer(_ exchange: HTTP1Exchange, _ status: RPCStatus) {
    guard !exchange.connect.format.isStream else { return answerStream(exchange, status) }
    let size = exchange.connect.response?.count ?? 0
    let response = exchange.connect.unaryResponse(status.code == .ok ? reserveOutput(adding: size) ?? status : status)
    exchange.connect.response = nil
    send(exchange, response)
  }

  /// Ends the response of a stream with the message that carries the status.
  private func answerStream(_ exchange: HTTP1Exchange, _ status: RPCStatus) {
    let closes = mustClose(exchange)
    sendStreamHead(exchange)
    exchange.isAnswered = true
    append(HTTP1ResponseHead.chunk(exchange.connect.lastMessage(status)) + HTTP1ResponseHead.chunk([]))
    if closes { closeAfterOutput(lingering: !exchange.isReceived) }
  }

  /// Responds to a request that no handler will see.
  func respond(_ exchange: HTTP1Exchange, _ response: HTTPResponse) {
    exchange.isFinished = true
    send(exchange, response)
    removeIfOver(exchange)
  }

  private func send(_ exchange: HTTP1Exchange, _ response: HTTPResponse) {
    let closes = mustClose(exchange)
    exchange.headIsSent = true
    exchange.isAnswered = true
    var head = HTTP1ResponseHead(response.status, response.fields)
    if closes { head.fields.append(.init("connection", "close")) }
    append(head.bytes(contentLength: response.isBodiless ? nil : response.body.count, date: resources.date))
    if !response.omitsBody { append(response.body) }
    if closes { closeAfterOutput(lingering: !exchange.isReceived) }
  }
}
