import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("gRPC calls through a socket", .timeLimit(.minutes(1)))
struct GRPCTests {
  /// Runs a server with the test methods, and a client.
  private static func run(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (EchoServer, inout GRPCRawClient) async throws -> Void
  ) async throws -> ServerCounts {
    var configuration = ServerConfiguration()
    change(&configuration)
    let server = try await EchoServer(configuration: configuration)
    var client = try await GRPCRawClient(server.endpoint)
    try await body(server, &client)
    // Another call shows that the connection is unaffected.
    client.call(99, Methods.echo.path, [9])
    let last = await client.response(of: 99)
    #expect(last.messages == [[9]] && last.code == "0")
    try await client.close()
    await server.shutDown()
    return server.server.statistics
  }

  @Test("All four kinds of calls are served, with metadata in both directions")
  func kinds() async throws {
    let counts = try await Self.run { _, client in
      for (stream, path) in [(1, Methods.echo.path), (3, Methods.echoNow.path)] as [(UInt32, String)] {
        client.call(stream, path, [1, 2, 3])
        let response = await client.response(of: stream)
        #expect(response.messages == [[1, 2, 3]] && response.code == "0")
        #expect(response.headers.first?[":status"] == "200")
        #expect(response.headers.first?["content-type"]?.hasPrefix("application/grpc") == true)
      }
      client.open(5, Methods.sum.path)
      for number in 1...4 as ClosedRange<UInt8> { client.send(5, [number], isLast: number == 4) }
      let sum = await client.response(of: 5)
      #expect(sum.messages == [[10]] && sum.code == "0")
      client.call(7, Methods.count.path, [3])
      let count = await client.response(of: 7)
      #expect(count.messages == [[0], [1], [2]] && count.code == "0")
      client.open(9, Methods.chat.path, [("greeting", "hello")])
      for number in 1...3 as ClosedRange<UInt8> {
        client.send(9, [number], isLast: false)
        let part = await client.response(of: 9, messageCount: 1)
        #expect(part.messages == [[number]])
        if number == 1 { #expect(part.headers.first?["seen"] == "hello") }
      }
      client.closeSending(9)
      let end = await client.response(of: 9)
      #expect(end.messages.isEmpty && end.code == "0")
    }
    #expect(counts.callsFinished == [.ok: 6] && counts.callsRunning == 0)
  }

  @Test("An error has the status, the message, the details and the metadata of the handler's")
  func errors() async throws {
    let counts = try await Self.run { _, client in
      client.call(1, Methods.fail.path, [5])
      let failed = await client.response(of: 1)
      #expect(failed.code == "5" && failed.headers.count == 1)
      #expect(failed.headers[0]["grpc-message"] == "as asked" && failed.headers[0]["reason"] == "asked")
      #expect(failed.headers[0]["grpc-status-details-bin"]?.isEmpty == false)
      client.call(3, Methods.breakOff.path, [2])
      let broken = await client.response(of: 3)
      #expect(broken.messages == [[0], [1]] && broken.code == "10" && broken.headers.count == 2)
      client.call(5, "test.Echo/Nothing", [])
      let unknown = await client.response(of: 5)
      #expect(unknown.code == "12" && unknown.headers[0]["grpc-message"] == "unknown method test.Echo/Nothing")
      client.open(7, Methods.echo.path)
      client.send(7, [1], isLast: false)
      client.send(7, [2], isLast: true)
      let two = await client.response(of: 7)
      #expect(two.code == "12" && two.messages.isEmpty)
    }
    #expect(counts.callsRunning == 0)
  }

  @Test("The handler is cancelled at the deadline, and when the client cancels or disconnects")
  func cancellation() async throws {
    let counts = try await Self.run { server, client in
      client.call(1, Methods.wait.path, [1], [("grpc-timeout", "50m")])
      let late = await client.response(of: 1)
      #expect(late.code == "4")
      await server.cancellations.wait()
      client.call(3, Methods.wait.path, [1])
      await server.waits.wait()
      await server.waits.wait()
      client.cancel(3)
      await server.cancellations.wait()
      let other = try await GRPCRawClient(server.endpoint)
      other.call(1, Methods.wait.path, [1])
      await server.waits.wait()
      try await other.close()
      await server.cancellations.wait()
    }
    #expect(counts.callsAborted >= 2 && counts.callsRunning == 0)
  }

  @Test("A request over the method's limit ends its call only")
  func tooLarge() async throws {
    _ = try await Self.run { _, client in
      client.open(1, Methods.echo.path)
      let prefix = [0] + RawFrame.big((1 << 20) + 1)
      client.push(.init(type: 0, stream: 1, payload: prefix + [UInt8](repeating: 1, count: 1_000)))
      let response = await client.response(of: 1)
      #expect(response.code == "8" && response.messages.isEmpty)
    }
  }

  @Test("Writers wait while the client grants no credit, and continue when it does")
  func outboundBackpressure() async throws {
    _ = try await Self.run { server, client in
      client.call(1, Methods.flood.path, [0])
      await server.waits.wait()
      let first = await client.response(of: 1, messageCount: 1)
      #expect(first.messages.count == 1)
      // The initial window of 65,535 bytes has room for a single message; the rest waits on the server, bounded.
      let backlog = server.server.backlogSizes.all
      #expect(backlog <= ServerConfiguration().limits.streamBacklogSizeMax + 2 * 65_536)
      client.grant(1, 1 << 20)
      let more = await client.response(of: 1, messageCount: 20)
      #expect(more.messages.count == 20)
      client.cancel(1)
      client.grant(0, 1 << 20)
      await server.cancellations.wait()
    }
  }

  @Test("A client that sends more than the handler reads gets no more credit")
  func inboundBackpressure() async throws {
    let server = try await EchoServer(configuration: ServerConfiguration())
    var client = try await GRPCRawClient(server.endpoint)
    client.open(1, Methods.deaf.path)
    await server.waits.wait()
    // Less than the initial window of the stream, which the server announces.
    for _ in 1...10 { client.send(1, [UInt8](repeating: 1, count: 16_000), isLast: false) }
    client.call(3, Methods.echo.path, [3])
    var updates = 0
    // The header lists are not decoded, so no response can be read afterward.
    while let frame = await client.next(), !(frame.stream == 3 && frame.endsStream) {
      if frame.type == 8, frame.stream == 1 { updates += 1 }
    }
    #expect(updates == 0)
    client.cancel(1)
    await server.cancellations.wait()
    try await client.close()
    await server.shutDown()
  }

  @Test("A shutdown announces itself, lets calls end within the grace period, and then ends them")
  func drain() async throws {
    let server = try await EchoServer()
    var client = try await GRPCRawClient(server.endpoint)
    client.open(1, Methods.chat.path)
    client.send(1, [1], isLast: false)
    let first = await client.response(of: 1, messageCount: 1)
    #expect(first.messages == [[1]])
    async let isShutDown: Void = server.server.shutDown(grace: .seconds(20))
    var types: [UInt8] = []
    while let frame = await client.next() {
      types.append(frame.type)
      if frame.type == 7 { break }
    }
    #expect(types.last == 7)
    client.send(1, [2], isLast: true)
    let rest = await client.response(of: 1)
    #expect(rest.messages == [[2]] && rest.code == "0")
    await isShutDown

    let second = try await EchoServer()
    var waiting = try await GRPCRawClient(second.endpoint)
    waiting.call(1, Methods.wait.path, [1])
    await second.waits.wait()
    await second.shutDown()
    let ended = await waiting.response(of: 1)
    #expect(ended.code == "4" && ended.headers.last?["grpc-message"]?.contains("shut down") == true)
    await second.cancellations.wait()
  }

  @Test("Calls are authorized as in Marquee's own protocol, and denied ones end the connection at the same rate")
  func authorization() async throws {
    final class NameInterceptor: CallInterceptor {
      func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
        guard let name = call.metadata["authorization"] else { throw RPCStatus(.unauthenticated, "no authorization") }
        return "\(name) over \(call.callProtocol.rawValue)"
      }
    }
    var router = Router(status: EchoServer.status)
    router.interceptor = { _ in NameInterceptor() }
    router.unary(Methods.peer) { _, context in Array((context.principal as? String ?? "nobody").utf8) }
    var configuration = ServerConfiguration()
    configuration.limits.deniedCallRate = .init(burst: 3, perSecond: 1)
    let server = RPCServer(router: router, configuration: configuration, logger: .silent)
    let endpoint = try await server.start([.tcp(host: "127.0.0.1", port: 0)])[0]
    var client = try await GRPCRawClient(endpoint)
    client.call(1, Methods.peer.path, [], [("authorization", "Bearer one")])
    let admitted = await client.response(of: 1)
    #expect(admitted.messages.map { String(decoding: $0, as: UTF8.self) } == ["Bearer one over grpc"])
    for number in 1...3 as ClosedRange<UInt32> {
      client.call(2 * number + 1, Methods.peer.path, [])
      let denied = await client.response(of: 2 * number + 1)
      #expect(denied.code == "16" && denied.headers[0]["grpc-message"] == "no authorization")
    }
    client.call(9, Methods.peer.path, [])
    var last: GRPCRawClient.Frame?
    while let frame = await client.next() { last = frame }
    #expect(last?.type == 7)
    let text = String(decoding: last?.payload ?? [], as: UTF8.self)
    #expect(text.contains("denied-call-rate-max: 1"))
    #expect(server.statistics.connectionsFailed == [.flood: 1])
    await server.shutDown(grace: .zero)
  }
}
