extension Connection {
  /// The result of sending a message.
  public enum SendOutcome: Hashable, Sendable {
    /// The message was accepted, and there is room for more.
    case accepted
    /// The message was accepted; wait until ``dequeueWritableStreams()`` returns the stream before sending more.
    case full
    /// The message was rejected: its size, given here in bytes, exceeds the method's or the peer's limit.
    case tooLarge(Int)
    /// The message was rejected: the call has ended.
    case over
  }

  // MARK: Clients

  /// Opens a call.
  ///
  /// - Parameters:
  ///   - method: The method path, `package.Service/Method`.
  ///   - deadline: The time at which the call fails. It is limited to ``RPCLimits/deadlineMax`` from now; `nil` means
  ///     no deadline.
  ///   - metadata: The call's metadata; its ``Metadata/problem`` must be `nil`.
  ///   - messageSizeMax: The maximum size of a response.
  ///   - owner: An object that is passed along with the call's events.
  ///   - now: The current time.
  /// - Returns: The call's stream number.
  /// - Precondition: The connection is a client's, and ``canOpen`` is `true`.
  public mutating func open(
    method: String, deadline: MonotonicTime?, metadata: Metadata, messageSizeMax: Int, owner: AnyObject? = nil,
    at now: MonotonicTime
  ) -> StreamID {
    precondition(role == .client && canOpen, "the connection cannot open a call")
    precondition(metadata.problem == nil, "invalid metadata")
    let id = StreamID(rawValue: lastStream == .connection ? 1 : lastStream.rawValue + 2)
    lastStream = id
    let index = insertStream(id, messageSizeMax: min(messageSizeMax, limits.messageSizeMax))
    streams.values[index].owner = owner
    var microseconds: Int64?
    if let deadline {
      let end = min(deadline, now.advanced(byNanoseconds: deadlineSpanMax))
      streams.values[index].deadline = end
      streamTimer = min(streamTimer, end)
      let (whole, rest) = max(0, now.duration(to: end).nanoseconds).quotientAndRemainder(dividingBy: 1_000)
      microseconds = max(1, rest > 0 ? whole + 1 : whole)
    }
    lastOpen.encode(method, metadata, output.scratch)
    output.appendFrame(.open, on: id) { buffer in
      buffer.append(lastOpen.bytes)
      if let microseconds { ControlPayload.append(timeoutMicroseconds: microseconds, to: &buffer) }
    }
    return id
  }

  /// Half-closes the call: no more requests follow.
  public mutating func closeSending(_ id: StreamID, at now: MonotonicTime) {
    precondition(role == .client, "only a client half-closes calls")
    guard let index = streams.index(forKey: id), !streams.values[index].sendClosed else { return }
    streams.values[index].sendClosed = true
    if streams.values[index].backlog.isEmpty {
      output.append(FrameHeader(length: 0, type: .message, flags: [.endStream, .noMessage], stream: id))
    } else {
      enqueue(PendingMessage(bytes: [], endsStream: true, isBare: true), index, now)
    }
  }

  /// Cancels a call. No further events are produced for it.
  public mutating func cancel(_ id: StreamID, code: StatusCode = .cancelled) {
    precondition(role == .client, "only a client cancels calls")
    guard streams.index(forKey: id) != nil else { return }
    remove(id)
    guard phase == .open else { return }
    output.appendFrame(.cancel, on: id) { ControlPayload.append(cancel: code, to: &$0) }
  }

  // MARK: Servers

  /// Sends the server's metadata before the first message.
  ///
  /// - Returns: `false` if a header or message has already been sent, or if the call has ended.
  public mutating func sendHeader(_ metadata: Metadata, on id: StreamID) -> Bool {
    precondition(role == .server && metadata.problem == nil, "only a server sends a header, with valid metadata")
    guard let index = streams.index(forKey: id), !streams.values[index].isOver, !streams.values[index].headerSent
    else { return false }
    streams.values[index].headerSent = true
    output.appendFrame(.header, on: id) { ControlPayload.append(header: metadata, to: &$0) }
    return true
  }

  /// Ends a call with a status, after the messages already queued for it, and frees its stream.
  ///
  /// Call this once for each opened call, even if the peer, a limit or a deadline has ended it.
  public mutating func finish(_ id: StreamID, with status: RPCStatus) {
    precondition(role == .server, "only a server finishes calls")
    guard let index = streams.index(forKey: id) else { return }
    if streams.values[index].isOver || phase != .open {
      remove(id)
    } else if streams.values[index].backlog.isEmpty {
      remove(id)
      appendStatus(status, flags: status.isRefusal ? .refused : [], on: id)
    } else {
      streams.values[index].sendClosed = true
      streams.values[index].finalStatus = status
      streams.values[index].owner = nil
    }
  }

