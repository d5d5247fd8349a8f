extension Connection {
  // Both are inlinable since they are asked for each frame, and the whole connection would be copied to be asked.

  /// Whether there are bytes to write.
  @inlinable public var hasOutput: Bool { !output.isEmpty }

  /// Whether so much is to be written that the peer should have it while this end is busy with more: it is worth a
  /// system call of its own. Where 64 calls were under way and 16 KiB were waited for, both ends took turns and made
  /// 215 000 a second, and with 24 messages 364 000. When calls cost less, 24 messages made 470 000, and 32 520 000.
  @inlinable public var hasMuchOutput: Bool {
    outputMessageCount >= Self.earlyMessageCount || output.count >= Self.earlyOutputSize
  }

  @inlinable static var earlyMessageCount: Int { 32 }
  @inlinable static var earlyOutputSize: Int { 8_192 }

  /// Hands the bytes to be written to `body`, and forgets them; then moves waiting messages up.
  ///
  /// Call it only when the socket takes bytes, until ``hasOutput`` is `false` or the socket is full.
  public mutating func takeOutput(at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void) {
    if !output.isEmpty { output.bytes.withUnsafeBytes(body) }
    output.removeAll()
    outputMessageSize = 0
    outputMessageCount = 0
    outputBlockedSince = nil
    pongIsQueued = false
    pump(at: now)
  }

  /// Notes that the socket takes no more for now.
  public mutating func outputIsBlocked(at now: MonotonicTime) {
    if outputBlockedSince == nil, !output.isEmpty { outputBlockedSince = now }
  }

  /// The streams with nothing left waiting, and those whose writers were told to wait and may go on, or are over.
  public mutating func takeWritable() -> [StreamID] {
    if writable.isEmpty { return [] }
    defer { writable = [] }
    return writable
  }

  /// Has a message wait for its turn, which may be at once.
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
    takeTurn(index)
    pump(at: now)
  }

  /// Puts a stream with waiting messages at the end of the queue.
  mutating func takeTurn(_ index: Int) {
    guard !streams.values[index].hasTurn, !streams.values[index].backlog.isEmpty else { return }
    streams.values[index].hasTurn = true
    turns.append(streams.values[index].id)
  }

  /// Moves waiting messages into the output, a frame for each stream in turn, as far as room and credit go.
  mutating func pump(at now: MonotonicTime) {
    guard phase == .open else { return }
    while outputMessageSize < limits.outputSizeMax, !turns.isEmpty {
      let id = turns.first
      guard let index = streams.index(forKey: id), !streams.values[index].backlog.isEmpty else {
        _ = turns.popFirst()
        if let index = streams.index(forKey: id) { streams.values[index].hasTurn = false }
        continue
      }
      guard appendNextFrame(index, id) else {
        if !hasCredit(sendCredit, for: streams.values[index].backlog.first) { return }
        _ = turns.popFirst()
        streams.values[index].hasTurn = false
        continue
      }
      streams.values[index].stalledSince = streams.values[index].backlog.isEmpty ? nil : now
      _ = turns.popFirst()
      streams.values[index].hasTurn = false
      noteProgress(index, id)
    }
  }

  /// The least credit worth a frame of its own: the whole message, or about a kilobyte of it.
  private func hasCredit(_ credit: Int, for message: PendingMessage) -> Bool {
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

  /// Tells a writer of room, sends a status that waited for the last message, or queues the stream again.
  private mutating func noteProgress(_ index: Int, _ id: StreamID) {
    let size = streams.values[index].backlogSize
    if size == 0 || (streams.values[index].isFull && size <= limits.streamBacklogSizeMax / 2) {
      streams.values[index].isFull = false
      writable.append(id)
    }
    if !streams.values[index].backlog.isEmpty {
      takeTurn(index)
    } else if let status = streams.values[index].finalStatus {
      remove(id)
      appendStatus(status, on: id)
    }
  }
}
