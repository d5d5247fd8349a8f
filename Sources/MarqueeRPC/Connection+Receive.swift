extension Connection {
  /// Takes bytes from the peer, from `offset` on, up to the next event.
  ///
  /// Call it again with the same bytes until it returns `nil`; then keep those from `offset` on, put what comes next
  /// behind them, and never give it the consumed ones again. Bytes of an event lie before the new `offset`.
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
    while phase != .preface, phase != .closed, bytes.count - offset >= FrameHeader.size {
      let header = FrameHeader(bytes, at: offset)
      if let problem = header.problem(frameSizeMax: limits.frameSizeMax) { return refuse(header, problem) }
      let start = offset + FrameHeader.size
      guard bytes.count - start >= header.length else { break }
      offset = start + header.length
      frameStartedAt = nil
      if let event = receive(header, bytes, start..<offset, now) { return event }
      if let event = nextEvent() { return event }
    }
    if phase == .closed { offset = bytes.count }
    if offset < bytes.count, frameStartedAt == nil, phase != .preface { frameStartedAt = now }
    return nil
  }

  /// The next event that no bytes brought about: after ``wakeUp(at:)``, or after a call of a method.
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
      return fail(.garbage, .internalError, "the first bytes are not the protocol's preface")
    case .otherMajor(let major):
      if role == .server { output.append(Preface.bytes) }
      return fail(.version, .unimplemented, "protocol version \(major) is not spoken, \(Preface.major) is")
    case .accepted:
      offset += Preface.size
      phase = .settings
      if role == .server { introduce() }
      return nil
    }
  }

  private mutating func refuse(_ header: FrameHeader, _ problem: FrameHeader.Problem) -> ConnectionEvent {
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
        ? receiveSettings(payload) : protocolError("frame type \(header.type.rawValue) before the settings")
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
      return receiveGoAway(payload)
    case .settings:
      return protocolError("settings come once")
    default:
      if buckets.emptyFrame.take(at: now) { return nil }
      return flood("empty-frame-rate-max", limits.emptyFrameRate, "frames of unknown type")
    }
  }

  mutating func flood(_ limit: String, _ rate: TokenBucket.Rate, _ what: String) -> ConnectionEvent {
    fail(.flood, .resourceExhausted, "\(limit) is \(rate.perSecond) a second after \(rate.burst): too many \(what)")
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

  // MARK: Frames that only a server takes

  private mutating func receiveOpen(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard role == .server else { return protocolError("a server opens no calls") }
    guard id.rawValue % 2 == 1 else { return protocolError("stream \(id) is even") }
    guard id > lastStream else { return protocolError("stream \(id) after stream \(lastStream)") }
    if goAwaySent { return nil }
    lastStream = id
    guard streams.count < limits.streamCountMax else {
      counts.overStreamLimit += 1
      let most = limits.streamCountMax
      let status = RPCStatus(.resourceExhausted, "stream-count-max is \(most), and as many calls are open")
      return turnDown(id, status, isRefusal: true, now)
    }
    let open: OpenPayload
    do {
      open = try lastOpen.decode(payload, arena)
    } catch {
      counts.malformed += 1
      return turnDown(id, error, isRefusal: false, now)
    }
    var deadline: MonotonicTime?
    if let timeout = open.timeoutMicroseconds {
      guard timeout > 0 else {
        counts.late += 1
        return turnDown(id, RPCStatus(.deadlineExceeded, "the deadline was over on arrival"), isRefusal: false, now)
      }
      let (span, isLonger) = timeout.multipliedReportingOverflow(by: 1_000)
      let end = now.advanced(byNanoseconds: isLonger ? deadlineSpanMax : min(span, deadlineSpanMax))
      deadline = end
      streamTimer = min(streamTimer, end)
    }
    let index = insertStream(id, messageSizeMax: limits.messageSizeMax)
    if let deadline { streams.values[index].deadline = deadline }
    return .opened(OpenedCall(stream: id, method: open.method, deadline: deadline, metadata: open.metadata))
  }

  /// Answers a call that no handler will see.
  private mutating func turnDown(
    _ id: StreamID, _ status: RPCStatus, isRefusal: Bool, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard buckets.refusal.take(at: now) else {
      return flood("refusal-rate-max", limits.refusalRate, "calls that are turned down")
    }
    appendStatus(status, flags: isRefusal ? .refused : [], on: id)
    return nil
  }

  private mutating func receiveCancel(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    guard role == .server else { return protocolError("a server cancels no calls") }
    guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open yet") }
    guard buckets.cancel.take(at: now) else { return flood("cancel-rate-max", limits.cancelRate, "cancelled calls") }
    let code: StatusCode
    do {
      code = try ControlPayload.cancel(payload, arena)
    } catch {
      return protocolError(error.message)
    }
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else { return nil }
    let owner = streams.values[index].owner
    guard setOver(index) else { return nil }
    let message = code == .cancelled ? "cancelled by the caller" : "the caller's time is over"
    return .ended(id, RPCStatus(code, message), owner: owner)
  }

  // MARK: Frames that only a client takes

  private mutating func receiveHeader(_ id: StreamID, _ payload: UnsafeRawBufferPointer) -> ConnectionEvent? {
    guard role == .client else { return protocolError("a client sends no header") }
    guard id <= lastStream else { return protocolError("stream \(id) is not open yet") }
    guard let index = streams.index(forKey: id) else { return nil }
    guard !streams.values[index].hasBegun else { return protocolError("a header after stream \(id) began") }
    streams.values[index].hasBegun = true
    do {
      return .header(id, try ControlPayload.header(payload, arena), owner: streams.values[index].owner)
    } catch {
      return giveUp(id, RPCStatus(.internalError, "the server's header: \(error.message)"))
    }
  }

  private mutating func receiveStatus(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) -> ConnectionEvent? {
    let id = header.stream
    guard role == .client else { return protocolError("a client sends no status") }
    guard id <= lastStream else { return protocolError("stream \(id) is not open yet") }
    guard let index = streams.index(forKey: id) else { return nil }
    let isInsideMessage = streams.values[index].assembly != nil
    let owner = streams.values[index].owner
    remove(id)
    do {
      var status = try ControlPayload.status(payload, arena)
      if isInsideMessage, status.code == .ok { return protocolError("success inside a message of stream \(id)") }
      if header.flags.contains(.refused) { status.isRefusal = true }
      return .ended(id, status, owner: owner)
    } catch {
      return .ended(id, RPCStatus(.internalError, "the server's status: \(error.message)"), owner: owner)
    }
  }

  // MARK: Frames that both take

  private mutating func receiveCredit(
    _ id: StreamID, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let credit = Int(UInt32(bigEndian: payload.loadUnaligned(as: UInt32.self)))
    guard credit > 0 else { return protocolError("credit of 0") }
    guard buckets.credit.take(at: now) else { return flood("credit-rate-max", limits.creditRate, "credits") }
    if id == .connection {
      guard sendCredit + credit <= RPCLimits.creditMax else { return protocolError("credit over 2^31 - 1") }
      sendCredit += credit
    } else {
      guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open yet") }
      guard let index = streams.index(forKey: id) else { return nil }
      guard streams.values[index].sendCredit + credit <= RPCLimits.creditMax else {
        return protocolError("credit over 2^31 - 1")
      }
      streams.values[index].sendCredit += credit
      takeTurn(index)
    }
    pump(at: now)
    return nil
  }

  private mutating func receivePing(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    if header.flags.contains(.acknowledgement) { return nil }
    guard buckets.ping.take(at: now) else { return flood("ping-rate-max", limits.pingRate, "pings") }
    if pongIsQueued { return nil }
    pongIsQueued = true
    output.appendFrame(.ping, flags: .acknowledgement) { $0.append(payload) }
    return nil
  }

  private mutating func receiveGoAway(_ payload: UnsafeRawBufferPointer) -> ConnectionEvent? {
    let goAway: GoAway
    do {
      goAway = try ControlPayload.goAway(payload, arena)
    } catch {
      return protocolError(error.message)
    }
    guard !goAwayReceived else { return nil }
    goAwayReceived = true
    events.append(.goAway(goAway))
    guard role == .client else { return nil }
    for id in streams.ids.filter({ $0 > goAway.lastStream }) {
      let owner = owner(of: id)
      remove(id)
      let reason = goAway.status.message
      var status = RPCStatus(.unavailable, reason.isEmpty ? "the server takes no further calls" : reason)
      status.isRefusal = true
      events.append(.ended(id, status, owner: owner))
    }
    return nil
  }
}
