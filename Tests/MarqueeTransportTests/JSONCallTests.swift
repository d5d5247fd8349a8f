import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Calls in JSON", .timeLimit(.minutes(1)))
struct JSONCallTests {
  private static let json = "application/json"
  private static let stream = "application/connect+json"
  private static let refused = RPCStatus(.invalidArgument, field: "entries[3].date_ms", "must be after end_ms")
  private static let refusedInJSON = RPCStatus(.invalidArgument, field: "entries[3].dateMs", "must be after end_ms")

  private static func text(_ status: RPCStatus) -> String {
    String(decoding: ConnectResponse.error(status), as: UTF8.self)
  }

  @Test("The path of an invalid field has the names of JSON in calls in JSON, and those of the .proto files in others")
  func fields() async throws {
    let server = try await EchoServer()
    let native = try await callStatus { _ = try await server.client().unary(Methods.refuse, []) }
    #expect(native == Self.refused)
    var one = try await HTTP1RawClient(server.endpoint)
    var two = try await GRPCRawClient(server.endpoint)
    two.call(1, Methods.refuse.path, [1])
    let grpc = await two.response(of: 1)
    #expect(grpc.headers.contains { $0["grpc-message"] == Self.refused.message })
    let unary = await one.answer(Methods.refuse.path, Array("[]".utf8), type: Self.json)
    #expect(unary?.status == 400 && unary?.text == Self.text(Self.refusedInJSON))
    let proto = await one.answer(Methods.refuse.path, [])
    #expect(proto?.status == 400 && proto?.text == Self.text(Self.refused))
    let envelope = HTTP1RawClient.envelope(Array("[]".utf8))
    let stream = await one.answer(Methods.refuseStream.path, envelope, type: Self.stream)
    #expect(stream?.messages.end == #"{"error":\#(Self.text(Self.refusedInJSON))}"#)
    let unary2 = await two.answer(3, Methods.refuse.path, Array("[]".utf8), type: Self.json)
    #expect(unary2.status == 400 && unary2.text == Self.text(Self.refusedInJSON))
    let proto2 = await two.answer(5, Methods.refuse.path, [])
    #expect(proto2.status == 400 && proto2.text == Self.text(Self.refused))
    let stream2 = await two.answer(7, Methods.refuseStream.path, envelope, type: Self.stream)
    #expect(stream2.messages.end == #"{"error":\#(Self.text(Self.refusedInJSON))}"#)
    try await one.close()
    try await two.close()
    await server.shutDown()
  }

  @Test("The response names the unknown fields of a request, in all kinds of calls, also if the call fails")
  func ignoredFields() async throws {
    let server = try await EchoServer()
    let (key, request) = (ServerConnection.ignoredFieldsKey, Array("[1,intentTipes]".utf8))
    var one = try await HTTP1RawClient(server.endpoint)
    for method in [Methods.echo, Methods.echoNow] {
      let hinted = await one.answer(method.path, request, type: Self.json)
      #expect(hinted?.text == "[1]" && hinted?[key] == "intentTipes")
      let plain = await one.answer(method.path, Array("[1]".utf8), type: Self.json)
      #expect(plain?.text == "[1]" && plain?[key] == nil)
    }
    let failed = await one.answer(Methods.refuse.path, request, type: Self.json)
    #expect(failed?.status == 400 && failed?[key] == "intentTipes")
    for method in [Methods.count, Methods.refuseStream, Methods.sizes] {
      let stream = await one.answer(method.path, HTTP1RawClient.envelope(request), type: Self.stream)
      #expect(stream?.status == 200 && stream?[key] == "intentTipes", "\(method.path)")
    }
    var two = try await GRPCRawClient(server.endpoint)
    let hinted = await two.answer(1, Methods.echo.path, request, type: Self.json)
    #expect(hinted.text == "[1]" && hinted[key] == "intentTipes")
    two.call(3, Methods.sizes.path, HTTP1RawClient.envelope(request), type: Self.stream)
    two.grant(3, 1 << 20)
    let stream = ConnectAnswer(await two.response(of: 3))
    #expect(stream.status == 200 && stream[key] == "intentTipes" && stream.messages.data.count == 1)
    // A text that is not a header value is not sent.
    let unsafe = await one.answer(Methods.echo.path, Array("[1,a\r\nb: c]".utf8), type: Self.json)
    #expect(unsafe?.status == 200 && unsafe?[key] == nil && unsafe?["b"] == nil)
    try await one.close()
    try await two.close()
    await server.shutDown()
  }

  @Test("A request that is not valid JSON counts as a finished call, like one that is not a valid message")
  func counts() async throws {
    let server = try await EchoServer()
    var client = try await HTTP1RawClient(server.endpoint)
    let malformed = await client.answer(Methods.echo.path, Array("{".utf8), type: Self.json)
    #expect(malformed?.status == 400)
    let large = await client.answer(Methods.echo.path, [UInt8](repeating: 0x20, count: 70_000), type: Self.json)
    #expect(large?.status == 400)
    try await client.close()
    await server.shutDown()
    let counts = server.server.statistics
    #expect(counts.callsFinished[.invalidArgument] == 2 && counts.callsAborted == 0)
  }
}
