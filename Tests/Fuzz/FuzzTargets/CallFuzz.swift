import MarqueeRPC

/// A client and a server that keep to the contracts of ``Connection``, and a list of what they do, a few bytes for
/// each deed. However it goes, messages come whole and in order, nobody breaks the protocol, and when everything is
/// over there is room for another call.
struct CallFuzz {
  /// One end, and what it has been told.
  struct End {
    var connection: Connection
    /// Bytes on their way to it.
    var pipe: [UInt8] = []
    /// Calls that it may write on: a client those that it opened, a server those whose handlers run.
    var calls: [StreamID] = []
    /// Messages that take memory still.
    var receipts: [CreditReceipt] = []
    /// Calls whose writers were told to wait.
    var full: Set<StreamID> = []
    /// How many messages went out and came in on each call.
    var sent: [StreamID: Int] = [:]
    var received: [StreamID: Int] = [:]
    var hasFailed = false
  }

  var client: End
  var server: End
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  private var deeds: UnsafeRawBufferPointer.SubSequence

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var fuzz = CallFuzz(bytes.prefix(1_024))
    while let deed = fuzz.deeds.popFirst() { fuzz.act(deed) }
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
    deeds = bytes
    settle()
  }

  private mutating func number() -> Int { Int(deeds.popFirst() ?? 0) }

  private mutating func act(_ deed: UInt8) {
    switch deed % 16 {
    case 0, 1: open(timeout: number())
    case 2, 3: send(from: \.client, on: number(), scale: number(), endsStream: deed & 0x10 != 0)
    case 4, 5: send(from: \.server, on: number(), scale: number(), endsStream: false)
    case 6: withCall(of: \.client) { $0.client.connection.closeSending($1, at: $0.now) }
    case 7: withCall(of: \.client) { $0.cancel($1) }
    case 8: withCall(of: \.server) { _ = $0.server.connection.sendHeader(Metadata(), on: $1) }
    case 9: withCall(of: \.server) { $0.finish($1) }
    case 10: deliver(from: \.client, to: \.server, sizeMax: number() * 200)
    case 11: deliver(from: \.server, to: \.client, sizeMax: number() * 200)
    case 12: consume(deed & 0x10 == 0 ? \.client : \.server, count: number())
    case 13: pass(.milliseconds(number() * (deed & 0x10 == 0 ? 10 : 300)))
    case 14: settle()
    default: seldom(number())
    }
  }

  private mutating func seldom(_ deed: Int) {
    switch deed % 5 {
    case 0: server.connection.drain(retryAfter: .seconds(1), message: "drained")
    case 1: client.connection.outputIsBlocked(at: now)
    case 2: server.connection.outputIsBlocked(at: now)
    case 3: server.connection.endAll(RPCStatus(.unavailable, "the server stops"))
    default: withCall(of: \.server) { $0.server.connection.end($1, with: RPCStatus(.aborted, "given up")) }
    }
    receive(at: \.server)
  }

  /// Does something with one of an end's calls, if it has any.
  private mutating func withCall(of end: KeyPath<CallFuzz, End>, _ body: (inout CallFuzz, StreamID) -> Void) {
    let calls = self[keyPath: end].calls
    guard !calls.isEmpty else { return }
    body(&self, calls[number() % calls.count])
  }

  // MARK: Deeds

  private mutating func open(timeout: Int) {
    guard client.connection.canOpen else { return }
    let deadline = timeout == 0 ? nil : now.advanced(by: .milliseconds(timeout * timeout))
    client.calls.append(
      client.connection.open(
        method: "a.B/C", deadline: deadline, metadata: Metadata(), messageSizeMax: 40_000, at: now))
  }

  /// Sends a message that tells its call and its place among those of the call.
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
    case .tooLarge(let size): precondition(size == bytes.count && size > 49_152, "\(size) bytes are too large")
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

  private mutating func pass(_ time: Duration) {
    now = now.advanced(by: time)
    for end in [\CallFuzz.client, \.server] {
      self[keyPath: end].connection.wakeUp(at: now)
      receive(at: end)
      if let next = self[keyPath: end].connection.wakeUpTime { precondition(next > now, "a wake that is over") }
    }
  }
}

