extension Connection {
  mutating func receiveMessage(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ range: Range<Int>, _ now: MonotonicTime
  ) -> ConnectionEvent? {
    let id = header.stream
    receiveCredit -= header.cost
    guard receiveCredit >= 0 else { return protocolError("a message over the connection's credit") }
    if header.flags.contains(.more), header.length == 0, !buckets.emptyFrame.take(at: now) {
      return flood("empty-frame-rate-max", limits.emptyFrameRate, "empty pieces")
    }
    guard let index = streams.index(forKey: id), !streams.values[index].isOver else {
      guard id <= lastStream || goAwaySent else { return protocolError("stream \(id) is not open yet") }
      grantConnection(header.cost)
      return nil
    }
    if role == .client, header.flags.contains(.endStream) { return protocolError("a server ends with a status") }
    guard !streams.values[index].receiveClosed else { return protocolError("a message after the end of stream \(id)") }
    streams.values[index].receiveCredit -= header.cost
    guard streams.values[index].receiveCredit >= 0 else {
      return protocolError("a message over the credit of stream \(id)")
    }
    if header.flags.contains(.noMessage) {
      guard streams.values[index].assembly == nil else { return protocolError("an end inside a message") }
      streams.values[index].receiveClosed = true
      return .halfClosed(id, owner: streams.values[index].owner)
    }
    let assembled = streams.values[index].assembly?.count
    if let problem = sizeProblem(header, assembled: assembled, sizeMax: streams.values[index].messageSizeMax) {
      streams.values[index].heldCredit += header.cost
      return giveUp(id, problem)
    }
    streams.values[index].hasBegun = true
    if header.flags.contains(.more) || assembled != nil { return receivePiece(header, payload, index) }
    return deliver(header, .inPlace(range), credit: header.cost, index)
  }

  /// Why a frame is not taken, where `assembled` bytes of its message have come before, if any have.
  private mutating func sizeProblem(_ header: FrameHeader, assembled: Int?, sizeMax: Int) -> RPCStatus? {
    if header.flags.contains(.compressed) { return RPCStatus(.unimplemented, "compression is not supported") }
    let size = (assembled ?? 0) + header.length
    if size > sizeMax {
      return RPCStatus(
        .resourceExhausted, "message-size-max is \(sizeMax) here, this message has \(size) bytes or more")
    }
    let isPiece = header.flags.contains(.more) || assembled != nil
    if isPiece, assemblySize + header.length > limits.assemblySizeMax {
      return RPCStatus(
        .resourceExhausted, "assembly-size-max is \(limits.assemblySizeMax), and as much is incomplete messages")
    }
    return nil
  }

  /// Keeps a piece, and gives the message out with the last one.
  ///
  /// A message may be larger than the credit of its stream. So the credit of a piece is granted again at once as long
  /// as no earlier message of the stream waits for its consumer: then no more than one message is held beyond credit.
  private mutating func receivePiece(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ index: Int
  ) -> ConnectionEvent? {
    streams.values[index].assembly = streams.values[index].assembly ?? []
    streams.values[index].assembly?.append(contentsOf: payload)
    streams.values[index].assemblyCost += header.cost
    assemblySize += header.length
    guard header.flags.contains(.more) else {
      let stream = streams.values[index]
      let bytes = stream.assembly ?? []
      assemblySize -= bytes.count
      streams.values[index].assembly = nil
      streams.values[index].assemblyCost = 0
      streams.values[index].assemblyGranted = 0
      return deliver(header, .assembled(bytes), credit: stream.assemblyCost - stream.assemblyGranted, index)
    }
    if streams.values[index].unconsumedCount == 0 { grantAssembled(index) }
    return nil
  }

  private mutating func deliver(
    _ header: FrameHeader, _ content: ReceivedMessage.Content, credit: Int,
    _ index: Int
  ) -> ConnectionEvent {
    let isLast = header.flags.contains(.endStream)
    streams.values[index].receiveClosed = isLast
    streams.values[index].unconsumedCount += 1
    streams.values[index].heldCredit += credit
    return .message(
      ReceivedMessage(
        stream: header.stream, content: content, isLast: isLast,
        receipt: CreditReceipt(stream: header.stream, size: credit), owner: streams.values[index].owner))
  }

  /// Gives back the credit of a message that no longer takes memory: once for each message, in order.
  ///
  /// Nothing is due for a call that is over: its credit went back when it ended.
  public mutating func consume(_ receipt: CreditReceipt) {
    guard let index = streams.index(forKey: receipt.stream), !streams.values[index].isOver else { return }
    precondition(streams.values[index].unconsumedCount > 0, "a message of stream \(receipt.stream) is consumed twice")
    streams.values[index].unconsumedCount -= 1
    streams.values[index].heldCredit -= receipt.size
    grant(receipt.size, index)
    if streams.values[index].unconsumedCount == 0 { grantAssembled(index) }
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