  /// Rejects a call that may not begin, with `status`.
  ///
  /// If such calls exceed ``RPCLimits/deniedCallRate``, the connection fails.
  public mutating func reject(_ id: StreamID, with status: RPCStatus, at now: MonotonicTime) {
    finish(id, with: status)
    guard phase == .open, !buckets.deniedCall.tryConsume(at: now) else { return }
    let rate = limits.deniedCallRate.perSecond
    end(.flood, RPCStatus(.resourceExhausted, "too many denied calls (denied-call-rate-max: \(rate))"))
  }

  /// Fails the connection: sends GOAWAY to the peer and produces a ``ConnectionEvent/failed(_:)`` event.
  public mutating func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    guard phase != .closed else { return }
    events.append(fail(reason, status.code, status.message))
  }

  /// Accepts an opened call.
  ///
  /// - Parameters:
  ///   - id: The call.
  ///   - messageSizeMax: The method's maximum message size.
  ///   - owner: An object that is passed along with the call's events until ``finish(_:with:)``.
  ///   - now: The current time if the call must fail unless its request begins within ``RPCLimits/requestTimeMax``;
  ///     `nil` for calls that stream requests.
  public mutating func accept(
    _ id: StreamID, messageSizeMax: Int, owner: AnyObject? = nil, waitsForRequestSince now: MonotonicTime? = nil
  ) {
    guard let index = streams.index(forKey: id) else { return }
    if let now {
      let end = now.advanced(by: limits.requestTimeMax)
      streams.values[index].requestDeadline = end
      streamTimer = min(streamTimer, end)
    }
    streams.values[index].messageSizeMax = min(messageSizeMax, limits.messageSizeMax)
    streams.values[index].owner = owner
  }

  /// Starts draining: calls in progress continue, and the peer opens new ones on another connection.
  public mutating func drain(retryAfter: Duration, message: String) {
    guard phase != .closed, !goAwaySent else { return }
    goAwaySent = true
    guard phase == .open else { return }
    let goAway = GoAway(
      lastStream: lastStream, status: RPCStatus(.unavailable, message), retryAfter: retryAfter)
    output.appendFrame(.goAway) { ControlPayload.append(goAway, to: &$0) }
  }

  /// Ends every open call with `status`, producing an event for each.
  public mutating func endAll(_ status: RPCStatus) {
    for id in streams.ids { end(id, with: status) }
  }

  /// Ends a call immediately with `status`, dropping its unsent messages, and produces an event.
  public mutating func end(_ id: StreamID, with status: RPCStatus) {
    if let event = endCall(id, status) { events.append(event) }
  }

  // MARK: Both

  /// Returns the owner of a call, or `nil` if the call has ended or has no owner.
  public func owner(of id: StreamID) -> AnyObject? {
    streams.index(forKey: id).flatMap { streams.values[$0].owner }
  }

  /// The owners of all calls, in the order in which the calls were opened.
  public var owners: [AnyObject] { streams.owners }

  /// Sends one message.
  ///
  /// - Parameters:
  ///   - id: The call.
  ///   - sizeMax: The maximum size of the message in bytes.
  ///   - endsStream: Whether this is a client's last message on the call.
  ///   - now: The current time.
  ///   - encode: Appends the message's encoding to the buffer.
  /// - Returns: Whether the message was accepted, and whether there is room for more.
  public mutating func send(
    on id: StreamID, sizeMax: Int, endsStream: Bool = false, at now: MonotonicTime,
    _ encode: (inout EncodeBuffer) -> Void
  ) -> SendOutcome {
    precondition(!endsStream || role == .client, "only a client sends END_STREAM")
    guard let index = streams.index(forKey: id), !streams.values[index].isOver, !streams.values[index].sendClosed,
      phase == .open
    else { return .over }
    let start = output.count
    output.append(FrameHeader(length: 0, type: .message, flags: endsStream ? .endStream : [], stream: id))
    encode(&output)
    let size = output.count - start - FrameHeader.size
    guard size <= min(sizeMax, peer.messageSizeMax) else {
      output.truncate(to: start)
      return .tooLarge(size)
    }
    streams.values[index].headerSent = true
    streams.values[index].sendClosed = endsStream
    let cost = size + FrameHeader.size
    if sendQueue.isEmpty, streams.values[index].backlog.isEmpty, size <= peer.frameSizeMax, cost <= sendCredit,
      cost <= streams.values[index].sendCredit, outputMessageSize < limits.outputSizeMax
    {
      output.set(bigEndian: UInt32(size), at: start)
      sendCredit -= cost
      streams.values[index].sendCredit -= cost
      outputMessageSize += cost
      outputMessageCount += 1
      return .accepted
    }
    let bytes = Array(output.bytes[(start + FrameHeader.size)...])
    output.truncate(to: start)
    enqueue(PendingMessage(bytes: bytes, endsStream: endsStream), index, now)
    return outcome(id)
  }

  /// Sends one message that is already encoded. Its bytes are shared rather than copied while they are queued.
  public mutating func send(
    encoded bytes: [UInt8], on id: StreamID, sizeMax: Int, at now: MonotonicTime
  ) -> SendOutcome {
    guard let index = streams.index(forKey: id), !streams.values[index].isOver, !streams.values[index].sendClosed,
      phase == .open
    else { return .over }
    guard bytes.count <= min(sizeMax, peer.messageSizeMax) else { return .tooLarge(bytes.count) }
    streams.values[index].headerSent = true
    enqueue(PendingMessage(bytes: bytes, endsStream: false), index, now)
    return outcome(id)
  }

  /// Returns the result of queueing a message, and ends a server's call if the total backlog exceeds its limit.
  ///
  /// The stream is looked up again, because sending may have ended it.
  private mutating func outcome(_ id: StreamID) -> SendOutcome {
    guard let index = streams.index(forKey: id) else { return .accepted }
    if role == .server, backlogSize > limits.backlogSizeMax {
      let message = "too many unsent bytes: \(backlogSize) (backlog-size-max: \(limits.backlogSizeMax))"
      end(id, with: RPCStatus(.resourceExhausted, message))
      return .over
    }
    if let status = reserveBacklog() {
      end(id, with: status)
      return .over
    }
    guard streams.values[index].backlogSize >= limits.streamBacklogSizeMax else { return .accepted }
    streams.values[index].isFull = true
    return .full
  }

  /// The number of unsent bytes of the call's messages.
  public func backlogSize(of id: StreamID) -> Int {
    streams.index(forKey: id).map { streams.values[$0].backlogSize } ?? 0
  }

  // MARK: Ends

  /// Marks a server's call as ended for the peer; its stream stays in use until the handler finishes.
  ///
  /// - Returns: `false` if the handler has already finished, so that no event is needed.
  mutating func markEnded(_ index: Int) -> Bool {
    let id = streams.values[index].id
    let old = streams.values[index]
    guard old.finalStatus == nil else {
      remove(id)
      return false
    }
    releaseAssembly((old.assembly?.count ?? 0) + old.unconsumedAssemblySize)
    backlogSize -= old.backlogSize
    releaseBacklog()
    var stream = CallStream(
      id, messageSizeMax: limits.messageSizeMax, receiveCredit: limits.streamCredit, sendCredit: 0)
    stream.isOver = true
    stream.receiveClosed = true
    stream.sendClosed = true
    stream.owner = old.owner
    stream.isQueued = old.isQueued
    streams.values[index] = stream
    grantConnection(old.unconsumedCredit + old.assemblyCost - old.assemblyGranted)
    if old.isFull { writable.append(id) }
    return true
  }

  /// Adds a call and returns its slot.
  mutating func insertStream(_ id: StreamID, messageSizeMax: Int) -> Int {
    streams.insert(
      CallStream(
        id, messageSizeMax: messageSizeMax, receiveCredit: limits.streamCredit, sendCredit: peer.streamCredit))
  }

  mutating func remove(_ id: StreamID) {
    guard let index = streams.index(forKey: id) else { return }
    releaseAssembly((streams.values[index].assembly?.count ?? 0) + streams.values[index].unconsumedAssemblySize)
    backlogSize -= streams.values[index].backlogSize
    releaseBacklog()
    let credit = streams.values[index].unconsumedCredit + streams.values[index].assemblyCost
    grantConnection(credit - streams.values[index].assemblyGranted)
    if streams.values[index].isFull { writable.append(id) }
    streams.remove(id)
  }

  /// Ends a call locally, notifying the peer.
  ///
  /// - Returns: The event for the owner, or `nil` if the call has already ended.
  mutating func endCall(_ id: StreamID, _ status: RPCStatus) -> ConnectionEvent? {
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else { return nil }
    if status.code == .resourceExhausted { counts.resourceExhausted += 1 }
    let owner = streams.values[index].owner
    if role == .client {
      cancel(id, code: status.code == .deadlineExceeded ? .deadlineExceeded : .cancelled)
      return .ended(id, status, owner: owner)
    }
    let handlerRuns = markEnded(index)
    appendStatus(status, on: id)
    return handlerRuns ? .ended(id, status, owner: owner) : nil
  }

  mutating func appendStatus(_ status: RPCStatus, flags: FrameFlags = [], on id: StreamID) {
    output.appendFrame(.status, flags: flags, on: id) { ControlPayload.append(status, to: &$0) }
  }
}
