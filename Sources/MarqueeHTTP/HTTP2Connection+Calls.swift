import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  // MARK: Beginning

  /// Accepts an opened call.
  ///
  /// - Parameters:
  ///   - id: The call.
  ///   - messageSizeMax: The method's maximum message size.
  ///   - owner: An object that is passed along with the call's events until ``finish(_:with:)``.
  ///   - now: The current time if the call has exactly one request, which must begin within
  ///     ``RPCLimits/requestTimeMax``; `nil` for calls that stream requests. A call with one request gets one
  ///     ``ConnectionEvent/message(_:)`` with `isLast`, or ends with `UNIMPLEMENTED` if there is none or another.
  public func accept(
    _ id: StreamID, messageSizeMax: Int, owner: AnyObject? = nil, waitsForRequestSince now: MonotonicTime? = nil
  ) {
    guard let stream = streams[id] else { return }
    if let now {
      stream.hasSingleRequest = true
      let end = now.advanced(byNanoseconds: requestTimeMaxNanoseconds)
      stream.requestDeadline = end
      streamTimer = min(streamTimer, end)
    }
    stream.messageSizeMax = min(messageSizeMax, limits.messageSizeMax)
    stream.owner = owner
    if stream.connect != nil {
      stream.connect?.beginBody(messageSizeMax: stream.messageSizeMax)
      sendContinue(stream)
    }
  }

  /// Rejects a call that may not begin, with `status`.
  ///
  /// If such calls exceed ``RPCLimits/deniedCallRate`` or, while another call is open, in addition
  /// ``RPCLimits/rejectedOpenRate``, the connection fails.
  public func reject(_ id: StreamID, with status: RPCStatus, at now: MonotonicTime) {
    finish(id, with: status)
    countDeniedCall(at: now)
  }

  func countDeniedCall(at now: MonotonicTime) {
    guard phase != .closed, !buckets.deniedCall.tryConsume(at: now) else { return }
    // A proxy has the calls of several clients on one connection: a few denied ones of one do not end those of others.
    guard !streams.contains(where: { !$0.isFinished }) else {
      return limit(\.rejectedOpen, "rejected-open-rate-max", limits.rejectedOpenRate, "rejected calls")
    }
    let rate = limits.deniedCallRate.perSecond
    end(.flood, RPCStatus(.resourceExhausted, "too many denied calls (denied-call-rate-max: \(rate))"))
  }

  // MARK: Sending

  /// Sends the server's metadata before the first message.
  ///
  /// - Returns: `false` if a header or message has already been sent, or if the call has ended.
  public func sendHeader(_ metadata: Metadata, on id: StreamID) -> Bool {
    precondition(metadata.problem == nil, "invalid metadata")
    guard phase != .closed, let stream = streams[id], !stream.isOver, !stream.headSent else { return false }
    if stream.connect != nil {
      guard stream.connect?.response == nil else { return false }
      stream.connect?.header = metadata
    }
    if stream.connect?.format.isStream != false { sendHead(stream, metadata) }
    return true
  }

  /// Sends one message.
  ///
  /// - Parameters:
  ///   - id: The call.
  ///   - sizeMax: The maximum size of the message in bytes.
  ///   - now: The current time.
  ///   - encode: Appends the message's encoding to the buffer.
  /// - Returns: Whether the message was accepted, and whether there is room for more.
  public func send(
    on id: StreamID, sizeMax: Int, at now: MonotonicTime, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard let stream = sendingStream(id) else { return .over }
    var buffer = EncodeBuffer(scratch: scratch)
    encode(&buffer)
    return send(buffer.bytes, stream, sizeMax, now)
  }

  /// Sends one message that is already encoded. Its bytes are shared rather than copied while they are queued.
  public func send(
    encoded bytes: [UInt8], on id: StreamID, sizeMax: Int, at now: MonotonicTime
  ) -> Connection.SendOutcome {
    guard let stream = sendingStream(id) else { return .over }
    return send(bytes, stream, sizeMax, now)
  }

  private func send(
    _ bytes: [UInt8], _ stream: HTTP2Stream, _ sizeMax: Int, _ now: MonotonicTime
  ) -> Connection.SendOutcome {
    guard bytes.count <= min(sizeMax, Int(UInt32.max)) else { return .tooLarge(bytes.count) }
    if let format = stream.connect?.format, !format.isStream {
      hold(bytes, stream)
    } else {
      if !stream.headSent { sendHead(stream, Metadata()) }
      enqueue(stream.message(bytes), stream, now)
    }
    return outcome(stream)
  }

  /// Returns a call that may send messages.
  private func sendingStream(_ id: StreamID) -> HTTP2Stream? {
    guard phase != .closed, let stream = streams[id], !stream.isOver, !stream.isFinished else { return nil }
    return stream
  }

  /// Returns the result of queueing a message, and ends the call if a limit of unsent bytes is exceeded.
  private func outcome(_ stream: HTTP2Stream) -> Connection.SendOutcome {
    if backlogSize > limits.backlogSizeMax {
      let message = "too many unsent bytes: \(backlogSize) (backlog-size-max: \(limits.backlogSizeMax))"
      end(stream.id, with: RPCStatus(.resourceExhausted, message))
      return .over
    }
    if let status = reserveBacklog() {
      end(stream.id, with: status)
      return .over
    }
    guard stream.backlogSize >= limits.streamBacklogSizeMax else { return .accepted }
    stream.isFull = true
    return .full
  }

  /// The number of unsent bytes of the call's messages.
  public func backlogSize(of id: StreamID) -> Int {
    streams[id]?.backlogSize ?? 0
  }

  // MARK: Ending

  /// Ends a call with a status, after the messages already queued for it, and frees its stream.
  ///
  /// Call this once for each opened call, even if the peer, a limit or a deadline has ended it.
  public func finish(_ id: StreamID, with status: RPCStatus) {
    guard let stream = streams[id], !stream.isFinished else { return }
    stream.isFinished = true
    stream.owner = nil
    if phase == .closed {
      release(stream)
      streams.remove(id)
    } else if stream.isOver {
      removeIfClosed(stream)
    } else {
      dropRequests(stream)
      if stream.backlog.isEmpty {
        stream.isOver = true
        sendStatus(status, stream)
      } else if stream.endsWithMessage {
        enqueue(stream.lastMessage(status), stream, callTime)
        stream.finalStatus = .ok
      } else {
        stream.finalStatus = status
      }
    }
  }

  /// Ends a call immediately with `status`, dropping its unsent messages, and produces an event.
  public func end(_ id: StreamID, with status: RPCStatus) {
    guard let stream = streams[id], let event = endCall(stream, status) else { return }
    events.append(.event(event))
  }

  /// Ends every open call with `status`, producing an event for each.
  public func endAll(_ status: RPCStatus) {
    for stream in streams.sorted { end(stream.id, with: status) }
  }

  /// Fails the connection: sends GOAWAY to the peer and produces a ``ConnectionEvent/failed(_:)`` event.
  public func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    guard phase != .closed else { return }
    let error: HTTP2ErrorCode = status.code == .resourceExhausted && reason != .evicted ? .enhanceYourCalm : .noError
    events.append(.event(fail(reason, status.code, status.message, error)))
  }

  /// Starts draining: calls in progress continue, and the peer opens new ones on another connection.
  ///
  /// Requests that are on their way are accepted: the last accepted stream is announced after a round trip. HTTP/2
  /// cannot express `retryAfter`.
  public func drain(retryAfter: Duration, message: String) {
    guard phase != .closed, drainStage == .none else { return }
    drainMessage = message
    guard phase == .open else {
      drainStage = .complete
      return
    }
    drainStage = .announced
    drainEnd = callTime.advanced(by: limits.pingTimeMax)
    check(nghttp2_submit_shutdown_notice(session))
  }

  /// Announces the last accepted stream.
  func completeDrain() {
    drainStage = .complete
    drainEnd = .distantFuture
    let text = Array(drainMessage.cut(to: HTTP2Limits.debugDataSizeMax).utf8)
    let last = nghttp2_session_get_last_proc_stream_id(session)
    let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    check(nghttp2_submit_goaway(session, flags, last, HTTP2ErrorCode.noError.rawValue, text, text.count))
  }

  /// Ends a call locally, notifying the peer.
  ///
  /// - Returns: The event for the owner, or `nil` if the call has already ended.
  func endCall(_ stream: HTTP2Stream, _ status: RPCStatus) -> ConnectionEvent? {
    guard !stream.isOver, phase != .closed else { return nil }
    if status.code == .resourceExhausted { counts.resourceExhausted += 1 }
    let isInsideMessage = stream.headSent && stream.backlog.isEmpty == false && stream.backlog.first.sentSize > 0
    markOver(stream)
    if stream.endsWithMessage, isInsideMessage {
      // The status is a message, which cannot follow a part of another one.
      reset(stream.id, .internalError)
    } else {
      sendStatus(status, stream)
    }
    return stream.isFinished ? nil : .ended(stream.id, status, owner: stream.owner)
  }

  /// Marks a call as ended for the peer; it counts as open until its handler finishes.
  private func markOver(_ stream: HTTP2Stream) {
    dropRequests(stream)
    release(stream)
    stream.isOver = true
  }

  /// Returns everything that the stream holds of the connection's budgets.
  private func release(_ stream: HTTP2Stream) {
    dropRequests(stream)
    backlogSize -= stream.backlogSize
    releaseBacklog()
    stream.connect?.response = nil
    stream.backlog = FIFO()
    stream.backlogSize = 0
    stream.stalledSince = nil
    stream.finalStatus = nil
    if stream.isFull {
      stream.isFull = false
      writable.append(stream.id)
    }
  }

  /// nghttp2 has closed a stream: both sides have finished, or one of them reset it.
  func streamClosed(_ number: Int32) {
    guard let stream = streams[StreamID(rawValue: UInt32(number))] else { return }
    let isEarly = !stream.isOver
    stream.isClosed = true
    stream.resetTime = .distantFuture
    if isEarly {
      markOver(stream)
      let status =
        stream.wasReset
        ? RPCStatus(.cancelled, "cancelled by the client")
        : RPCStatus(.cancelled, "the client violated HTTP/2 on the stream")
      if !stream.isFinished { events.append(.event(.ended(stream.id, status, owner: stream.owner))) }
    } else {
      // The rest of a response that a client does not want.
      release(stream)
    }
    removeIfClosed(stream)
  }

  private func removeIfClosed(_ stream: HTTP2Stream) {
    if stream.isClosed, stream.isFinished { streams.remove(stream.id) }
  }
}
