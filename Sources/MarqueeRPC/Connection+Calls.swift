extension Connection {
  /// What became of a message that was given to be sent.
  public enum SendOutcome: Hashable, Sendable {
    /// Taken; there is room for more.
    case accepted
    /// Taken; wait until ``takeWritable()`` names the stream before sending more.
    case full
    /// Not taken: the message has that many bytes, which is over the method's or the peer's limit.
    case tooLarge(Int)
    /// Not taken: the call is over.
    case over
  }

  // MARK: Clients

  /// Begins a call, which is given up at `deadline` or, if that is earlier, when the longest one is over. Only while
  /// ``canOpen``; the metadata has no ``Metadata/problem``. The `owner` comes with the call's events.
  public mutating func open(
    method: String, deadline: MonotonicTime?, metadata: Metadata, messageSizeMax: Int, owner: AnyObject? = nil,
    at now: MonotonicTime
  ) -> StreamID {
    precondition(role == .client && canOpen, "no call can be opened now")
    precondition(metadata.problem == nil, "the metadata was not checked")
    let id = StreamID(rawValue: lastStream == .connection ? 1 : lastStream.rawValue + 2)
    lastStream = id
    let index = insertStream(id, messageSizeMax: min(messageSizeMax, limits.messageSizeMax))
    streams.values[index].owner = owner
    var microseconds: Int64?
    if let deadline {
      let end = min(deadline, now.advanced(byNanoseconds: deadlineSpanMax))
      streams.values[index].deadline = end
      streamTimer = min(streamTimer, end)
      microseconds = max(1, (end.nanoseconds - now.nanoseconds + 999) / 1_000)
    }
    lastOpen.encode(method, metadata, output.scratch)
    output.appendFrame(.open, on: id) { buffer in
      buffer.append(lastOpen.bytes)
      if let microseconds { ControlPayload.append(timeoutMicroseconds: microseconds, to: &buffer) }
    }
    return id
  }

  /// Says that no more messages follow on the call.
  public mutating func closeSending(_ id: StreamID, at now: MonotonicTime) {
    precondition(role == .client, "a server ends with a status")
    guard let index = streams.index(forKey: id), !streams.values[index].sendClosed else { return }
    streams.values[index].sendClosed = true
    if streams.values[index].backlog.isEmpty {
      output.append(FrameHeader(length: 0, type: .message, flags: [.endStream, .noMessage], stream: id))
    } else {
      enqueue(PendingMessage(bytes: [], endsStream: true, isBare: true), index, now)
    }
  }

  /// Gives a call up. Nothing more is heard of it.
  public mutating func cancel(_ id: StreamID, code: StatusCode = .cancelled) {
    precondition(role == .client, "a server ends calls with a status")
    guard streams.index(forKey: id) != nil else { return }
    remove(id)
    guard phase == .open else { return }
    output.appendFrame(.cancel, on: id) { ControlPayload.append(cancel: code, to: &$0) }
  }

  // MARK: Servers

  /// Sends metadata ahead of the first message; `false` when a header or message has gone before, or the call is over.
  public mutating func sendHeader(_ metadata: Metadata, on id: StreamID) -> Bool {
    precondition(role == .server && metadata.problem == nil, "not a server's checked metadata")
    guard let index = streams.index(forKey: id), !streams.values[index].isOver, !streams.values[index].headerSent
    else { return false }
    streams.values[index].headerSent = true
    output.appendFrame(.header, on: id) { ControlPayload.append(header: metadata, to: &$0) }
    return true
  }

  /// Ends a call behind the messages already given, and frees its place. Called once for each opened call, also when
  /// the call was ended by the peer, a limit or time.
  public mutating func finish(_ id: StreamID, with status: RPCStatus) {
    precondition(role == .server, "a client cancels")
    guard let index = streams.index(forKey: id) else { return }
    if streams.values[index].isOver || phase != .open {
      remove(id)
    } else if streams.values[index].backlog.isEmpty {
      remove(id)
      appendStatus(status, on: id)
    } else {
      streams.values[index].sendClosed = true
      streams.values[index].finalStatus = status
      streams.values[index].owner = nil
    }
  }

  /// Holds an opened call's messages below its method's limit, and has `owner` come with the call's events from now
  /// on until ``finish(_:with:)``.
  public mutating func accept(_ id: StreamID, messageSizeMax: Int, owner: AnyObject? = nil) {
    guard let index = streams.index(forKey: id) else { return }
    streams.values[index].messageSizeMax = min(messageSizeMax, limits.messageSizeMax)
    streams.values[index].owner = owner
  }

  /// Begins to drain: calls under way go on, later ones are for another connection.
  public mutating func drain(retryAfter: Duration, message: String) {
    guard phase != .closed, !goAwaySent else { return }
    goAwaySent = true
    guard phase == .open else { return }
    let goAway = GoAway(
      lastStream: lastStream, status: RPCStatus(.unavailable, message), retryAfter: retryAfter)
    output.appendFrame(.goAway) { ControlPayload.append(goAway, to: &$0) }
  }

  /// Ends every open call with `status`, and says so in events.
  public mutating func endAll(_ status: RPCStatus) {
    for id in streams.ids { end(id, with: status) }
  }

  /// Ends a call ahead of what waits to be sent on it, and says so in an event.
  public mutating func end(_ id: StreamID, with status: RPCStatus) {
    if let event = giveUp(id, status) { events.append(event) }
  }

  // MARK: Both

  /// Whose the call is; `nil` when it is over or was given no owner.
  public func owner(of id: StreamID) -> AnyObject? {
    streams.index(forKey: id).flatMap { streams.values[$0].owner }
  }

  /// The owners of all calls, the earliest call's first.
  public var owners: [AnyObject] { streams.owners }

  /// Sends one message, which `encode` writes; at most `sizeMax` bytes.
  public mutating func send(
    on id: StreamID, sizeMax: Int, endsStream: Bool = false, at now: MonotonicTime,
    _ encode: (inout EncodeBuffer) -> Void
  ) -> SendOutcome {
    precondition(!endsStream || role == .client, "a server ends with a status")
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
    if turns.isEmpty, streams.values[index].backlog.isEmpty, size <= peer.frameSizeMax, cost <= sendCredit,
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

  /// Sends one message that is encoded already. Its bytes are shared, not copied, while they wait.
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

  /// Looks the stream up anew: while others took their turns, some may have ended. Ends it when the peer leaves too
  /// much to wait.
  private mutating func outcome(_ id: StreamID) -> SendOutcome {
    guard let index = streams.index(forKey: id) else { return .accepted }
    if role == .server, backlogSize > limits.backlogSizeMax {
      let message = "backlog-size-max is \(limits.backlogSizeMax), and \(backlogSize) bytes wait for the client"
      end(id, with: RPCStatus(.resourceExhausted, message))
      return .over
    }
    guard streams.values[index].backlogSize >= limits.streamBacklogSizeMax else { return .accepted }
    streams.values[index].isFull = true
    return .full
  }

  /// Bytes of the call's messages that wait for credit or room.
  public func backlogSize(of id: StreamID) -> Int {
    streams.index(forKey: id).map { streams.values[$0].backlogSize } ?? 0
  }

  // MARK: Ends

  /// Marks a server's call as over for the peer; only its handler is waited for. `false` when that has ended already,
  /// so that nobody is left to be told.
  mutating func setOver(_ index: Int) -> Bool {
    let id = streams.values[index].id
    let old = streams.values[index]
    guard old.finalStatus == nil else {
      remove(id)
      return false
    }
    assemblySize -= old.assembly?.count ?? 0
    backlogSize -= old.backlogSize
    var stream = CallStream(
      id, messageSizeMax: limits.messageSizeMax, receiveCredit: limits.streamCredit, sendCredit: 0)
    stream.isOver = true
    stream.receiveClosed = true
    stream.sendClosed = true
    stream.owner = old.owner
    stream.hasTurn = old.hasTurn
    streams.values[index] = stream
    grantConnection(old.heldCredit + old.assemblyCost - old.assemblyGranted)
    if old.isFull { writable.append(id) }
    return true
  }

  /// Adds a call, and returns its slot.
  mutating func insertStream(_ id: StreamID, messageSizeMax: Int) -> Int {
    streams.insert(
      CallStream(
        id, messageSizeMax: messageSizeMax, receiveCredit: limits.streamCredit, sendCredit: peer.streamCredit))
  }

  mutating func remove(_ id: StreamID) {
    guard let index = streams.index(forKey: id) else { return }
    assemblySize -= streams.values[index].assembly?.count ?? 0
    backlogSize -= streams.values[index].backlogSize
    let credit = streams.values[index].heldCredit + streams.values[index].assemblyCost
    grantConnection(credit - streams.values[index].assemblyGranted)
    if streams.values[index].isFull { writable.append(id) }
    streams.remove(id)
  }

  /// Ends a call from this end, telling the peer; the event tells the caller. `nil` when it is over already.
  mutating func giveUp(_ id: StreamID, _ status: RPCStatus) -> ConnectionEvent? {
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else { return nil }
    if status.code == .resourceExhausted { counts.oversized += 1 }
    let owner = streams.values[index].owner
    if role == .client {
      cancel(id, code: status.code == .deadlineExceeded ? .deadlineExceeded : .cancelled)
      return .ended(id, status, owner: owner)
    }
    let handlerRuns = setOver(index)
    appendStatus(status, on: id)
    return handlerRuns ? .ended(id, status, owner: owner) : nil
  }

  mutating func appendStatus(_ status: RPCStatus, flags: FrameFlags = [], on id: StreamID) {
    output.appendFrame(.status, flags: flags, on: id) { ControlPayload.append(status, to: &$0) }
  }
}
