import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import NIOPosix
import Testing

@testable import MarqueeTransport

@Suite("Large responses in JSON", .timeLimit(.minutes(1)))
struct LargeJSONTests {
  private static let json = "application/json"
  private static let stream = "application/connect+json"
  private static let size = 70_000

  private static func text(_ value: UInt8, _ count: Int = size) -> [UInt8] {
    Array("[\([String](repeating: "\(value)", count: count).joined(separator: ","))]".utf8)
  }

  /// Runs a server with one event loop, whose conversions of large responses wait.
  private static func run(_ body: (EchoServer, GatedTranscoder) async throws -> Void) async throws {
    let transcoder = GatedTranscoder()
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await EchoServer(configuration: configuration, transcoder: transcoder)
    try await body(server, transcoder)
    transcoder.open()
    // The server still answers on the same loop.
    var other = try await HTTP1RawClient(server.endpoint)
    let last = await other.answer(Methods.echo.path, [9])
    #expect(last?.status == 200 && last?.body == [9])
    try await other.close()
    await server.shutDown()
    // The tests have awaited the conversions.
    #expect(server.server.statistics.callsRunning == 0 && server.server.statistics.connectionsOpen == 0)
    #expect(server.server.backlogSizes.all == 0)
  }

  @Test("Calls on the same loop are answered while a large response is converted, in both versions of HTTP")
  func otherCalls() async throws {
    try await Self.run { server, transcoder in
      var first = try await HTTP1RawClient(server.endpoint)
      first.push(HTTP1RawClient.call(Methods.sized.path, Array("[1]".utf8), type: Self.json))
      await transcoder.conversions.wait()
      var second = try await GRPCRawClient(server.endpoint)
      second.call(1, Methods.sized.path, Array("[2]".utf8), type: Self.json)
      await transcoder.conversions.wait()
      var other = try await HTTP1RawClient(server.endpoint)
      let answer = await other.answer(Methods.echo.path, Array("[7]".utf8), type: Self.json)
      #expect(answer?.text == "[7]")
      let beside = await second.answer(3, Methods.echo.path, Array("[8]".utf8), type: Self.json)
      #expect(beside.text == "[8]")
      // The loop, which has answered since, counts a response once its conversion may have begun.
      #expect(server.server.backlogSizes.all == 3 * Self.size)
      transcoder.open()
      let large = await first.response()
      #expect(large?.status == 200 && large?.body == Self.text(1))
      second.grant(1, 1 << 21)
      let larger = ConnectAnswer(await second.response(of: 1))
      #expect(larger.status == 200 && larger.body == Self.text(2, 2 * Self.size))
      let next = await first.answer(Methods.echo.path, [5])
      #expect(next?.body == [5])
    }
  }

  @Test("The responses of a stream keep their order, and its status follows them")
  func order() async throws {
    try await Self.run { server, transcoder in
      let request = HTTP1RawClient.envelope(Array("[1,0,2,0,1]".utf8))
      let expected = [Self.text(1), Self.text(0, 1), Self.text(2, 2 * Self.size), Self.text(0, 1), Self.text(1)]
      var first = try await HTTP1RawClient(server.endpoint)
      first.push(HTTP1RawClient.call(Methods.sizes.path, request, type: Self.stream))
      await transcoder.conversions.wait()
      var second = try await GRPCRawClient(server.endpoint)
      second.call(1, Methods.sizes.path, request, type: Self.stream)
      second.grant(1, 1 << 22)
      await transcoder.conversions.wait()
      transcoder.open()
      let answer = await first.response()
      #expect(answer?.messages.data == expected && answer?.messages.end == "{}")
      let other = ConnectAnswer(await second.response(of: 1))
      #expect(other.messages.data == expected && other.messages.end == "{}")
      // One conversion at a time of each call.
      #expect(transcoder.count == 6)
    }
  }

  @Test("A handler waits for a client that does not read, although its responses are converted off the loop")
  func backPressure() async throws {
    try await Self.run { server, transcoder in
      transcoder.open()
      let request = HTTP1RawClient.envelope(Self.text(1, 40))
      var client = try await GRPCRawClient(server.endpoint)
      client.call(1, Methods.parts.path, request, type: Self.stream)
      for _ in 0..<2 { await transcoder.conversions.wait() }
      var other = try await HTTP1RawClient(server.endpoint)
      for _ in 1...100 {
        let beside = await other.answer(Methods.echo.path, [4])
        #expect(beside?.body == [4])
      }
      // Two texts of 140 kB exceed the stream's backlog of 256 KiB.
      #expect(transcoder.count <= 4)
      client.grant(1, 1 << 24)
      let answer = ConnectAnswer(await client.response(of: 1))
      #expect(answer.messages.data.count == 40 && answer.messages.end == "{}")
    }
  }

  @Test("A response that several calls send is converted once")
  func shared() async throws {
    try await Self.run { server, transcoder in
      let request = HTTP1RawClient.call(
        Methods.shared.path, HTTP1RawClient.envelope(Array("[]".utf8)), type: Self.stream)
      var clients: [HTTP1RawClient] = []
      for _ in 0..<3 { clients.append(try await HTTP1RawClient(server.endpoint)) }
      for client in clients { client.push(request) }
      await transcoder.conversions.wait()
      await server.waits.wait(3)
      transcoder.open()
      for index in clients.indices {
        let answer = await clients[index].response()
        #expect(answer?.messages.data == [Self.text(3)] && answer?.messages.end == "{}")
      }
      clients[0].push(request)
      let again = await clients[0].response()
      #expect(again?.messages.data == [Self.text(3)])
      #expect(transcoder.count == 1)
    }
  }

