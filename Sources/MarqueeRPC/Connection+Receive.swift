extension Connection {
  /// Processes bytes from the peer, starting at `offset`, up to the next event.
  ///
  /// Call it again with the same bytes until it returns `nil`. Then keep the bytes from `offset` on, append newly
  /// received bytes to them, and never pass consumed bytes again. The bytes that an event refers to precede the new
  /// `offset`.
  ///
  /// - Returns: The next event, or `nil` if more bytes are needed.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, from offset: inout Int, at now: MonotonicTime
  ) -> ConnectionEvent? {
    if let event = nextEvent() { return event }
    if phase == .closed {
      offset = bytes.count
      return nil
    }
    if offset < bytes.count { lastReceivedAt = now }
    if phase == .preface, let event = receivePreface(bytes, &offset) { return event }
    discard(bytes, &offset)
    while phase != .preface, phase != .closed, discardSize == 0, bytes.count - offset >= FrameHeader.size {
      let header = FrameHeader(bytes, at: offset)
      if let problem = header.problem(frameSizeMax: limits.frameSizeMax) { return reject(header, problem) }
      let start = offset + FrameHeader.size
      guard bytes.count - start >= header.length else {
        guard isUnwanted(header) else { break }
        frameStartedAt = frameStartedAt ?? now
        (offset, discardSize) = (start, header.length)
        discard(bytes, &offset)
        if let event = receiveMessage(header, UnsafeRawBufferPointer(start: nil, count: 0), start..<start, now) {
          return event
        }
        continue
      }
      offset = start + header.length
      frameStartedAt = nil
      if let event = receive(header, bytes, start..<offset, now) { return event }
      if let event = nextEvent() { return event }
    }
    if phase == .closed { offset = bytes.count }
    if offset < bytes.count, frameStartedAt == nil, phase != .preface { frameStartedAt = now }
    return nil
  }

  /// Whether an incomplete frame belongs to a message that will be dropped, so that its payload need not be buffered.
  private func isUnwanted(_ header: FrameHeader) -> Bool {
    guard header.type == .message, phase == .open else { return false }
    guard let index = streams.index(forKey: header.stream), !streams.values[index].isOver else { return true }
    return header.length + (streams.values[index].assembly?.count ?? 0) > streams.values[index].messageSizeMax
  }

  /// Skips the received bytes of an unwanted frame.
  private mutating func discard(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) {
    guard discardSize > 0 else { return }
    let size = min(discardSize, bytes.count - offset)
    offset += size
    discardSize -= size
    if discardSize == 0 { frameStartedAt = nil }
  }

  /// Returns the next event that was not caused by received bytes: after ``wakeUp(at:)``, or after a method call.
  public mutating func nextEvent() -> ConnectionEvent? {
    events.popFirst()
  }

  private mutating func receivePreface(
    _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
  ) -> ConnectionEvent? {
    switch Preface.outcome(of: bytes[offset...]) {
    case .incomplete:
      return nil
    case .garbage:
      // A server with TLS responds to a client without with an alert, a record of the type 21 and a version 3.x.
      let isAlert = bytes.count - offset >= 2 && bytes[offset] == 21 && bytes[offset + 1] == 3
      return fail(.garbage, .internalError, "invalid protocol preface\(isAlert ? ": the peer requires TLS" : "")")
    case .otherMajor(let major):
      if role == .server { output.append(Preface.bytes) }
      return fail(.version, .unimplemented, "unsupported protocol version \(major) (supported: \(Preface.major))")
    case .accepted:
      offset += Preface.size
      phase = .settings
      if role == .server { appendPrefaceAndSettings() }
      return nil
    }
  }

  private mutating func reject(_ header: FrameHeader, _ problem: FrameHeader.Problem) -> ConnectionEvent {
    switch problem.reason {
    case .oversized where header.type == .open || header.type == .header:
      fail(.oversized, .invalidArgument, problem.message)
    case .oversized:
      fail(.oversized, .resourceExhausted, problem.message)
    default:
      protocolError(problem.message)
    }
  }

  private mutating func receive(
    _ header: FrameHeader, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let payload = UnsafeRawBufferPointer(rebasing: bytes[range])
    if phase == .settings {
      return header.type == .settings
        ? receiveSettings(payload) : protocolError("frame type \(header.type.rawValue) before SETTINGS")
    }
    switch header.type {
    case .message:
      return receiveMessage(header, payload, range, now)
    case .open:
      return receiveOpen(header.stream, payload, now)
    case .status:
      return receiveStatus(header, payload)
    case .credit:
      return receiveCredit(header.stream, payload, now)
    case .header:
      return receiveHeader(header.stream, payload)
    case .cancel:
      return receiveCancel(header.stream, payload, now)
    case .ping:
      return receivePing(header, payload, now)
    case .goAway:
      return receiveGoAway(payload, now)
    case .settings:
      return protocolError("second SETTINGS frame")
    default:
      if buckets.emptyFrame.tryConsume(at: now) { return nil }
      return flood("empty-frame-rate-max", limits.emptyFrameRate, "frames of unknown type")
    }
  }

  mutating func flood(_ limit: String, _ rate: TokenBucket.Rate, _ what: String) -> ConnectionEvent {
    fail(.flood, .resourceExhausted, "too many \(what) (\(limit): \(rate.perSecond) per second, burst \(rate.burst))")
  }

  private mutating func receiveSettings(_ payload: UnsafeRawBufferPointer) -> ConnectionEvent {
    do {
      peer = try ControlPayload.settings(payload, arena)
    } catch {
      return protocolError(error.message)
    }
    sendCredit = peer.connectionCredit
    phase = .open
    return .ready(peer)
  }

  // MARK: Frames that only a server accepts

  private mutating func receiveOpen(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard role == .server else { return protocolError("OPEN from a server") }
    guard id.rawValue % 2 == 1 else { return protocolError("even stream number \(id)") }
    guard id > lastStream else { return protocolError("stream number \(id) is not larger than \(lastStream)") }
    if goAwaySent { return nil }
    lastStream = id
    guard streams.count < limits.streamCountMax else {
      counts.overStreamLimit += 1
      let message = "too many concurrent calls (stream-count-max: \(limits.streamCountMax))"
      let status = RPCStatus(.resourceExhausted, message)
      return reject(id, status, isRefusal: true, now)
    }
    let open: OpenPayload
    do {
      open = try lastOpen.decode(payload, arena)
    } catch {
      counts.malformed += 1
      return reject(id, error, isRefusal: false, now)
    }
    var deadline: MonotonicTime?
    if let timeout = open.timeoutMicroseconds {
      guard timeout > 0 else {
        counts.late += 1
        return reject(id, .deadlinePassedOnArrival, isRefusal: false, now)
      }
      let (span, isLonger) = timeout.multipliedReportingOverflow(by: 1_000)
      let end = now.advanced(byNanoseconds: isLonger ? deadlineSpanMax : min(span, deadlineSpanMax))
      deadline = end
      streamTimer = min(streamTimer, end)
    }
    let index = insertStream(id, messageSizeMax: limits.messageSizeMax)
    if let deadline { streams.values[index].deadline = deadline }
    return .opened(
      OpenedCall(
        stream: id, method: open.method, deadline: deadline, metadata: open.metadata, acceptsMoved: peer.acceptsMoved))
  }

  /// Responds to a call that no handler will see.
  private mutating func reject(
    _ id: StreamID, _ status: RPCStatus, isRefusal: Bool, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard buckets.rejectedOpen.tryConsume(at: now) else {
      return flood("rejected-open-rate-max", limits.rejectedOpenRate, "rejected calls")
    }
    appendStatus(status, flags: isRefusal ? .refused : [], on: id)
    // A correct client may briefly exceed the stream limit; the other rejected calls are always the client's fault.
    return isRefusal ? nil : .rejected
  }

  private mutating func receiveCancel(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard role == .server else { return protocolError("CANCEL from a server") }
    guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open") }
    guard buckets.cancel.tryConsume(at: now) else {
      return flood("cancel-rate-max", limits.cancelRate, "cancelled calls")
    }
    let code: StatusCode
    do {
      code = try ControlPayload.cancel(payload, arena)
    } catch {
      return protocolError(error.message)
    }
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else { return nil }
    let owner = streams.values[index].owner
    guard markEnded(index) else { return nil }
    let message = code == .cancelled ? "cancelled by the client" : "the client's deadline has passed"
    return .ended(id, RPCStatus(code, message), owner: owner)
  }

  // MARK: Frames that only a client accepts

  private mutating func receiveHeader(_ id: StreamID, _ payload: UnsafeRawBufferPointer) -> ConnectionEvent? {
    guard role == .client else { return protocolError("HEADER from a client") }
    guard id <= lastStream else { return protocolError("stream \(id) is not open") }
    guard let index = streams.index(forKey: id) else { return nil }
    guard !streams.values[index].hasBegun else { return protocolError("late HEADER on stream \(id)") }
    streams.values[index].hasBegun = true
    do {
      return .header(id, try ControlPayload.header(payload, arena), owner: streams.values[index].owner)
    } catch {
      return endCall(id, RPCStatus(.internalError, "invalid header from the server: \(error.message)"))
    }
  }

  private mutating func receiveStatus(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) -> ConnectionEvent? {
    let id = header.stream
    guard role == .client else { return protocolError("STATUS from a client") }
    guard id <= lastStream else { return protocolError("stream \(id) is not open") }
    guard let index = streams.index(forKey: id) else { return nil }
    let isInsideMessage = streams.values[index].assembly != nil
    let owner = streams.values[index].owner
    remove(id)
    do {
      var status = try ControlPayload.status(payload, arena)
      if isInsideMessage, status.code == .ok { return protocolError("status OK inside a message of stream \(id)") }
      if header.flags.contains(.refused) { status.isRefusal = true }
      return .ended(id, status, owner: owner)
    } catch {
      return .ended(id, RPCStatus(.internalError, "invalid status from the server: \(error.message)"), owner: owner)
    }
  }

  // MARK: Frames that both accept

  private mutating func receiveCredit(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let credit = Int(UInt32(bigEndian: payload.loadUnaligned(as: UInt32.self)))
    guard credit > 0 else { return protocolError("credit of 0") }
    guard buckets.credit.tryConsume(at: now) else {
      return flood("credit-rate-max", limits.creditRate, "CREDIT frames")
    }
    if id == .connection {
      guard sendCredit + credit <= RPCLimits.creditMax else { return protocolError("credit exceeds 2^31 - 1") }
      sendCredit += credit
    } else {
      guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open") }
      guard let index = streams.index(forKey: id) else { return nil }
      guard streams.values[index].sendCredit + credit <= RPCLimits.creditMax else {
        return protocolError("credit exceeds 2^31 - 1")
      }
      streams.values[index].sendCredit += credit
      enqueueStream(index)
    }
    pump(at: now)
    return nil
  }

  private mutating func receivePing(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    if header.flags.contains(.acknowledgement) {
      guard pingSentAt != nil || buckets.emptyFrame.tryConsume(at: now) else {
        return flood("empty-frame-rate-max", limits.emptyFrameRate, "acknowledgements without a ping")
      }
      pingSentAt = nil
      return nil
    }
    guard buckets.ping.tryConsume(at: now) else { return flood("ping-rate-max", limits.pingRate, "pings") }
    if pongIsQueued { return nil }
    pongIsQueued = true
    output.appendFrame(.ping, flags: .acknowledgement) { $0.append(payload) }
    return nil
  }

  private mutating func receiveGoAway(
    _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let goAway: GoAway
    do {
      goAway = try ControlPayload.goAway(payload, arena)
    } catch {
      return protocolError(error.message)
    }
    guard !goAwayReceived else {
      guard buckets.emptyFrame.tryConsume(at: now) else {
        return flood("empty-frame-rate-max", limits.emptyFrameRate, "repeated GOAWAY frames")
      }
      return nil
    }
    goAwayReceived = true
    events.append(.goAway(goAway))
    guard role == .client else { return nil }
    for id in streams.ids.filter({ $0 > goAway.lastStream }) {
      let owner = owner(of: id)
      remove(id)
      let reason = goAway.status.message
      var status = RPCStatus(.unavailable, reason.isEmpty ? "the server accepts no more calls" : reason)
      status.isRefusal = true
      events.append(.ended(id, status, owner: owner))
    }
    return nil
  }
}
