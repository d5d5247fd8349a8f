import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import MarqueeTransport

@Suite("Attacks and fault injection", .serialized, .timeLimit(.minutes(1)))
struct AttackTests {
  /// Runs `body` against a server, then checks that a well-behaved client still gets responses.
  func withServer(
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ attack: (EchoServer) async throws -> Void
  ) async throws -> ServerCounts {
    var configuration = ServerConfiguration()
    change(&configuration)
    let server = try await EchoServer(configuration: configuration)
    let client = server.client()
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    try await attack(server)
    #expect(try await client.unary(Methods.echo, [2]) == [2])
    await client.close()
    await server.shutDown()
    return server.server.statistics
  }

  @Test(
    "Row 13: bytes that begin no protocol close the connection at once, without output",
    arguments: [
      Array("get / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), Array("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".utf8),
      [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0, 1, 2, 3], Array(RawFrame.preface.prefix(4)) + [0],
    ])
  func garbage(bytes: [UInt8]) async throws {
    let counts = try await withServer { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(bytes)
      #expect(await raw.receiveToEnd().isEmpty)
    }
    #expect(counts.connectionsFailed == [.garbage: 1])
  }

  @Test("Row 1: silent connections and incomplete prefaces are closed and counted")
  func silence() async throws {
    let counts = try await withServer({ $0.limits.handshakeTimeMax = .milliseconds(300) }) { server in
      var silent = try await RawClient(server.endpoint)
      var half = try await RawClient(server.endpoint)
      try await half.send(Array(RawFrame.preface.prefix(6)))
      #expect(await silent.receiveToEnd().isEmpty)
      #expect(await half.receiveToEnd().isEmpty)
    }
    #expect(counts.connectionsFailed == [.handshakeTimeout: 2])
  }

  @Test("Row 2: an incomplete frame closes the connection")
  func slowFrame() async throws {
    let counts = try await withServer({ $0.limits.frameTimeMax = .milliseconds(50) }) { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(RawFrame.hello + [0, 0, 0])
      #expect(await raw.frames().map(\.type) == [1, 9])
    }
    #expect(counts.connectionsFailed == [.frameTimeout: 1])
  }

  @Test("Row 3: an unanswered ping closes the connection and cancels its calls")
  func halfOpen() async throws {
    let change = { (configuration: inout ServerConfiguration) in
      configuration.limits.silenceBusyMax = .milliseconds(20)
      configuration.limits.pingTimeMax = .milliseconds(20)
    }
    let counts = try await withServer(change) { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(RawFrame.hello + RawFrame.open(1, Methods.deaf.path))
      await server.cancellations.wait()
      #expect(await raw.frames().map(\.type) == [1, 8, 9])
    }
    #expect(counts.connectionsFailed == [.keepaliveTimeout: 1])
  }

  @Test("Row 4: a client that never reads is disconnected, its handler cancelled, and memory stays bounded")
  func neverReads() async throws {
    let counts = try await withServer({ $0.limits.stallTimeMax = .milliseconds(100) }) { server in
      let raw = try await RawClient(server.endpoint, reads: false)
      // The client grants the maximum credit, so that only the socket applies back-pressure.
      let credit = RawFrame.credit(0, 0x7000_0000) + RawFrame.credit(1, 0x7000_0000)
      try await raw.send(RawFrame.hello + RawFrame.open(1, Methods.flood.path) + RawFrame.message(1, []) + credit)
      await server.cancellations.wait()
    }
    #expect(counts.callsFinished.values.reduce(0, +) == 3)
  }

  @Test("Row 4: a stream without credit ends with RESOURCE_EXHAUSTED; its connection stays open")
  func noCredit() async throws {
    _ = try await withServer({ $0.limits.stallTimeMax = .milliseconds(50) }) { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(RawFrame.hello + RawFrame.open(1, Methods.flood.path) + RawFrame.message(1, []))
      await server.cancellations.wait()
      try await raw.send(RawFrame.open(3, Methods.echo.path) + RawFrame.message(3, [7]))
      // The stream's default credit is used up, then the status is sent, then the other call's two frames.
      let frames = RawFrame.frames(in: await raw.receive(atLeast: 65_536 + 139))
      let end = frames.first { $0.type == 5 && $0.stream == 1 }
      #expect(end?.payload.prefix(2) == [0x08, 8])
      #expect(frames.last?.stream == 3 && frames.last?.type == 5)
    }
  }

  @Test("Row 5: a frame over its maximum size is rejected by its header", arguments: [UInt8(4), 2, 0x81])
  func oversized(type: UInt8) async throws {
    let counts = try await withServer { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(RawFrame.hello + [0xFF, 0xFF, 0xFF, 0xFF, type, 0, 0, 0, 0, 1])
      #expect(await raw.frames().map(\.type) == [1, 9])
    }
    #expect(counts.connectionsFailed == [.oversized: 1])
  }

  @Test("Row 6: a message over its method's limit ends only its call")
  func methodCap() async throws {
    _ = try await withServer { server in
      let client = server.client()
      let large = RPCMethod<[UInt8], [UInt8]>(
        path: Methods.echo.path, kind: .unary, request: .bytes, response: .bytes, requestSizeMax: 8 << 20)
      let message = [UInt8](repeating: 0, count: 2 << 20)
      let status = try await callStatus { _ = try await client.unary(large, message) }
      #expect(status?.code == .resourceExhausted)
      let small = try await client.unary(Methods.echo, [5])
      #expect(small == [5])
      let own = try await callStatus { _ = try await client.unary(Methods.echo, message) }
      #expect(own?.code == .resourceExhausted)
      await client.close()
    }
  }

  @Test("Row 7: of 10 000 concurrent calls, those over the limit are rejected; the connection stays open")
  func manyStreams() async throws {
    let counts = try await withServer { server in
      var raw = try await RawClient(server.endpoint)
      let opens = (0..<10_000).flatMap { RawFrame.open(UInt32($0 * 2 + 1), Methods.deaf.path) }
      try await raw.send(RawFrame.hello + opens)
      await server.waits.wait(256)
      // The preface, SETTINGS (21 bytes and the header), and a STATUS with this message per denied call.
      let status = 10 + 4 + "too many concurrent calls (stream-count-max: 256)".utf8.count
      let bytes = await raw.receive(atLeast: 12 + 10 + 21 + 9_744 * status)
      #expect(RawFrame.frames(in: bytes).filter(\.isRefusal).count == 9_744)
      try await raw.close()
      await server.cancellations.wait(256)
    }
    #expect(counts.rejections.overStreamLimit == 9_744)
    #expect(counts.connectionsFailed.isEmpty)
  }

  @Test("A client queues 5 000 concurrent calls over the limit and gets every response")
  func manyCalls() async throws {
    _ = try await withServer { server in
      let client = server.client()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<5_000 {
          let request = [UInt8(truncatingIfNeeded: index), UInt8(index >> 8)]
          group.addTask { try await client.unary(Methods.echo, request) == request }
        }
        for try await isRight in group { #expect(isRight) }
      }
      await client.close()
    }
  }

  @Test("Row 8: opening and cancelling calls in a loop leads to GOAWAY")
  func rapidReset() async throws {
    // On one event loop, jobs run in order: once later calls have ended, the cancelled handlers have, too.
    let counts = try await withServer({ $0.eventLoopGroup = MultiThreadedEventLoopGroup.singleton.next() }) { server in
      var raw = try await RawClient(server.endpoint)
      let pairs = (0..<3_000).flatMap { (index: UInt32) -> [UInt8] in
        RawFrame.open(index * 2 + 1, Methods.deaf.path) + RawFrame(type: 6, stream: index * 2 + 1).bytes
      }
      raw.push(RawFrame.hello + pairs)
      #expect(await raw.frames().last?.type == 9)
      let client = server.client()
      for _ in 0..<3 { #expect(try await client.unary(Methods.echo, [1]) == [1]) }
      await client.close()
    }
    #expect(counts.connectionsFailed == [.flood: 1])
    #expect(counts.callsRunning == 0)
  }

  @Test("Row 10: a flood of pings leads to GOAWAY")
  func pingFlood() async throws {
    let counts = try await withServer { server in
      var raw = try await RawClient(server.endpoint)
      let ping = RawFrame(type: 8, payload: [UInt8](repeating: 1, count: 8)).bytes
      raw.push(RawFrame.hello + (0..<1_000).flatMap { _ in ping })
      let types = await raw.frames().map(\.type)
      #expect(types.last == 9 && types.filter { $0 == 8 }.count <= 100)
    }
    #expect(counts.connectionsFailed == [.flood: 1])
  }

  @Test("Rows 14 to 16: malformed messages are INVALID_ARGUMENT, amplification is RESOURCE_EXHAUSTED")
  func unparsable() async throws {
    _ = try await withServer { server in
      let client = server.client()
      let control = RPCMethod<[UInt8], [UInt8]>(
        path: Methods.control.path, kind: .unary, request: .bytes, response: .bytes, requestSizeMax: 4 << 20)
      let malformed = try await callStatus { _ = try await client.unary(control, [0x08]) }
      #expect(malformed?.code == .invalidArgument)
      let bomb = (0..<(1 << 20)).flatMap { _ in [0x1A, 0] as [UInt8] }
      let exhausted = try await callStatus { _ = try await client.unary(control, bomb) }
      #expect(exhausted?.code == .resourceExhausted)
      await client.close()
    }
  }

  @Test("Rows 21 and 33: an unknown method and compression are UNIMPLEMENTED")
  func unknownMethod() async throws {
    _ = try await withServer { server in
      let client = server.client()
      for path in ["test.Echo/None", "x/y"] {
        let status = try await callStatus { _ = try await client.unary(Methods.method(path, .unary), [1]) }
        #expect(status == RPCStatus(.unimplemented, "unknown method \(path)"))
      }
      await client.close()
      var raw = try await RawClient(server.endpoint)
      try await raw.send(RawFrame.hello + RawFrame.open(1, Methods.echo.path) + RawFrame.message(1, [1], flags: 5))
      let frames = RawFrame.frames(in: await raw.receive(atLeast: 60))
      #expect(frames.last?.payload.prefix(2) == [0x08, 12])
    }
  }

  @Test("A missing or unterminated request of a unary method is INVALID_ARGUMENT")
  func wrongShape() async throws {
    _ = try await withServer { server in
      var raw = try await RawClient(server.endpoint)
      try await raw.send(
        RawFrame.hello + RawFrame.open(1, Methods.echo.path) + RawFrame.message(1, [1], flags: 0)
          + RawFrame.open(3, Methods.echo.path) + RawFrame.message(3, [], flags: 9))
      let frames = RawFrame.frames(in: await raw.receive(atLeast: 130))
      #expect(frames.filter { $0.type == 5 }.map { $0.payload.prefix(2) } == [[0x08, 3], [0x08, 3]])
    }
  }

  @Test("Row 30: connections over the limit per address get the reason and are closed, even if they are silent")
  func connectionLimit() async throws {
    let counts = try await withServer({ $0.connectionsPerAddressMax = 3 }) { server in
      // Admitted once their calls have been answered.
      let others = [server.client(), server.client()]
      for other in others { #expect(try await other.unary(Methods.echo, [3]) == [3]) }
      var rejected = try await RawClient(server.endpoint)
      let told = String(decoding: await rejected.receiveToEnd(), as: UTF8.self)
      #expect(told.contains("too many connections from one address (address-connection-count-max: 3)"))
      for other in others { await other.close() }
    }
    #expect(counts.connectionsRejected == 1)
  }
}
