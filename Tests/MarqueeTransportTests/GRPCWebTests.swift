import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP
@testable import MarqueeTransport

@Suite("gRPC-Web calls through a socket in HTTP/1.1", .timeLimit(.minutes(1)))
struct GRPCWebTests {
  private static let web = "application/grpc-web+proto"

  /// Returns the messages of a response, and its trailers.
  private static func parts(_ response: HTTP1RawClient.Response?) -> (messages: [[UInt8]], trailers: String) {
    var (messages, trailers) = ([[UInt8]](), "")
    var rest = (response?.body ?? [])[...]
    while rest.count >= 5 {
      let flag = rest.removeFirst()
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let message = Array(rest.dropFirst(4).prefix(size))
      rest = rest.dropFirst(4 + size)
      if flag == 0x80 { trailers += String(decoding: message, as: UTF8.self) } else { messages.append(message) }
    }
    return (messages, trailers)
  }

  @Test("Unary calls and streams have their messages and the trailers in envelopes, beside calls of Connect")
  func calls() async throws {
    let counts = try await EchoServer.run { _, client in
      for type in [Self.web, "application/grpc-web", "Application/gRPC-Web; charset=utf-8"] {
        let unary = await client.answer(Methods.echo.path, HTTP1RawClient.envelope([1, 2]), type: type)
        #expect(unary?.status == 200 && unary?["content-type"] == Self.web)
        let parts = Self.parts(unary)
        #expect(parts.messages == [[1, 2]] && parts.trailers == "grpc-status: 0\r\n")
      }
      let stream = await client.answer(Methods.count.path, HTTP1RawClient.envelope([3]), type: Self.web)
      #expect(Self.parts(stream).messages == [[0], [1], [2]] && Self.parts(stream).trailers == "grpc-status: 0\r\n")
      let broken = await client.answer(Methods.breakOff.path, HTTP1RawClient.envelope([1]), type: Self.web)
      #expect(Self.parts(broken).messages == [[0]])
      #expect(Self.parts(broken).trailers == "grpc-status: 10\r\ngrpc-message: broken off\r\n")
      let connect = await client.answer(Methods.echo.path, [7])
      #expect(connect?.body == [7])
    }
    #expect(counts.callsFinished[.ok] == 6)
  }

  @Test("Errors are trailers with the HTTP status 200: of handlers, of requests, and of unknown methods")
  func errors() async throws {
    _ = try await EchoServer.run { _, client in
      func trailers(_ path: String, _ body: [UInt8], _ fields: [String] = []) async -> String {
        let answer = await client.answer(path, body, type: Self.web, fields)
        #expect(answer?.status == 200 && answer?["content-type"] == Self.web)
        #expect(Self.parts(answer).messages == [])
        return Self.parts(answer).trailers
      }
      let request = HTTP1RawClient.envelope([5])
      let failed = await trailers(Methods.fail.path, request)
      let message = "grpc-status: 5\r\ngrpc-message: as asked\r\n"
      #expect(failed.hasPrefix("\(message)reason: asked\r\ngrpc-status-details-bin: "))
      let refused = await trailers(Methods.refuse.path, request)
      #expect(refused.hasPrefix("grpc-status: 3\r\ngrpc-message: entries[3].date_ms: must be after end_ms\r\n"))
      let unknown = await trailers("test.Echo/Nothing", request)
      #expect(unknown.hasPrefix("grpc-status: 12\r\n"))
      let streaming = await trailers(Methods.chat.path, request)
      #expect(streaming.hasPrefix("grpc-status: 12\r\ngrpc-message: the method streams requests"))
      let invalid: [([UInt8], Int)] = [
        ([], 12), ([0, 0, 0, 0, 9, 1], 3), (request + request, 12), ([1] + request.dropFirst(), 13),
      ]
      for (body, code) in invalid {
        let refused = await trailers(Methods.echo.path, body)
        #expect(refused.hasPrefix("grpc-status: \(code)\r\n"))
      }
      let compressed = await trailers(Methods.echo.path, request, ["grpc-encoding: gzip"])
      #expect(compressed.hasPrefix("grpc-status: 12\r\n"))
      for (timeout, code) in [("0S", 4), ("1x", 3), ("20m", 4)] {
        let late = await trailers(Methods.wait.path, request, ["grpc-timeout: \(timeout)"])
        #expect(late.hasPrefix("grpc-status: \(code)\r\n"), "\(timeout)")
      }
    }
  }

  /// The content type of the text form, and the one that responses have.
  private static let text = ["application/grpc-web-text", "application/grpc-web-text+proto"]