// MARK: What comes of it

extension CallFuzz {
  /// Moves bytes from one end to the other, as much as there is or as a socket takes at once.
  private mutating func deliver(
    from source: WritableKeyPath<CallFuzz, End>, to target: WritableKeyPath<CallFuzz, End>, sizeMax: Int
  ) {
    // What is on its way may come in two parts; new bytes follow it.
    if self[keyPath: target].pipe.count <= sizeMax {
      var bytes: [UInt8] = []
      self[keyPath: source].connection.takeOutput(at: now) { bytes += $0 }
      self[keyPath: target].pipe += bytes
    }
    receive(at: target, sizeMax: sizeMax)
    noteWritable(source)
  }

  /// Has an end take what came, and what no bytes brought about.
  private mutating func receive(at end: WritableKeyPath<CallFuzz, End>, sizeMax: Int = 0) {
    let pipe = self[keyPath: end].pipe.prefix(sizeMax)
    var offset = 0
    Array(pipe).withUnsafeBytes { bytes in
      while let event = self[keyPath: end].connection.receive(bytes, from: &offset, at: now) {
        take(event, bytes, at: end)
      }
    }
    self[keyPath: end].pipe.removeFirst(offset)
    noteWritable(end)
  }

  private mutating func noteWritable(_ end: WritableKeyPath<CallFuzz, End>) {
    for id in self[keyPath: end].connection.takeWritable() { self[keyPath: end].full.remove(id) }
  }

  private mutating func take(
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
      precondition(content == expected, "message \(number) of call \(message.stream) is another")
      self[keyPath: end].received[message.stream] = number + 1
      self[keyPath: end].receipts.append(message.receipt)
    case .ended(let id, _, _):
      if end == \.server { self[keyPath: end].connection.finish(id, with: .ok) }
      self[keyPath: end].calls.removeAll { $0 == id }
    case .failed(let failure):
      let reasons: [ConnectionFailure.Reason] = [.handshakeTimeout, .frameTimeout, .keepaliveTimeout, .stalled]
      precondition(reasons.contains(failure.reason), "\(failure)")
      self[keyPath: end].hasFailed = true
    case .ready, .header, .halfClosed, .goAway: break
    }
  }

  /// Delivers until nothing moves.
  private mutating func settle() {
    while client.connection.hasOutput || server.connection.hasOutput || !client.pipe.isEmpty || !server.pipe.isEmpty {
      let before = (client.pipe.count, server.pipe.count)
      deliver(from: \.client, to: \.server, sizeMax: .max)
      deliver(from: \.server, to: \.client, sizeMax: .max)
      let isStuck = before == (client.pipe.count, server.pipe.count)
      if isStuck, !client.connection.hasOutput, !server.connection.hasOutput { return }
    }
  }

  /// Ends all calls, and looks whether there is room for another.
  private mutating func end() {
    repeat {
      for end in [\CallFuzz.client, \.server] { consume(end, count: .max) }
      for id in server.calls { finish(id) }
      settle()
    } while !client.receipts.isEmpty || !server.receipts.isEmpty || !server.calls.isEmpty
    if client.hasFailed || server.hasFailed { return }
    precondition(client.connection.streamCount == 0, "\(client.connection.streamCount) calls are not over")
    precondition(server.connection.streamCount == 0, "\(server.connection.streamCount) handlers are waited for")
    precondition(client.full.isEmpty && server.full.isEmpty, "a writer waits in vain")
    precondition(client.pipe.isEmpty && server.pipe.isEmpty, "bytes are left over")
    if client.connection.canOpen { callAgain() }
  }

  /// A large message goes each way on a new call.
  private mutating func callAgain() {
    open(timeout: 0)
    let id = client.calls[client.calls.count - 1]
    for end in [\CallFuzz.client, \.server] {
      settle()
      send(from: end, on: 0, scale: 199, endsStream: false)
      for _ in 0..<8 {
        settle()
        consume(\.client, count: .max)
        consume(\.server, count: .max)
      }
    }
    precondition(server.received[id] == 1 && client.received[id] == 1, "no room for a message on a new call")
  }
}
