import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  // MARK: Header lists

  func headersBegan(_ stream: Int32) {
    head.reset()
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
    if head.isTooLarge {
      let message = "header list exceeds header-list-size-max (\(http2.headerListSizeMax))"
      return rejectRequest(id, .status(RPCStatus(.resourceExhausted, message), head.variant ?? .grpc))
    }
    switch request() {
    case .rejection(let rejection): rejectRequest(id, rejection)
    case .call(let call): open(id, call, endsStream: endsStream)
    }
  }

  /// The maximum size of a header list that is kept for comparison with the next one, in bytes.
  private static let keptHeadSizeMax = 1_024

  /// Returns the meaning of the received header list.
  private func request() -> GRPCRequest {
    if let lastHead, head.isSameCall(as: lastHead) { return lastRequest }
    let request = GRPCRequest(head)
    // Large metadata is not kept between requests.
    lastHead = head.size <= Self.keptHeadSizeMax ? head : nil
    lastRequest = lastHead == nil ? .rejection(.http(415)) : request
    return request
  }

  private func open(_ id: StreamID, _ call: GRPCCall, endsStream: Bool) {
    var deadline: MonotonicTime?
    if let text = head.timeout {
      guard !head.hasSecondTimeout, let timeout = GRPCTimeout.parse(text) else {
        return rejectRequest(id, .status(RPCStatus(.invalidArgument, "grpc-timeout: malformed"), call.variant))
      }
      guard timeout > .zero else {
        let status = RPCStatus(.deadlineExceeded, "the deadline had passed on arrival")
        return rejectRequest(id, .status(status, call.variant))
      }
      deadline = callTime.advanced(by: min(timeout, limits.deadlineMax))
    }
    let stream = HTTP2Stream(id, call.variant, messageSizeMax: limits.messageSizeMax)
    streams[id] = stream
    if let deadline {
      stream.deadline = deadline
      streamTimer = min(streamTimer, deadline)
    }
    // Streams of equal urgency share the connection, instead of one after the other.
    var priority = nghttp2_extpri(urgency: UInt32(NGHTTP2_EXTPRI_DEFAULT_URGENCY), inc: 1)
    check(nghttp2_session_change_extpri_stream_priority(session, Int32(id.rawValue), &priority, 1))
    let opened = OpenedCall(stream: id, method: call.method, deadline: deadline, metadata: call.metadata)
    events.append(.event(.opened(opened)))
    if endsStream { requestsEnded(stream) }
  }

  /// Responds to a request that no handler will see.
  private func rejectRequest(_ id: StreamID, _ rejection: GRPCRejection) {
    let list: HeaderList
    switch rejection {
    case .http(let status):
      counts.malformed += 1
      list = GRPCResponse.http(status)
    case .status(let status, let variant):
      switch status.code {
      case .deadlineExceeded: counts.late += 1
      case .resourceExhausted: counts.resourceExhausted += 1
      default: counts.malformed += 1
      }
      list = GRPCResponse.trailersOnly(status, variant, sizeMax: peerHeaderListSizeMax)
    }
    submitResponse(list, on: id, hasBody: nil)
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
    guard assemblySize + fragment.count <= limits.assemblySizeMax else {
      let message = "too many bytes of incomplete messages (assembly-size-max: \(limits.assemblySizeMax))"
      return fail(stream, RPCStatus(.resourceExhausted, message))
    }
    do throws(RPCStatus) {
      try assemblyAccount?.reserve(fragment.count)
    } catch {
      return fail(stream, error)
    }
    assemblySize += fragment.count
    beginAssembly(stream)
    guard let message = stream.deframer.store(fragment) else { return }
    // Bytes that no credit covers any more stay reserved until the message is consumed.
    let held = min(stream.assemblyGranted, message.count)
    releaseAssembly(message.count - held)
    stream.assemblyStartedAt = .distantFuture
    deliver(.assembled(message), size: message.count, heldSize: held, stream)
  }

  /// Starts the clock of a message of which a part has been received, or notes another part.
  private func beginAssembly(_ stream: HTTP2Stream) {
    guard stream.deframer.isInsideMessage else { return }
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
    let end = callTime.advanced(by: limits.requestTimeMax)
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

  private func fail(_ stream: HTTP2Stream, _ status: RPCStatus) {
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
      if stream.deframer.isInsideMessage { stream.assemblyWasHeldUp = true }
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
    releaseAssembly(stream.deframer.storedSize + stream.unconsumedAssemblySize)
    let credit = stream.unconsumedCredit + stream.assemblyCost - stream.assemblyGranted
    stream.deframer.reset()
    stream.heldRequest = nil
    if credit > 0, phase != .closed { check(nghttp2_session_consume_connection(session, credit)) }
  }
}
