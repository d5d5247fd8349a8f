import MarqueeRPC

/// Fuzzes a client and a server ``Connection`` whose users keep their contracts; the input is a list of actions, a few
/// bytes each.
///
/// Whatever the actions, messages must arrive complete and in order, neither side may report a protocol violation, and
/// after all calls have ended another call must be possible.
struct CallFuzz {
  /// One side of the connection, with its state.
  struct End {
    var connection: Connection
    /// The bytes in transit to it.
    var pipe: [UInt8] = []
    /// The calls that it can write to: for a client those that it opened, for a server those whose handlers are
    /// running.
    var calls: [StreamID] = []
    /// The received messages that are not consumed yet.
    var receipts: [CreditReceipt] = []
    /// The calls whose writers are waiting for capacity.
    var full: Set<StreamID> = []
    /// The number of messages sent and received on each call.
    var sent: [StreamID: Int] = [:]
    var received: [StreamID: Int] = [:]
    var hasFailed = false
  }

  var client: End
  var server: End
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  private var steps: UnsafeRawBufferPointer.SubSequence

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var fuzz = CallFuzz(bytes.prefix(1_024))
    while let step = fuzz.steps.popFirst() { fuzz.act(step) }
    fuzz.end()
    return true
  }

  private init(_ bytes: UnsafeRawBufferPointer.SubSequence) {
    var limits = RPCLimits()
    (limits.frameSizeMax, limits.streamCredit, limits.connectionCredit) = (16_384, 16_384, 32_768)
    (limits.messageSizeMax, limits.assemblySizeMax, limits.streamCountMax) = (49_152, 65_536, 3)
    (limits.streamBacklogSizeMax, limits.outputSizeMax) = (20_000, 30_000)
    let (arena, scratch) = (DecodeArena(), EncodeScratch())
    client = End(connection: Connection(.client, limits: limits, arena: arena, scratch: scratch, at: now))
    server = End(connection: Connection(.server, limits: limits, arena: arena, scratch: scratch, at: now))
    steps = bytes
    deliverAll()
  }

  private mutating func number() -> Int { Int(steps.popFirst() ?? 0) }

  private mutating func act(_ step: UInt8) {
    switch step % 16 {
    case 0, 1: open(timeout: number())
    case 2, 3: send(from: \.client, on: number(), scale: number(), endsStream: step & 0x10 != 0)
    case 4, 5: send(from: \.server, on: number(), scale: number(), endsStream: false)
    case 6: withCall(of: \.client) { $0.client.connection.closeSending($1, at: $0.now) }
    case 7: withCall(of: \.client) { $0.cancel($1) }
    case 8: withCall(of: \.server) { _ = $0.server.connection.sendHeader(Metadata(), on: $1) }
    case 9: withCall(of: \.server) { $0.finish($1) }
    case 10: deliver(from: \.client, to: \.server, sizeMax: number() * 200)
    case 11: deliver(from: \.server, to: \.client, sizeMax: number() * 200)
    case 12: consume(step & 0x10 == 0 ? \.client : \.server, count: number())
    case 13: advanceTime(.milliseconds(number() * (step & 0x10 == 0 ? 10 : 300)))
    case 14: deliverAll()
    default: actRarely(number())
    }
  }

  private mutating func actRarely(_ step: Int) {
    switch step % 5 {
    case 0: server.connection.drain(retryAfter: .seconds(1), message: "drained")
    case 1: client.connection.outputIsBlocked(at: now)
    case 2: server.connection.outputIsBlocked(at: now)
    case 3: server.connection.endAll(RPCStatus(.unavailable, "server is stopping"))
    default: withCall(of: \.server) { $0.server.connection.end($1, with: RPCStatus(.aborted, "aborted")) }
    }
    receive(at: \.server)
  }

  /// Calls `body` with one of a side's calls, if it has any.
  private mutating func withCall(of end: KeyPath<CallFuzz, End>, _ body: (inout CallFuzz, StreamID) -> Void) {
    let calls = self[keyPath: end].calls
    guard !calls.isEmpty else { return }
    body(&self, calls[number() % calls.count])
  }

  // MARK: Actions

  private mutating func open(timeout: Int) {
    guard client.connection.canOpen else { return }
    let deadline = timeout == 0 ? nil : now.advanced(by: .milliseconds(timeout * timeout))
    client.calls.append(
      client.connection.open(
        method: "a.B/C", deadline: deadline, metadata: Metadata(), messageSizeMax: 40_000, at: now))
  }

  /// Sends a message whose content identifies its call and its index in the call.
  private mutating func send(
    from end: WritableKeyPath<CallFuzz, End>, on index: Int, scale: Int, endsStream: Bool
  ) {
    let calls = self[keyPath: end].calls
    guard !calls.isEmpty else { return }
    let id = calls[index % calls.count]
    let number = self[keyPath: end].sent[id, default: 0]
    let bytes = Self.message(number, on: id, size: 8 + scale * scale)
    let outcome =
      if scale.isMultiple(of: 3), !endsStream {
        self[keyPath: end].connection.send(encoded: bytes, on: id, sizeMax: 60_000, at: now)
      } else {
        self[keyPath: end].connection.send(on: id, sizeMax: 60_000, endsStream: endsStream, at: now) {
          $0.append(bytes)
        }
      }
    switch outcome {
    case .accepted: self[keyPath: end].sent[id] = number + 1
    case .full:
      self[keyPath: end].sent[id] = number + 1
      self[keyPath: end].full.insert(id)
    case .tooLarge(let size): precondition(size == bytes.count && size > 49_152, "\(size) bytes rejected as too large")
    case .over: break
    }
  }

  private static func message(_ number: Int, on id: StreamID, size: Int) -> [UInt8] {
    let mark = UInt8(truncatingIfNeeded: id.rawValue &* 31 &+ UInt32(number))
    return [UInt8(truncatingIfNeeded: id.rawValue), UInt8(truncatingIfNeeded: number)]
      + [UInt8](repeating: mark, count: size - 2)
  }

  private mutating func cancel(_ id: StreamID) {
    client.connection.cancel(id)
    client.calls.removeAll { $0 == id }
  }

  private mutating func finish(_ id: StreamID) {
    server.connection.finish(id, with: id.rawValue % 3 == 0 ? RPCStatus(.aborted, "no") : .ok)
    server.calls.removeAll { $0 == id }
  }

  private mutating func consume(_ end: WritableKeyPath<CallFuzz, End>, count: Int) {
    for receipt in self[keyPath: end].receipts.prefix(count) { self[keyPath: end].connection.consume(receipt) }
    self[keyPath: end].receipts.removeFirst(min(count, self[keyPath: end].receipts.count))
  }

  private mutating func advanceTime(_ time: Duration) {
    now = now.advanced(by: time)
    for end in [\CallFuzz.client, \.server] {
      self[keyPath: end].connection.wakeUp(at: now)
      receive(at: end)
      if let next = self[keyPath: end].connection.wakeUpTime {
        precondition(next > now, "wake-up time is not in the future")
      }
    }
  }
}