  /// Returns the parts of a body in base64, whose pieces are padded.
  private static func textParts(_ body: [UInt8]) throws -> (messages: [[UInt8]], trailers: String) {
    var decoder = Base64Decoder()
    let bytes = try body.withUnsafeBytes { try decoder.decode($0) }
    #expect(!decoder.isInsideGroup)
    var response = HTTP1RawClient.Response()
    response.body = bytes
    return parts(response)
  }

  /// Requests in text, with the messages and the trailers of their responses.
  private static let textCases: [(path: String, body: String, messages: [[UInt8]], trailers: String)] = [
    (Methods.echo.path, "AAAAAAIBAg==", [[1, 2]], "grpc-status: 0\r\n"),
    // In two pieces, the first of which is padded.
    (Methods.echo.path, "AA==AAAAAgEC", [[1, 2]], "grpc-status: 0\r\n"),
    (Methods.count.path, "AAAAAAED", [[0], [1], [2]], "grpc-status: 0\r\n"),
    (
      Methods.breakOff.path, "AAAAAAEB", [[0]], "grpc-status: 10\r\ngrpc-message: broken off\r\n"
    ),
    (Methods.echo.path, "AAAAAAIB!g==", [], "grpc-status: 3\r\ngrpc-message: the body is not base64\r\n"),
    (Methods.echo.path, "AAAAAAIBAg", [], "grpc-status: 3\r\ngrpc-message: the body ended inside a message\r\n"),
    (Methods.echo.path, "AAAAAAIBAg==AAAAAAIBAg==", [], "grpc-status: 12\r\ngrpc-message: more than one request\r\n"),
    (Methods.echo.path, "", [], "grpc-status: 12\r\ngrpc-message: missing request\r\n"),
  ]

  @Test("As text, each message and the trailers are base64 with padding, in both versions of HTTP")
  func text() async throws {
    let counts = try await EchoServer.run { server, client in
      var http2 = try await GRPCRawClient(server.endpoint)
      for (index, test) in Self.textCases.enumerated() {
        let type = Self.text[index % 2]
        let answer = await client.answer(test.path, Array(test.body.utf8), type: type)
        #expect(answer?.status == 200 && answer?["content-type"] == Self.text[1])
        let parts = try Self.textParts(answer?.body ?? [])
        #expect(parts.messages == test.messages && parts.trailers == test.trailers, "\(test)")
        let other = await http2.answer(UInt32(2 * index + 1), test.path, Array(test.body.utf8), type: type)
        #expect(other.status == 200 && other["content-type"] == Self.text[1])
        let otherParts = try Self.textParts(other.body)
        #expect(otherParts.messages == test.messages && otherParts.trailers == test.trailers, "\(test)")
      }
      try await http2.close()
    }
    #expect(counts.callsFinished[.ok] == 7)
  }

  @Test("Base64 may arrive in any pieces, and errors are found where they are")
  func base64() throws {
    let text = Array("AQ==AQI=AQID/+8=".utf8)
    for size in 1...text.count {
      var decoder = Base64Decoder()
      var bytes: [UInt8] = []
      for start in stride(from: 0, to: text.count, by: size) {
        bytes += try text[start..<min(start + size, text.count)].withUnsafeBytes { try decoder.decode($0) }
      }
      #expect(bytes == [1, 1, 2, 1, 2, 3, 255, 239] && !decoder.isInsideGroup)
    }
    for text in ["A===", "=AAA", "A=AA", "AA=A", "AAA\n", "AB=="] {
      var decoder = Base64Decoder()
      #expect(throws: RPCStatus.self) { try Array(text.utf8).withUnsafeBytes { _ = try decoder.decode($0) } }
    }
  }

  @Test("Pages of allowed origins may read the status, and each protocol can be switched off")
  func protocols() async throws {
    let home = "https://home.example.com"
    _ = try await EchoServer.run({ $0.origins = Origins(hosts: [], origins: [home]) }) { _, client in
      let request = HTTP1RawClient.envelope([1])
      let answer = await client.answer(Methods.echo.path, request, type: Self.web, ["Origin: \(home)"])
      #expect(answer?["access-control-allow-origin"] == home)
      #expect(answer?["access-control-expose-headers"] == "grpc-status, grpc-message")
      let foreign = await client.answer(Methods.echo.path, request, type: Self.web, ["Origin: https://evil.example"])
      #expect(foreign?.status == 403)
    }
    _ = try await EchoServer.run({ $0.protocols = [.connect] }) { _, client in
      let refused = await client.answer(Methods.echo.path, HTTP1RawClient.envelope([1]), type: Self.web)
      #expect(refused?.status == 415)
      let text = await client.answer(Methods.echo.path, [1], type: "application/grpc-web-text")
      #expect(text?.status == 415)
    }
  }
}
