import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("The end of HTTP connections and their calls", .timeLimit(.minutes(1)))
struct ConnectEndTests {
  /// An interceptor whose end shows that nothing refers to its connection any more.
  private final class Witness: CallInterceptor {
    private let ends: EventRecorder<Void>

    init(_ ends: EventRecorder<Void>) {
      self.ends = ends
    }

    deinit { ends.record() }

    func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? { nil }
  }

  @Test("A connection that is lost with open calls is freed, in each version of HTTP")
  func freed() async throws {
    let (ends, waits) = (EventRecorder<Void>(), EventRecorder<Void>())
    var router = Router(status: EchoServer.status)
    router.interceptor = { _ in Witness(ends) }
    router.transcoder = ByteListTranscoder()
    router.unary(Methods.wait) { _, _ in
      waits.record()
      try await Forever().wait()
      return []
    }
    let server = RPCServer(router: router, configuration: ServerConfiguration(), logger: .silent)
    let endpoint = try await server.start([.tcp(host: "127.0.0.1", port: 0)])[0]
    for _ in 0..<3 {
      let older = try await HTTP1RawClient(endpoint)
      older.push(HTTP1RawClient.call(Methods.wait.path, [1]))
      await waits.wait()
      try await older.close()
      await ends.wait()
      let client = try await GRPCRawClient(endpoint)
      client.call(1, Methods.wait.path, [1])
      client.call(3, Methods.wait.path, [1], type: "application/proto")
      client.call(5, Methods.wait.path, Array("[1]".utf8), type: "application/json")
      await waits.wait(3)
      try await client.close()
      await ends.wait()
    }
    await server.shutDown(grace: .zero)
    #expect(server.statistics.callsRunning == 0)
  }

  @Test("A response that has no JSON ends its call with the reason, in each version of HTTP")
  func unconvertible() async throws {
    let server = try await EchoServer()
    let request = Array("[255,255]".utf8)
    var older = try await HTTP1RawClient(server.endpoint)
    var client = try await GRPCRawClient(server.endpoint)
    for (index, method) in [Methods.echo, Methods.echoNow].enumerated() {
      let first = await older.answer(method.path, request, type: "application/json")
      #expect(first?.status == 500 && first?.text == #"{"code":"data_loss","message":"no JSON"}"#)
      let second = await client.answer(UInt32(1 + 2 * index), method.path, request, type: "application/json")
      #expect(second.status == 500 && second.text == #"{"code":"data_loss","message":"no JSON"}"#)
    }
    try await older.close()
    try await client.close()
    await server.shutDown()
  }

  @Test("Requests that were sent before the end of the client's direction are answered")
  func halfClosed() async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    client.push((1...3).flatMap { HTTP1RawClient.call(Methods.echo.path, [UInt8($0)]) })
    try await client.closeOutput()
    for number in 1...3 as ClosedRange<UInt8> {
      let answer = await client.response()
      #expect(answer?.status == 200 && answer?.body == [number])
    }
    let isClosed = await client.isClosed()
    #expect(isClosed)
    // A call with one response has a second, in either form.
    let message = HTTP1RawClient.envelope([1])
    for (body, type) in [([1], "application/proto"), (message, "application/grpc-web+proto")] {
      var waiting = try await HTTP1RawClient(server.endpoint)
      waiting.push(HTTP1RawClient.call(Methods.wait.path, body, type: type))
      await server.waits.wait()
      let start = ContinuousClock.now
      try await waiting.closeOutput()
      await server.cancellations.wait()
      #expect(start.duration(to: .now) > .milliseconds(900))
      let cancelled = await waiting.response()
      #expect(cancelled?.status == (body == message ? 200 : 499))
    }
    await server.shutDown()
  }
}