// MARK: Effects

extension CallFuzz {
  /// Transfers bytes from one side to the other, limited to the size of one socket read.
  private mutating func deliver(
    from source: WritableKeyPath<CallFuzz, End>, to target: WritableKeyPath<CallFuzz, End>, sizeMax: Int
  ) {
    // Bytes in transit may arrive in two parts, followed by new ones.
    if self[keyPath: target].pipe.count <= sizeMax {
      var bytes: [UInt8] = []
      self[keyPath: source].connection.drainOutput(at: now) { bytes += $0 }
      self[keyPath: target].pipe += bytes
    }
    receive(at: target, sizeMax: sizeMax)
    noteWritable(source)
  }

  /// Processes the received bytes and pending events of a side.
  private mutating func receive(at end: WritableKeyPath<CallFuzz, End>, sizeMax: Int = 0) {
    let pipe = self[keyPath: end].pipe.prefix(sizeMax)
    var offset = 0
    Array(pipe).withUnsafeBytes { bytes in
      while let event = self[keyPath: end].connection.receive(bytes, from: &offset, at: now) {
        handle(event, bytes, at: end)
      }
    }
    self[keyPath: end].pipe.removeFirst(offset)
    noteWritable(end)
  }

  private mutating func noteWritable(_ end: WritableKeyPath<CallFuzz, End>) {
    for id in self[keyPath: end].connection.dequeueWritableStreams() { self[keyPath: end].full.remove(id) }
  }

