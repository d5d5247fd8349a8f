extension Connection {
  mutating func receiveMessage(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ range: Range<Int>, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let id = header.stream
    receiveCredit -= header.cost
    guard receiveCredit >= 0 else { return protocolError("message exceeds the connection's credit") }
    if header.flags.contains(.more), header.length == 0, !buckets.emptyFrame.tryConsume(at: now) {
      return flood("empty-frame-rate-max", limits.emptyFrameRate, "empty MORE frames")
    }
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else {
      guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open") }
      grantConnection(header.cost)
      guard role == .client || buckets.ignoredFrame.tryConsume(at: now) else {
        return flood("ignored-frame-rate-max", limits.ignoredFrameRate, "messages of calls that have ended")
      }
      return nil
    }
    if role == .client, header.flags.contains(.endStream) { return protocolError("END_STREAM from a server") }
    guard !streams.values[index].receiveClosed else { return protocolError("message after END_STREAM on stream \(id)") }
    streams.values[index].receiveCredit -= header.cost
    guard streams.values[index].receiveCredit >= 0 else {
      return protocolError("message exceeds the credit of stream \(id)")
    }
    if header.flags.contains(.noMessage) {
      guard streams.values[index].assembly == nil else { return protocolError("END_STREAM inside a message") }
      streams.values[index].receiveClosed = true
      return .halfClosed(id, owner: streams.values[index].owner)
    }
    let assembled = streams.values[index].assembly?.count
    let isPiece = header.flags.contains(.more) || assembled != nil
    if let problem = sizeProblem(header, assembled: assembled, sizeMax: streams.values[index].messageSizeMax)
      ?? (isPiece ? reserveAssembly(header.length) : nil)
    {
      streams.values[index].unconsumedCredit += header.cost
      return endCall(id, problem)
    }
    streams.values[index].hasBegun = true
    if isPiece { return receivePiece(header, payload, index, now) }
    return deliver(header, .inPlace(range), credit: header.cost, index)
  }

  /// Returns the reason to reject a frame, or `nil`.
  ///
  /// - Parameter assembled: The bytes already received of the frame's message, or `nil` for its first frame.
  private func sizeProblem(_ header: FrameHeader, assembled: Int?, sizeMax: Int) -> RPCStatus? {
    if header.flags.contains(.compressed) { return RPCStatus(.unimplemented, "compression is not supported") }
    let size = (assembled ?? 0) + header.length
    if size > sizeMax {
      return RPCStatus(
        .resourceExhausted, "message of at least \(size) bytes exceeds message-size-max (\(sizeMax))")
    }
    return nil
  }

  /// Reserves the bytes of a frame of an incomplete message, or returns the limit's error.
  private mutating func reserveAssembly(_ size: Int) -> RPCStatus? {
    guard assemblySize + size <= limits.assemblySizeMax else {
      return RPCStatus(
        .resourceExhausted, "too many bytes of incomplete messages (assembly-size-max: \(limits.assemblySizeMax))")
    }
    do throws(RPCStatus) { try assemblyAccount?.reserve(size) } catch { return error }
    assemblySize += size
    return nil
  }

  /// Releases bytes of messages that are no longer in memory.
  mutating func releaseAssembly(_ size: Int) {
    guard size > 0 else { return }
    assemblySize -= size
    assemblyAccount?.release(size)
  }

  /// Stores a frame of a fragmented message, and delivers the message with its last frame.
  ///
  /// A message may be larger than its stream's credit, so the credit of a MORE frame is granted again at once while no
  /// earlier message of the stream is unconsumed. At most one message per stream is therefore buffered beyond the
  /// credit.
  private mutating func receivePiece(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ index: Int, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    if streams.values[index].assembly == nil { beginAssembly(index, now) }
    streams.values[index].assembly?.append(contentsOf: payload)
    streams.values[index].assemblyCost += header.cost
    streams.values[index].lastPieceAt = now
    guard header.flags.contains(.more) else {
      let stream = streams.values[index]
      let bytes = stream.assembly ?? []
      // Bytes that no credit covers any more stay reserved until the message is consumed.
      let held = role == .server ? min(stream.assemblyGranted, bytes.count) : 0
      releaseAssembly(bytes.count - held)
      streams.values[index].assembly = nil
      streams.values[index].assemblyCost = 0
      streams.values[index].assemblyGranted = 0
      streams.values[index].unconsumedAssemblySize += held
      let credit = stream.assemblyCost - stream.assemblyGranted
      return deliver(header, .assembled(bytes), credit: credit, assemblySize: held, index)
    }
    if streams.values[index].unconsumedCount == 0 { grantAssembled(index) }
    return nil
  }

  private mutating func beginAssembly(_ index: Int, _ now: MonotonicTime) {
    streams.values[index].assembly = []
    guard role == .server else { return }
    streams.values[index].assemblyStartedAt = now
    streams.values[index].assemblyWasHeldUp = false
    streamTimer = min(streamTimer, now.advanced(by: limits.messageTimeMax))
  }

  private mutating func deliver(
    _ header: FrameHeader, _ content: ReceivedMessage.Content, credit: Int, assemblySize: Int = 0,
    _ index: Int
  ) -> ConnectionEvent {
    let isLast = header.flags.contains(.endStream)
    streams.values[index].receiveClosed = isLast
    streams.values[index].unconsumedCount += 1
    streams.values[index].unconsumedCredit += credit
    return .message(
      ReceivedMessage(
        stream: header.stream, content: content, isLast: isLast,
        receipt: CreditReceipt(stream: header.stream, size: credit, assemblySize: assemblySize),
        owner: streams.values[index].owner))
  }

  /// Returns the credit of a message that no longer uses memory. Call it once for each message, in order.
  ///
  /// Has no effect for a call that has ended: its credit was returned at the end.
  public mutating func consume(_ receipt: CreditReceipt) {
    guard let index = streams.index(forKey: receipt.stream), !streams.values[index].isOver else { return }
    precondition(streams.values[index].unconsumedCount > 0, "a message of stream \(receipt.stream) is consumed twice")
    streams.values[index].unconsumedCount -= 1
    streams.values[index].unconsumedCredit -= receipt.size
    streams.values[index].unconsumedAssemblySize -= receipt.assemblySize
    releaseAssembly(receipt.assemblySize)
    grant(receipt.size, index)
    if streams.values[index].unconsumedCount == 0 {
      if streams.values[index].assembly != nil { streams.values[index].assemblyWasHeldUp = true }
      grantAssembled(index)
    }
  }

  private mutating func grantAssembled(_ index: Int) {
    let due = streams.values[index].assemblyCost - streams.values[index].assemblyGranted
    guard due > 0 else { return }
    streams.values[index].assemblyGranted += due
    grant(due, index)
  }

  private mutating func grant(_ credit: Int, _ index: Int) {
    grantConnection(credit)
    if streams.values[index].receiveClosed { return }
    streams.values[index].owedCredit += credit
    let owed = streams.values[index].owedCredit
    guard owed * 2 >= limits.streamCredit else { return }
    streams.values[index].owedCredit = 0
    streams.values[index].receiveCredit += owed
    appendCredit(owed, on: streams.values[index].id)
  }

  mutating func grantConnection(_ credit: Int) {
    owedCredit += credit
    guard owedCredit * 2 >= limits.connectionCredit, phase == .open else { return }
    receiveCredit += owedCredit
    appendCredit(owedCredit, on: .connection)
    owedCredit = 0
  }

  private mutating func appendCredit(_ credit: Int, on stream: StreamID) {
    output.appendFrame(.credit, on: stream) { $0.append(bigEndian: UInt32(credit)) }
  }
}
