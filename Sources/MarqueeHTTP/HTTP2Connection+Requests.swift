import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  // MARK: Header lists

  func headersBegan(_ stream: Int32) {
    requestReader.begin()
  }

  /// Adds a field to the received header list.
  ///
  /// - Returns: `false` if the list is so large that the connection fails, in ``reportFlood()``.
  func fieldReceived(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    requestReader.append(name, value)
    headIsExcessive = requestReader.head.size > http2.headerListSizeMax * HTTP2Limits.headerListExcessMax
    return !headIsExcessive
  }

  /// A request's header list is complete.
  func requestReceived(_ number: Int32, endsStream: Bool) {
    let id = StreamID(rawValue: UInt32(number))
    guard streams.count < limits.streamCountMax else {
      counts.overStreamLimit += 1
      reset(id, .refusedStream)
      limit(\.rejectedOpen, "rejected-open-rate-max", limits.rejectedOpenRate, "rejected calls")
      return
    }
    if requestReader.head.isTooLarge {
      requestReader.collect()
      let message = "header list exceeds header-list-size-max (\(http2.headerListSizeMax))"
      let status = RPCStatus(.resourceExhausted, message)
      // No call of gRPC has another method.
      if requestReader.head.method != .post || protocols.servesConnect && HTTP2Request.isConnect(requestReader.head) {
        respond(HTTP2Stream(id, .http, messageSizeMax: 0), HTTPResponse(431))
        return countRejection(status.code)
      }
      if protocols.servesGRPC, let response = HTTP2Request.textRejection(status, requestReader.head, protocols.check) {
        respond(HTTP2Stream(id, .http, messageSizeMax: 0), response)
        return countRejection(status.code)
      }
      return rejectRequest(id, .status(status, requestReader.head.variant ?? .grpc), .own)
    }
    let meaning = requestReader.meaning(protocols)
    switch meaning.request {
    case .rejection(let rejection, let relation):
      rejectRequest(id, rejection, relation)
    case .response(let response, let code):
      respond(HTTP2Stream(id, .http, messageSizeMax: 0), response)
      if let code { countRejection(code) }
    case .grpc(let call, let relation):
      open(id, call, relation, endsStream: endsStream)
    case .connect(let request, let relation):
      let timeout: Duration?
      do throws(RPCStatus) {
        timeout = request.format.isGRPCWeb ? try requestReader.head.grpcTimeout : request.timeout
      } catch {
        let rejection = ConnectRequest.Rejection.status(error, request.format)
        respond(HTTP2Stream(id, .http, messageSizeMax: 0), rejection.response(relation, protocols.check.origins))
        return countRejection(error.code)
      }
      let stream = HTTP2Stream(id, .connect(request.format), relation, messageSizeMax: limits.messageSizeMax)
      stream.connect = ConnectExchange(request.format, relation, protocols.check.origins)
      stream.connect?.beginBody(messageSizeMax: limits.messageSizeMax)
      stream.expectsContinue = meaning.expectsContinue
      let deadline = timeout.map { callTime.advanced(by: min($0, limits.deadlineMax)) }
      let opened = OpenedCall(stream: id, method: request.method, deadline: deadline, metadata: request.metadata)
      open(stream, opened, endsStream: endsStream)
    }
  }

  private func open(_ id: StreamID, _ call: GRPCCall, _ relation: Origins.Relation, endsStream: Bool) {
    let deadline: MonotonicTime?
    do throws(RPCStatus) {
      deadline = try requestReader.head.grpcTimeout.map { callTime.advanced(by: min($0, limits.deadlineMax)) }
    } catch {
      return rejectRequest(id, .status(error, call.variant), relation)
    }
    let stream = HTTP2Stream(id, .grpc(call.variant), relation, messageSizeMax: limits.messageSizeMax)
    let opened = OpenedCall(stream: id, method: call.method, deadline: deadline, metadata: call.metadata)
    open(stream, opened, endsStream: endsStream)
  }

  private func open(_ stream: HTTP2Stream, _ opened: OpenedCall, endsStream: Bool) {
    streams.insert(stream)
    if let deadline = opened.deadline {
      stream.deadline = deadline
      streamTimer = min(streamTimer, deadline)
    }
    // Streams of equal urgency share the connection, instead of one after the other.
    var priority = nghttp2_extpri(urgency: UInt32(NGHTTP2_EXTPRI_DEFAULT_URGENCY), inc: 1)
    check(nghttp2_session_change_extpri_stream_priority(session, Int32(stream.id.rawValue), &priority, 1))
    events.append(.event(.opened(opened)))
    if endsStream { requestsEnded(stream) }
  }

  /// Responds to a request that no handler will see.
  private func rejectRequest(_ id: StreamID, _ rejection: GRPCRejection, _ relation: Origins.Relation) {
    switch rejection {
    case .http(let status):
      var list = GRPCResponse.http(status)
      appendDate(to: &list)
      submitResponse(list, on: id, hasBody: nil)
      countRejection(.invalidArgument)
    case .status(let status, let variant):
      var list = GRPCResponse.trailersOnly(status, variant, sizeMax: peerHeaderListSizeMax)
      if variant == .web { list.append(contentsOf: webFields(relation)) }
      submitResponse(list, on: id, hasBody: nil)
      countRejection(status.code)
    }
  }

  /// Counts a request that no handler will see.
  private func countRejection(_ code: StatusCode) {
    switch code {
    case .deadlineExceeded: counts.late += 1
    case .resourceExhausted: counts.resourceExhausted += 1
    default: counts.malformed += 1
    }
    limit(\.rejectedOpen, "rejected-open-rate-max", limits.rejectedOpenRate, "rejected calls")
    events.append(.event(.rejected))
  }

  // MARK: Messages

  /// Content of a DATA frame was received.
  func dataReceived(_ number: Int32, _ chunk: UnsafeRawBufferPointer) {
    frameContentSize += chunk.count
    guard let stream = streams[StreamID(rawValue: UInt32(number))], !stream.dropsRequests else {
      check(nghttp2_session_consume_connection(session, chunk.count))
      return
    }
    stream.assemblyCost += chunk.count
    if stream.connect != nil { return bodyReceived(chunk, stream) }
    var offset = 0
    while !stream.dropsRequests {
      if stream.hasSingleRequest, stream.requestCount > 0, offset < chunk.count {
        return fail(stream, RPCStatus(.unimplemented, "more than one request"))
      }
      guard let step = stream.deframer.next(in: chunk, from: &offset, sizeMax: stream.messageSizeMax) else {
        return beginAssembly(stream)
      }
      switch step {
      case .message(let range):
        let start = chunk.baseAddress! - input.baseAddress!
        let content = ReceivedMessage.Content.inPlace((start + range.lowerBound)..<(start + range.upperBound))
        deliver(content, size: range.count, heldSize: 0, stream)
      case .fragment(let range):
        receiveFragment(UnsafeRawBufferPointer(rebasing: chunk[range]), stream)
      case .failure(let problem):
        fail(stream, status(of: problem, stream))
      }
    }
  }

  private func status(of problem: MessageDeframer.Problem, _ stream: HTTP2Stream) -> RPCStatus {
    switch problem {
    case .tooLarge(let size):
      RPCStatus(
        .resourceExhausted, "message of \(size) bytes exceeds message-size-max (\(stream.messageSizeMax))")
    case .compressed:
      RPCStatus(.internalError, "compressed message without grpc-encoding")
    case .invalidFlag(let flag):
      RPCStatus(.internalError, "invalid flag \(flag) in a message's prefix")
    }
  }

  private func receiveFragment(_ fragment: UnsafeRawBufferPointer, _ stream: HTTP2Stream) {
    do throws(RPCStatus) {
      try reserveAssembly(fragment.count)
    } catch {
      return fail(stream, error)
    }
    beginAssembly(stream)
    guard let message = stream.deframer.store(fragment) else { return }
    // Bytes that no credit covers any more stay reserved until the message is consumed.
    let held = min(stream.assemblyGranted, message.count)
    releaseAssembly(message.count - held)
    stream.assemblyStartedAt = .distantFuture
    deliver(.assembled(message), size: message.count, heldSize: held, stream)
  }

  /// Reserves bytes of incomplete messages.
  func reserveAssembly(_ size: Int) throws(RPCStatus) {
    guard assemblySize + size <= limits.assemblySizeMax else {
      let message = "too many bytes of incomplete messages (assembly-size-max: \(limits.assemblySizeMax))"
      throw RPCStatus(.resourceExhausted, message)
    }
    try assemblyAccount?.reserve(size)
    assemblySize += size
  }

  /// Starts the clock of a message of which a part has been received, or notes another part.
  func beginAssembly(_ stream: HTTP2Stream) {
    guard stream.isInsideRequest else { return }
    stream.lastPieceAt = callTime
    guard stream.assemblyStartedAt == .distantFuture else { return }
    stream.assemblyStartedAt = callTime
    stream.assemblyWasHeldUp = false
    streamTimer = min(streamTimer, callTime.advanced(by: limits.messageTimeMax))
  }

  private func deliver(_ content: ReceivedMessage.Content, size: Int, heldSize: Int, _ stream: HTTP2Stream) {
    let cost = MessageDeframer.prefixSize + size
    let receipt = CreditReceipt(stream: stream.id, size: cost - stream.assemblyGranted, assemblySize: heldSize)
    stream.assemblyCost -= cost
    stream.assemblyGranted = 0
    stream.requestCount += 1
    stream.unconsumedCount += 1
    stream.unconsumedCredit += receipt.size
    stream.unconsumedAssemblySize += heldSize
    guard stream.hasSingleRequest else {
      events.append(.message(stream.id, content, receipt, isLast: false))
      return
    }
    stream.heldRequest = HeldRequest(content: content, receipt: receipt)
    if case .inPlace = content { heldInPlace = stream }
    let end = callTime.advanced(byNanoseconds: requestTimeMaxNanoseconds)
    stream.requestDeadline = end
    streamTimer = min(streamTimer, end)
  }

  /// Copies the held request of the frame that is being received if it is not known to be the only one yet.
  func copyHeldRequest(_ bytes: UnsafeRawBufferPointer) {
    guard let stream = heldInPlace else { return }
    heldInPlace = nil
    if case .inPlace(let range)? = stream.heldRequest?.content {
      stream.heldRequest?.content = .assembled(Array(bytes[range]))
    }
  }

  /// The peer has sent the last request of a call.
  func requestsEnded(_ stream: HTTP2Stream) {
    stream.receiveClosed = true
    if stream.dropsRequests { return }
    // The body of a call that is not accepted yet may be complete.
    if stream.connect != nil { return events.append(.requestsEnded(stream.id)) }
    if stream.deframer.isInsideMessage {
      return fail(stream, RPCStatus(.internalError, "the stream ended inside a message"))
    }
    stream.requestDeadline = .distantFuture
    if let held = stream.heldRequest {
      stream.heldRequest = nil
      events.append(.message(stream.id, held.content, held.receipt, isLast: true))
    } else {
      events.append(.requestsEnded(stream.id))
    }
  }

  func fail(_ stream: HTTP2Stream, _ status: RPCStatus) {
    if let event = endCall(stream, status) { events.append(.event(event)) }
  }

  // MARK: Credit

  /// Returns the credit of a message that no longer uses memory. Call it once for each message, in order.
  ///
  /// Has no effect for a call that has ended: its credit was returned at the end.
  public func consume(_ receipt: CreditReceipt) {
    guard phase != .closed, let stream = streams[receipt.stream], !stream.dropsRequests else { return }
    precondition(stream.unconsumedCount > 0, "a message of stream \(receipt.stream) is consumed twice")
    stream.unconsumedCount -= 1
    stream.unconsumedCredit -= receipt.size
    stream.unconsumedAssemblySize -= receipt.assemblySize
    releaseAssembly(receipt.assemblySize)
    check(nghttp2_session_consume(session, Int32(receipt.stream.rawValue), receipt.size))
    if stream.unconsumedCount == 0 {
      if stream.isInsideRequest { stream.assemblyWasHeldUp = true }
      grantAssembled(stream)
    }
  }

  /// Grants the credit of an incomplete message again, because a message may be larger than its stream's credit.
  ///
  /// Nothing is granted while an earlier message of the stream is unconsumed. At most one message per stream is
  /// therefore buffered beyond the credit.
  func grantAssembled(_ stream: HTTP2Stream) {
    let due = stream.assemblyCost - stream.assemblyGranted
    guard due > 0 else { return }
    stream.assemblyGranted += due
    check(nghttp2_session_consume(session, Int32(stream.id.rawValue), due))
  }

  /// Releases bytes of messages that are no longer in memory.
  func releaseAssembly(_ size: Int) {
    guard size > 0 else { return }
    assemblySize -= size
    assemblyAccount?.release(size)
  }

  /// Drops the stream's requests, the received and the future ones, and returns their credit to the connection.
  func dropRequests(_ stream: HTTP2Stream) {
    guard !stream.dropsRequests else { return }
    stream.dropsRequests = true
    releaseAssembly(stream.storedSize + stream.unconsumedAssemblySize)
    let credit = stream.unconsumedCredit + stream.assemblyCost - stream.assemblyGranted
    stream.deframer.reset()
    stream.connect?.body = nil
    stream.heldRequest = nil
    if credit > 0, phase != .closed { check(nghttp2_session_consume_connection(session, credit)) }
  }
}
