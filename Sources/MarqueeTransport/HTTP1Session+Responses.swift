import MarqueeHTTP
import MarqueeRPC

extension HTTP1Session {
  // MARK: For calls

  func send(
    _ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard sendingExchange(stream) != nil else { return .over }
    var buffer = EncodeBuffer(scratch: resources.scratch)
    encode(&buffer)
    return send(stream, buffer.bytes, sizeMax, isShared: false)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    send(stream, bytes, sizeMax, isShared: true)
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

  /// Sends a message.
  ///
  /// - Parameter isShared: Whether other calls may send the same bytes, so that their JSON is worth keeping.
  private func send(_ stream: StreamID, _ bytes: [UInt8], _ sizeMax: Int, isShared: Bool) -> Connection.SendOutcome {
    guard let exchange = sendingExchange(stream), let request = exchange.request else { return .over }
    guard bytes.count <= min(sizeMax, Int(UInt32.max)) else { return .tooLarge(bytes.count) }
    var message = bytes
    if request.format.codec == .json {
      do throws(RPCStatus) {
        message = try server.response(toJSON: bytes, of: request.method, isShared: isShared)
      } catch {
        fail(stream, with: error)
        return .over
      }
    }
    guard request.format.isStream else {
      exchange.connect.response = message
      return .accepted
    }
    sendStreamHead(exchange)
    append(HTTP1ResponseHead.chunk(ConnectResponse.envelope(message)))
    return outcome(exchange)
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
    append(HTTP1ResponseHead(200, fields).bytes)
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
    let end = ConnectResponse.envelope(ConnectResponse.endOfStream(status), isLast: true)
    append(HTTP1ResponseHead.chunk(end) + HTTP1ResponseHead.chunk([]))
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
    var fields = response.fields
    if response.status != 204 { fields.append(.init("content-length", "\(response.body.count)")) }
    if closes { fields.append(.init("connection", "close")) }
    append(HTTP1ResponseHead(response.status, fields).bytes + response.body)
    if closes { closeAfterOutput(lingering: !exchange.isReceived) }
  }
}
