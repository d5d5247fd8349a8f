import Testing

@testable import MarqueeRPC

@Suite("Calls between two connections")
struct ConnectionFlowTests {
  @Test("A unary call uses two frames in each direction, and transmits metadata and deadline")
  func unary() {
    var link = Link.open()
    var metadata = Metadata()
    metadata.append("key", "value")
    metadata.append("raw-bin", bytes: [0, 255])
    let call = link.openCall(timeout: .seconds(1), metadata: metadata)
    #expect(
      link.client.send(on: call, sizeMax: 10, endsStream: true, at: link.now) { $0.append([1, 2]) } == .accepted)
    let request = link.exchange().server
    #expect(
      request == [.opened(1, "a.B/C", metadata, hasDeadline: true), .message(1, [1, 2], isLast: true)])
    #expect(link.server.send(on: call, sizeMax: 10, at: link.now) { $0.append([3]) } == .accepted)
    link.server.finish(call, with: RPCStatus(.ok, ""))
    #expect(link.exchange().client == [.message(1, [3], isLast: false), .ended(1, .ok)])
    #expect(link.client.streamCount == 0 && link.server.streamCount == 0)
  }

  @Test("A call's parameters are independent of the call before it")
  func openings() {
    var link = Link.open()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let method = ["a.B/C", "a.B/D", "a.B/CC"].randomElement(using: &generator) ?? ""
      var metadata = Metadata()
      for key in ["k", "l", "k-bin"].prefix(Int.random(in: 0...3, using: &generator)) {
        metadata.append(key, bytes: [UInt8](repeating: .random(in: 0x41...0x42, using: &generator), count: 12))
      }
      let timeout: Duration? = Bool.random(using: &generator) ? .seconds(3) : nil
      let call = link.client.open(
        method: method, deadline: timeout.map { link.now.advanced(by: $0) }, metadata: metadata, messageSizeMax: 10,
        at: link.now)
      let seen = link.exchange().server
      #expect(seen == [.opened(call.rawValue, method, metadata, hasDeadline: timeout != nil)])
      link.server.finish(call, with: .ok)
      #expect(link.exchange().client == [.ended(call.rawValue, .ok)])
    }
  }

  @Test("A status keeps its message, details and metadata; a long message is truncated between characters")
  func statusFields() throws {
    var buffer = EncodeBuffer()
    var status = RPCStatus(.notFound, String(repeating: "é", count: 2_000))
    status.details = [StatusDetail(typeURL: "t", value: [0, 1])]
    status.metadata.append("k", "v")
    ControlPayload.append(status, to: &buffer)
    let read = try buffer.bytes.withUnsafeBytes { try ControlPayload.status($0, DecodeArena()) }
    #expect(read.message == String(repeating: "é", count: 1_024))
    #expect(read.details == status.details && read.metadata == status.metadata && read.code == .notFound)
    status.details = (0..<40).map { _ in StatusDetail(typeURL: "t", value: [UInt8](repeating: 1, count: 1_000)) }
    var large = EncodeBuffer()
    ControlPayload.append(status, to: &large)
    #expect(large.count <= RPCLimits.controlSizeMax)
  }

  @Test("A fragmented message is sent immediately, even without other traffic")
  func cutMessage() {
    var link = Link.open()
    let call = link.openCall()
    _ = link.exchange()
    let message = [UInt8](repeating: 1, count: 100_000)
    #expect(link.server.send(on: call, sizeMax: 1 << 20, at: link.now) { $0.append(message) } == .accepted)
    #expect(link.serverFrames().map { [$0.payload.count, Int($0.flags)] } == [[65_536, 2], [34_464, 0]])
  }

  @Test("Events do not depend on how the input is split")
  func fragmentation() {
    let frames: [Frame] = [
      .settings, .open(1, extra: [0x10, 0xE8, 0x07]), .message(1, [1, 2, 3]), .message(1, [4], flags: 2),
      .message(1, [5], flags: 1), .ping, .open(3), .cancel(3), Frame(type: 0x90, payload: [1, 2, 3]), .credit(1, 5),
    ]
    let bytes = Frame.preface + frames.flatMap(\.bytes)
    var whole = Link()
    let expected = whole.feedServer(bytes)
    #expect(expected.count == 6)
    for cut in 1..<bytes.count {
      var link = Link()
      #expect(
        link.feedServer(Array(bytes[..<cut])) + link.feedServer(Array(bytes[cut...])) == expected, "cut at \(cut)")
    }
    var single = Link()
    #expect(bytes.flatMap { single.feedServer([$0]) } == expected)
  }

  @Test("A message in a single frame is delivered in place")
  func inPlace() {
    var link = Link.open()
    _ = link.feedServer(Frame.open(1).bytes)
    let bytes = Frame.message(1, [7, 8, 9]).bytes
    var offset = 0
    bytes.withUnsafeBytes { bytes in
      guard case .message(let message)? = link.server.receive(bytes, from: &offset, at: link.now),
        case .inPlace(let range) = message.content
      else {
        Issue.record("the message was not delivered in place")
        return
      }
      #expect(range == 10..<13)
    }
  }

  @Test("Random bytes, with or without a preface, never crash a connection", arguments: 0..<200)
  func garbage(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 1)
    var link = ServerStateTests.link()
    for _ in 0..<60 {
      var frame = ServerStateTests.table.randomElement(using: &generator)!.0
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: frame.type = UInt8.random(in: 0...10, using: &generator)
      case 1: frame.flags = UInt8.random(in: 0...15, using: &generator)
      case 2: frame.stream = UInt32.random(in: 0...13, using: &generator)
      case 3:
        frame.payload = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
          .random(in: 0...255, using: &generator)
        }
      default: break
      }
      var bytes = frame.bytes
      if Int.random(in: 0..<20, using: &generator) == 0 { bytes[Int.random(in: 0..<10, using: &generator)] ^= 0x41 }
      for event in link.feedServer(bytes) {
        if case .message(let id, _, _) = event, Bool.random(using: &generator) {
          _ = link.server.send(on: StreamID(rawValue: id), sizeMax: 100, at: link.now) { $0.append([1]) }
        }
        if case .ended(let id, _) = event { link.server.finish(StreamID(rawValue: id), with: .ok) }
        if event.isFailure { link = ServerStateTests.link() }
      }
      #expect(link.server.receiveCredit >= 0 && link.server.sendCredit >= 0)
    }
  }
}