  private mutating func handle(
    _ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer, at end: WritableKeyPath<CallFuzz, End>
  ) {
    switch event {
    case .opened(let call): self[keyPath: end].calls.append(call.stream)
    case .message(let message):
      let content =
        switch message.content {
        case .inPlace(let range): Array(bytes[range])
        case .assembled(let bytes): bytes
        }
      let number = self[keyPath: end].received[message.stream, default: 0]
      let expected = Self.message(number, on: message.stream, size: content.count)
      precondition(content == expected, "message \(number) of call \(message.stream) has wrong content")
      self[keyPath: end].received[message.stream] = number + 1
      self[keyPath: end].receipts.append(message.receipt)
    case .ended(let id, _, _):
      if end == \.server { self[keyPath: end].connection.finish(id, with: .ok) }
      self[keyPath: end].calls.removeAll { $0 == id }
    case .failed(let failure):
      let reasons: [ConnectionFailure.Reason] = [.handshakeTimeout, .frameTimeout, .keepaliveTimeout, .stalled]
      precondition(reasons.contains(failure.reason), "\(failure)")
      self[keyPath: end].hasFailed = true
    case .ready, .header, .halfClosed, .goAway, .rejected: break
    }
  }

  /// Transfers bytes until both sides are idle.
  private mutating func deliverAll() {
    while client.connection.hasOutput || server.connection.hasOutput || !client.pipe.isEmpty || !server.pipe.isEmpty {
      let before = (client.pipe.count, server.pipe.count)
      deliver(from: \.client, to: \.server, sizeMax: .max)
      deliver(from: \.server, to: \.client, sizeMax: .max)
      let isStuck = before == (client.pipe.count, server.pipe.count)
      if isStuck, !client.connection.hasOutput, !server.connection.hasOutput { return }
    }
  }

  /// Ends all calls, and verifies that another call is possible.
  private mutating func end() {
    repeat {
      for end in [\CallFuzz.client, \.server] { consume(end, count: .max) }
      for id in server.calls { finish(id) }
      deliverAll()
    } while !client.receipts.isEmpty || !server.receipts.isEmpty || !server.calls.isEmpty
    if client.hasFailed || server.hasFailed { return }
    precondition(client.connection.streamCount == 0, "\(client.connection.streamCount) calls have not ended")
    precondition(server.connection.streamCount == 0, "\(server.connection.streamCount) handlers have not finished")
    precondition(client.full.isEmpty && server.full.isEmpty, "writers are still waiting")
    precondition(client.pipe.isEmpty && server.pipe.isEmpty, "undelivered bytes")
    if client.connection.canOpen { callAgain() }
  }

  /// Sends a large message in each direction on a new call.
  private mutating func callAgain() {
    open(timeout: 0)
    let id = client.calls[client.calls.count - 1]
    for end in [\CallFuzz.client, \.server] {
      deliverAll()
      send(from: end, on: 0, scale: 199, endsStream: false)
      for _ in 0..<8 {
        deliverAll()
        consume(\.client, count: .max)
        consume(\.server, count: .max)
      }
    }
    precondition(server.received[id] == 1 && client.received[id] == 1, "no capacity for a message on a new call")
  }
}
