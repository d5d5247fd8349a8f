import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  private static var earlyMessageCount: Int { 32 }
  private static var earlyOutputSize: Int { 8_192 }
  /// The time that a client has to read a response before it must stop sending its request.
  private static var responseTime: Duration { .seconds(1) }
  /// The granularity, in bytes, of reservations from ``backlogAccount``.
  private static var backlogBlockSize: Int { 16_384 }

  /// Whether there is output to write.
  public var hasOutput: Bool {
    if !output.isEmpty { return true }
    return phase != .closed && phase != .preface && nghttp2_session_want_write(session) != 0
  }

  /// Whether the pending output justifies a write of its own before all received bytes have been processed.
  public var hasMuchOutput: Bool {
    queuedCount >= Self.earlyMessageCount || queuedSize + output.count >= Self.earlyOutputSize
  }

  /// Moves queued frames into the output, passes it to `body`, and removes it.
  ///
  /// Call this only while the socket is writable, until ``hasOutput`` is `false` or the socket is full. It may produce
  /// events; call ``nextEvent()`` afterwards.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - body: A closure that copies or sends the bytes. It must not call the connection.
  public func drainOutput(at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void) {
    callTime = now
    fillOutput()
    if !output.isEmpty { output.withUnsafeBytes(body) }
    output.removeAll(keepingCapacity: output.capacity <= Self.earlyOutputSize)
    outputBlockedSince = nil
    queuedCount = 0
    queuedSize = 0
    reportFlood()
    reportSessionError()
  }

  /// Records that the socket accepts no more bytes for now.
  public func outputIsBlocked(at now: MonotonicTime) {
    if outputBlockedSince == nil, hasOutput { outputBlockedSince = now }
  }

  /// Returns, and clears, the streams whose writers may continue: those with an empty backlog, and those that were full
  /// and have room again or have ended.
  public func dequeueWritableStreams() -> [StreamID] {
    if writable.isEmpty { return [] }
    defer { writable = [] }
    return writable
  }

  /// Moves frames from nghttp2 into the output, up to its limit.
  func fillOutput() {
    guard phase != .closed, phase != .preface else { return }
    while output.count < limits.outputSizeMax {
      var start: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &start)
      guard count > 0, let start else {
        precondition(count >= 0, "nghttp2: \(String(cString: nghttp2_strerror(Int32(clamping: count))))")
        return
      }
      output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }
  }

  // MARK: Queueing

  /// Queues a message; nghttp2 reads it when the output is drained and flow control allows.
  func enqueue(_ message: OutboundMessage, _ stream: HTTP2Stream, _ now: MonotonicTime) {
    let size = message.unsentSize
    stream.backlog.append(message)
    stream.backlogSize += size
    backlogSize += size
    queuedCount += 1
    queuedSize += size
    if stream.stalledSince == nil {
      stream.stalledSince = now
      streamTimer = min(streamTimer, now.advanced(byNanoseconds: stallTimeMaxNanoseconds))
    }
    resume(stream)
  }

  private func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    _ = nghttp2_session_resume_data(session, Int32(stream.id.rawValue))
  }

  private var backlogBlocksSize: Int { backlogSize / Self.backlogBlockSize * Self.backlogBlockSize }

  /// Reserves the unsent bytes from ``backlogAccount``.
  ///
  /// - Returns: The status of the exceeded limit, or `nil` on success.
  func reserveBacklog() -> RPCStatus? {
    let due = backlogBlocksSize - reservedBacklogSize
    guard due > 0, let backlogAccount else { return nil }
    do throws(RPCStatus) { try backlogAccount.reserve(due) } catch { return error }
    reservedBacklogSize += due
    return nil
  }

  /// Releases the reservation for bytes that are no longer unsent.
  func releaseBacklog() {
    let due = reservedBacklogSize - backlogBlocksSize
    guard due > 0 else { return }
    reservedBacklogSize -= due
    backlogAccount?.release(due)
  }

  // MARK: Responses

  /// The maximum size of a header list that is sent to the peer.
  var peerHeaderListSizeMax: Int {
    let size = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
    return min(Int(size), GRPCResponse.headerListSizeMax)
  }

  func sendHead(_ stream: HTTP2Stream, _ metadata: Metadata) {
    stream.headSent = true
    var list: HeaderList
    if let exchange = stream.connect {
      list = HeaderList([":status": "200"])
      list.append(exchange.streamFields)
      appendDate(to: &list)
    } else {
      list = GRPCResponse.head(stream.variant, metadata)
      if stream.variant == .web { list.append(contentsOf: webFields(stream.relation)) }
    }
    submitResponse(list, on: stream.id, hasBody: stream)
  }

  /// Sends the status of a call without unsent messages.
  func sendStatus(_ status: RPCStatus, _ stream: HTTP2Stream) {
    if let exchange = stream.connect, !exchange.format.isStream {
      uncountResponse(stream)
      respond(stream, exchange.unaryResponse(status))
      return releaseBacklog()
    }
    if stream.connect != nil, !stream.headSent { sendHead(stream, Metadata()) }
    if !stream.headSent {
      stream.headSent = true
      if status.isRefusal { return reset(stream.id, .refusedStream) }
      var list = GRPCResponse.trailersOnly(status, stream.variant, sizeMax: peerHeaderListSizeMax)
      if stream.variant == .web { list.append(contentsOf: webFields(stream.relation)) }
      submitResponse(list, on: stream.id, hasBody: nil)
    } else if stream.endsWithMessage {
      stream.finalStatus = .ok
      enqueue(stream.lastMessage(status), stream, callTime)
    } else {
      submitTrailers(status, on: stream.id)
    }
  }

  private func submitTrailers(_ status: RPCStatus, on id: StreamID) {
    GRPCResponse.trailers(status, sizeMax: peerHeaderListSizeMax).withFields { fields, count in
      check(nghttp2_submit_trailer(session, Int32(id.rawValue), fields, count))
    }
  }

  /// Sends a response's header list, followed by the messages of the stream if there is one.
  func submitResponse(_ list: HeaderList, on id: StreamID, hasBody stream: HTTP2Stream?) {
    list.withFields { fields, count in
      guard stream != nil else {
        check(nghttp2_submit_response(session, Int32(id.rawValue), fields, count, nil))
        return
      }
      var provider = nghttp2_data_provider()
      provider.read_callback = { _, stream, target, size, flags, _, data in
        guard let data, let target, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
        let room = UnsafeMutableRawBufferPointer(start: target, count: size)
        return Unmanaged<HTTP2Connection>.fromOpaque(data)._withUnsafeGuaranteedRef {
          $0.readBody(of: StreamID(rawValue: UInt32(stream)), into: room, &flags.pointee)
        }
      }
      check(nghttp2_submit_response(session, Int32(id.rawValue), fields, count, &provider))
    }
  }

  func reset(_ id: StreamID, _ error: HTTP2ErrorCode) {
    if error == .refusedStream { refusalCount += 1 }
    check(
      nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), Int32(id.rawValue), error.rawValue))
  }

  /// Copies queued messages for the next DATA frame, as many bytes as flow control allows.
  ///
  /// - Returns: The number of bytes, or nghttp2's code for a stream that has nothing to send for now.
  private func readBody(of id: StreamID, into target: UnsafeMutableRawBufferPointer, _ flags: inout UInt32) -> Int {
    guard let stream = streams[id] else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    var count = 0
    while count < target.count, !stream.backlog.isEmpty {
      let isSent = stream.backlog.withFirst { message in
        count += message.read(into: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
        return message.unsentSize == 0
      }
      if isSent { _ = stream.backlog.popFirst() }
    }
    if count > 0 { noteProgress(stream, count) }
    guard stream.backlog.isEmpty else { return count }
    if let status = stream.finalStatus {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
      stream.isOver = true
      if stream.form == .grpc(.grpc) {
        flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        submitTrailers(status, on: id)
      }
    } else if count == 0 {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    return count
  }

  /// Counts sent bytes, and notifies the stream's writer if there is room.
  private func noteProgress(_ stream: HTTP2Stream, _ count: Int) {
    stream.backlogSize -= count
    backlogSize -= count
    releaseBacklog()
    lastSentAt = callTime
    stream.stalledSince = stream.backlog.isEmpty ? nil : callTime
    guard !stream.isFinished else { return }
    if stream.backlog.isEmpty || (stream.isFull && stream.backlogSize <= limits.streamBacklogSizeMax / 2) {
      stream.isFull = false
      writable.append(stream.id)
    }
  }

  /// nghttp2 has moved a frame to the output.
  func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch HTTP2FrameKind(rawValue: header.type) {
    case .headers, .data:
      hasSentSincePing = true
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
        nghttp2_session_get_stream_remote_close(session, header.stream_id) == 0
      {
        stopSending(StreamID(rawValue: UInt32(header.stream_id)))
      }
    case .reset:
      resetSent(HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code))
    case .goAway:
      let code = HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
      guard code != .noError else {
        if drainStage == .announced { measureRoundTrip() }
        break
      }
      let text = UnsafeBufferPointer(
        start: frame.pointee.goaway.opaque_data, count: frame.pointee.goaway.opaque_data_len)
      sessionError = (code, String(decoding: text, as: UTF8.self))
    default:
      break
    }
  }

  /// Stops a client that is still sending although it has the whole response.
  ///
  /// A client of gRPC is stopped at once, and so is any whose streams fill half of their limit. Others have a moment to
  /// read the response: curl before version 8 discards one with which the reset arrives. The stream's window limits
  /// what they send meanwhile, which is dropped.
  private func stopSending(_ id: StreamID) {
    guard let stream = streams[id], stream.form != .grpc(.grpc), streams.count <= limits.streamCountMax / 2 else {
      return reset(id, .noError)
    }
    stream.resetTime = callTime.advanced(by: Self.responseTime)
    streamTimer = min(streamTimer, stream.resetTime)
  }

  /// Sends a PING after the announcement of the end. A queued PING is sent before other frames, so it is queued only
  /// now.
  private func measureRoundTrip() {
    pingSentAt = callTime
    check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
  }

  /// Counts streams that nghttp2 resets because of the peer's frames.
  private func resetSent(_ code: HTTP2ErrorCode) {
    switch code {
    case .noError:
      break
    case .refusedStream where refusalCount > 0:
      refusalCount -= 1
    case .refusedStream:
      // By nghttp2, before the peer has acknowledged the limit of concurrent calls.
      counts.overStreamLimit += 1
      limit(\.rejectedOpen, "rejected-open-rate-max", limits.rejectedOpenRate, "rejected calls")
    default:
      limit(\.streamError, "stream-error-rate-max", http2.streamErrorRate, "stream errors")
    }
  }
}