/// Property: flow control bounds memory, and never loses, reorders or blocks messages.
///
/// Random messages on random calls are transferred in random portions and consumed at random; one call is not read
/// until the end. The received messages are compared with the sent ones.
@Suite("Flow control by simulation")
struct FlowControlSimulation {
  struct Simulation {
    var link: Link
    var generator: SeededGenerator
    var sent: [StreamID: [[UInt8]]] = [:]
    var arrived: [StreamID: [[UInt8]]] = [:]
    var held: [StreamID: [CreditReceipt]] = [:]
    var open: [StreamID] = []
    let stalled = StreamID(rawValue: 1)

    init(seed: Int) {
      generator = SeededGenerator(seed: UInt64(seed) + 77)
      var limits = RPCLimits()
      limits.frameSizeMax = 16_384
      limits.streamCredit = 16_384
      limits.connectionCredit = 65_536
      limits.messageSizeMax = 50_000
      limits.outputSizeMax = 20_000
      limits.streamBacklogSizeMax = 30_000
      link = Link.open(limits, limits)
      for _ in 0..<6 { open.append(link.openCall()) }
    }

    mutating func run(steps: Int) {
      for _ in 0..<steps {
        link.now = link.now.advanced(by: .milliseconds(1))
        let stream = open.randomElement(using: &generator)!
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: send(stream)
        case 1: moveToServer(Int.random(in: 1..<30_000, using: &generator))
        case 2: moveToClient()
        default: if stream != stalled { consume(stream) }
        }
        checkCredit()
      }
    }

