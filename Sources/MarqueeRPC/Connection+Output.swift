extension Connection {
  // Inlinable because they are read for every frame; otherwise the whole connection would be copied for the call.

  /// Whether there is output to write.
  @inlinable public var hasOutput: Bool { !output.isEmpty }

  /// Whether the pending output justifies a write of its own before all received bytes have been processed.
  ///
  /// Writing early lets the peer work in parallel with the rest of the batch.
  @inlinable public var hasMuchOutput: Bool {
    outputMessageCount >= Self.earlyMessageCount || output.count >= Self.earlyOutputSize
  }

  @inlinable static var earlyMessageCount: Int { 32 }
  @inlinable static var earlyOutputSize: Int { 8_192 }

  /// Passes the pending output to `body`, removes it, and moves queued messages into the output.
  ///
  /// Call this only while the socket is writable, until ``hasOutput`` is `false` or the socket is full.
  public mutating func drainOutput(at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void) {
    if !output.isEmpty { output.bytes.withUnsafeBytes(body) }
    output.removeAll()
    outputMessageSize = 0
    outputMessageCount = 0
    outputBlockedSince = nil
    pongIsQueued = false
    pump(at: now)
  }

  /// Records that the socket accepts no more bytes for now.
  public mutating func outputIsBlocked(at now: MonotonicTime) {
    if outputBlockedSince == nil, !output.isEmpty { outputBlockedSince = now }
  }

  /// Returns, and clears, the streams whose writers may continue: those with an empty backlog, and those that were full
  /// and have room again or have ended.
  public mutating func dequeueWritableStreams() -> [StreamID] {
    if writable.isEmpty { return [] }
    defer { writable = [] }
    return writable
  }

  /// Queues a message; it is sent at once if the queue, the credit and the output allow.
  mutating func enqueue(
    _ message: PendingMessage, _ index: Int, _ now: MonotonicTime
  ) {
    streams.values[index].backlog.append(message)
    streams.values[index].backlogSize += message.bytes.count
    backlogSize += message.bytes.count
    if streams.values[index].stalledSince == nil {
      streams.values[index].stalledSince = now
      streamTimer = min(streamTimer, now.advanced(by: limits.stallTimeMax))
    }
    enqueueStream(index)
    pump(at: now)
  }

  /// Appends a stream with unsent messages to the send queue.
  mutating func enqueueStream(_ index: Int) {
    guard !streams.values[index].isQueued, !streams.values[index].backlog.isEmpty else { return }
    streams.values[index].isQueued = true
    sendQueue.append(streams.values[index].id)
  }

  /// Moves queued messages into the output, one frame per stream in round-robin order, as far as credit and room allow.
  mutating func pump(at now: MonotonicTime) {
    guard phase == .open else { return }
    defer { releaseBacklog() }
    while outputMessageSize < limits.outputSizeMax, !sendQueue.isEmpty {
      let id = sendQueue.first
      guard let index = streams.index(forKey: id), !streams.values[index].backlog.isEmpty else {
        _ = sendQueue.popFirst()
        if let index = streams.index(forKey: id) { streams.values[index].isQueued = false }
        continue
      }
      guard appendNextFrame(index, id) else {
        if !hasCredit(sendCredit, for: streams.values[index].backlog.first) { return }
        _ = sendQueue.popFirst()
        streams.values[index].isQueued = false
        continue
      }
      lastSentAt = now
      streams.values[index].stalledSince = streams.values[index].backlog.isEmpty ? nil : now
      _ = sendQueue.popFirst()
      streams.values[index].isQueued = false
      noteProgress(index, id)
    }
  }

  /// Reserves the unsent bytes from ``backlogAccount``.
  ///
  /// - Returns: The status of the exceeded limit, or `nil` on success.
  mutating func reserveBacklog() -> RPCStatus? { backlogReservation.grow(to: backlogSize) }

  /// Releases the reservation for bytes that are no longer unsent.
  mutating func releaseBacklog() { backlogReservation.shrink(to: backlogSize) }

  /// Whether `credit` suffices for a frame: the whole rest of the message, or at least 1 KiB of it.
  func hasCredit(_ credit: Int, for message: PendingMessage) -> Bool {
    message.isBare || credit >= FrameHeader.size + min(message.bytes.count - message.sent, 1_024)
  }

  private mutating func appendNextFrame(
    _ index: Int, _ id: StreamID
  ) -> Bool {
    let message = streams.values[index].backlog.first
    let credit = min(sendCredit, streams.values[index].sendCredit)
    guard hasCredit(credit, for: message) else { return false }
    if message.isBare {
      output.append(FrameHeader(length: 0, type: .message, flags: [.endStream, .noMessage], stream: id))
      _ = streams.values[index].backlog.popFirst()
      return true
    }
    let rest = message.bytes.count - message.sent
    let size = min(rest, peer.frameSizeMax, credit - FrameHeader.size)
    let flags: FrameFlags = size < rest ? .more : message.endsStream ? .endStream : []
    output.append(FrameHeader(length: size, type: .message, flags: flags, stream: id))
    message.bytes.withUnsafeBytes { bytes in
      output.append(UnsafeRawBufferPointer(rebasing: bytes[message.sent..<(message.sent + size)]))
    }
    let cost = FrameHeader.size + size
    sendCredit -= cost
    outputMessageSize += cost
    outputMessageCount += 1
    streams.values[index].sendCredit -= cost
    streams.values[index].backlogSize -= size
    backlogSize -= size
    if size == rest {
      _ = streams.values[index].backlog.popFirst()
    } else {
      streams.values[index].backlog.first.sent += size
    }
    return true
  }

  /// Notifies a writer that there is room, sends a status that followed the last message, or queues the stream again.
  private mutating func noteProgress(_ index: Int, _ id: StreamID) {
    let size = streams.values[index].backlogSize
    if size == 0 || (streams.values[index].isFull && size <= limits.streamBacklogSizeMax / 2) {
      streams.values[index].isFull = false
      writable.append(id)
    }
    if !streams.values[index].backlog.isEmpty {
      enqueueStream(index)
    } else if let status = streams.values[index].finalStatus {
      remove(id)
      appendStatus(status, on: id)
    }
  }
}