  @Test("A call ends during a conversion: at its deadline, when the client disconnects, and when the server shuts down")
  func ends() async throws {
    try await Self.run { server, transcoder in
      var late = try await HTTP1RawClient(server.endpoint)
      let call = Array("[1]".utf8)
      let answer = await late.answer(Methods.sized.path, call, type: Self.json, ["Connect-Timeout-Ms: 50"])
      #expect(answer?.status == 504)
      await transcoder.conversions.wait()
      late.push(HTTP1RawClient.call(Methods.echo.path, [6]))
      let gone = try await HTTP1RawClient(server.endpoint)
      let stream = HTTP1RawClient.envelope(Array("[1,1]".utf8))
      gone.push(HTTP1RawClient.call(Methods.sizes.path, stream, type: Self.stream))
      await transcoder.conversions.wait()
      try await gone.close()
      await server.cancellations.wait()
      transcoder.open()
      let next = await late.response()
      #expect(next?.body == [6])
      for _ in 0..<3 { _ = await server.ends.next() }
    }
    try await Self.run { server, transcoder in
      var second = try await GRPCRawClient(server.endpoint)
      second.call(1, Methods.sized.path, Array("[1]".utf8), type: Self.json)
      await transcoder.conversions.wait()
      second.cancel(1)
      let beside = await second.answer(3, Methods.echo.path, [4])
      #expect(beside.body == [4])
      try await second.close()
      transcoder.open()
      for _ in 0..<2 { _ = await server.ends.next() }
    }
    let transcoder = GatedTranscoder()
    let server = try await EchoServer(transcoder: transcoder)
    var client = try await HTTP1RawClient(server.endpoint)
    client.push(HTTP1RawClient.call(Methods.sized.path, Array("[1]".utf8), type: Self.json))
    await transcoder.conversions.wait()
    await server.shutDown()
    _ = await client.response()
    transcoder.open()
    #expect(server.server.statistics.connectionsOpen == 0)
  }

  @Test("A call whose response has no JSON counts with the error, and one that ends before with the reason")
  func codes() async throws {
    try await Self.run { server, transcoder in
      var first = try await HTTP1RawClient(server.endpoint)
      let late = await first.answer(
        Methods.sized.path, Array("[1]".utf8), type: Self.json, ["Connect-Timeout-Ms: 50"])
      #expect(late?.status == 504)
      transcoder.open()
      var codes = [await server.ends.next()]
      var second = try await GRPCRawClient(server.endpoint)
      for (index, method) in [Methods.echo, Methods.echoNow, Methods.sized].enumerated() {
        let answer = await first.answer(method.path, Array("[255,255]".utf8), type: Self.json)
        #expect(answer?.status == 500, "\(method.path)")
        codes.append(await server.ends.next())
        let other = await second.answer(UInt32(2 * index + 1), method.path, Array("[255,255]".utf8), type: Self.json)
        #expect(other.status == 500, "\(method.path)")
        codes.append(await server.ends.next())
      }
      #expect(codes == [.deadlineExceeded] + [StatusCode](repeating: .dataLoss, count: 6))
      let counts = server.server.statistics.callsFinished
      #expect(counts[.ok] == nil && counts[.dataLoss] == 6)
    }
  }

  @Test("A conversion counts against the memory budgets until it ends, also if its call has ended before")
  func budgets() async throws {
    try await Self.run { server, transcoder in
      var client = try await HTTP1RawClient(server.endpoint)
      let (request, timeout) = (Self.text(1, 40_000), ["Connect-Timeout-Ms: 50"])
      let unary = await client.answer(Methods.echo.path, request, type: Self.json, timeout)
      #expect(unary?.status == 504 && server.server.assemblySizes.all == request.count)
      let large = await client.answer(Methods.sized.path, Array("[1]".utf8), type: Self.json, timeout)
      #expect(large?.status == 504 && server.server.backlogSizes.all == Self.size)
      transcoder.open()
      _ = await server.ends.next()
      #expect(server.server.backlogSizes.all == 0)
    }
    // A thread of the pool, which may have only two, is waiting in each conversion.
    try await Self.run { server, transcoder in
      let gone = try await HTTP1RawClient(server.endpoint)
      let stream = HTTP1RawClient.envelope(Array("[1,1]".utf8))
      gone.push(HTTP1RawClient.call(Methods.sizes.path, stream, type: Self.stream))
      await transcoder.conversions.wait()
      try await gone.close()
      await server.cancellations.wait()
      #expect(server.server.backlogSizes.all == 2 * Self.size)
      transcoder.open()
      _ = await server.ends.next()
      #expect(server.server.backlogSizes.all == 0)
    }
  }

  @Test("A large response that has no JSON ends its call with the error")
  func unconvertible() async throws {
    try await Self.run { server, transcoder in
      transcoder.open()
      var client = try await HTTP1RawClient(server.endpoint)
      let unary = await client.answer(Methods.sized.path, Array("[255]".utf8), type: Self.json)
      #expect(unary?.status == 500 && unary?.text == #"{"code":"data_loss","message":"no JSON"}"#)
      let stream = await client.answer(
        Methods.sizes.path, HTTP1RawClient.envelope(Array("[1,255,1]".utf8)), type: Self.stream)
      #expect(stream?.messages.data == [Self.text(1)])
      #expect(stream?.messages.end == #"{"error":{"code":"data_loss","message":"no JSON"}}"#)
    }
  }
}