    mutating func send(_ stream: StreamID) {
      guard link.client.backlogSize(of: stream) < link.client.limits.streamBacklogSizeMax else { return }
      let size = [0, 1, 100, 5_000, 16_384, 16_385, 40_000].randomElement(using: &generator)!
      let message = [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: size)
      let outcome =
        Bool.random(using: &generator)
        ? link.client.send(encoded: message, on: stream, sizeMax: 50_000, at: link.now)
        : link.client.send(on: stream, sizeMax: 50_000, at: link.now) { $0.append(message) }
      #expect(outcome == .accepted || outcome == .full)
      sent[stream, default: []].append(message)
    }

    mutating func moveToServer(_ count: Int) {
      link.toServer += link.client.drainAll(at: link.now)
      var portion = Array(link.toServer.prefix(count))
      let taken = portion.count
      var offset = 0
      portion.withUnsafeBytes { bytes in
        while let event = link.server.receive(bytes, from: &offset, at: link.now) {
          guard case .message(let message) = event else {
            #expect(!Seen(event, bytes).isFailure)
            continue
          }
          held[message.stream, default: []].append(message.receipt)
          guard case .message(_, let content, _) = Seen(event, bytes) else { continue }
          arrived[message.stream, default: []].append(content)
        }
      }
      portion.removeFirst(offset)
      link.toServer = portion + link.toServer.dropFirst(taken)
    }

    mutating func moveToClient() {
      link.toClient += link.server.drainAll(at: link.now)
      #expect(link.feedClient([]).isEmpty)
    }

    mutating func consume(_ stream: StreamID) {
      guard let receipt = held[stream]?.first else { return }
      held[stream]?.removeFirst()
      link.server.consume(receipt)
    }

    func checkCredit() {
      #expect(link.client.sendCredit >= 0 && link.server.receiveCredit >= 0)
      for stream in link.client.streams.values { #expect(stream.sendCredit >= 0) }
      let unread = link.server.streams[stalled].map { $0.unconsumedCredit } ?? 0
      #expect(unread <= link.server.limits.streamCredit)
      // The two sides' accounts of the connection's credit differ by the bytes in flight.
      #expect(link.client.sendCredit <= link.server.limits.connectionCredit)
    }

    /// Transfers and consumes everything on all calls, except the stalled one unless it is included.
    mutating func settle(including stalledToo: Bool) {
      for _ in 0..<2_000 {
        moveToServer(.max)
        for stream in open where stalledToo || stream != stalled {
          while held[stream]?.isEmpty == false { consume(stream) }
        }
        moveToClient()
      }
    }
  }

  @Test("All messages arrive completely and in order; an unread call blocks no other", arguments: 0..<40)
  func everythingArrives(seed: Int) {
    var simulation = Simulation(seed: seed)
    simulation.run(steps: 600)
    simulation.settle(including: false)
    for stream in simulation.open where stream != simulation.stalled {
      #expect(simulation.arrived[stream] == simulation.sent[stream], "stream \(stream)")
    }
    simulation.settle(including: true)
    #expect(simulation.arrived == simulation.sent)
    #expect(simulation.link.server.assemblySize == 0)
    for stream in simulation.open { #expect(simulation.link.client.backlogSize(of: stream) == 0) }
  }

  @Test("All credit is returned when calls end with unread messages")
  func creditReturns() {
    var link = Link.open()
    let full = link.server.limits.connectionCredit
    for round in 0..<200 {
      let call = link.openCall()
      for _ in 0..<3 {
        _ = link.client.send(on: call, sizeMax: 1 << 20, at: link.now) {
          $0.append([UInt8](repeating: 1, count: 40_000))
        }
      }
      _ = link.client.send(on: call, sizeMax: 1 << 20, at: link.now) {
        $0.append([UInt8](repeating: 1, count: 100_000))
      }
      link.toServer += link.client.drainAll(at: link.now)
      _ = link.server.receive(&link.toServer, at: link.now, consuming: false)
      if round % 2 == 0 { link.client.cancel(call) }
      _ = link.exchange()
      link.server.finish(call, with: .ok)
      _ = link.exchange()
    }
    #expect(link.server.receiveCredit + link.server.owedCredit == full)
    #expect(link.client.sendCredit + link.server.owedCredit == full)
    #expect(link.server.assemblySize == 0 && link.server.streamCount == 0)
  }
}
