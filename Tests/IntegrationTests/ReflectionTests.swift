import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSchema
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Server reflection", .timeLimit(.minutes(2)))
struct ReflectionTests {
  private static let methods = [
    ReflectionService.serverReflectionInfo, ReflectionService.alphaServerReflectionInfo,
  ]

  /// Returns the responses to requests on one stream.
  private static func responses(
    _ connection: RPCClient, _ requests: [ServerReflectionRequest],
    _ method: RPCMethod<ServerReflectionRequest, ServerReflectionResponse> = ReflectionService.serverReflectionInfo
  ) async throws -> [ServerReflectionResponse] {
    let call = try await connection.bidirectional(method)
    for request in requests { try await call.send(request) }
    call.finish()
    var responses: [ServerReflectionResponse] = []
    for try await response in call.responses { responses.append(response) }
    return responses
  }

  /// Returns the content of the response to one query.
  private static func content(
    _ connection: RPCClient, _ query: ServerReflectionRequest.Query
  ) async throws -> ServerReflectionResponse.Content? {
    try await responses(connection, [ServerReflectionRequest(query)]).first?.content
  }

  @Test("Both versions list all services, and echo the host and the request", arguments: [0, 1])
  func services(version: Int) async throws {
    try await InProcessServer.run { server in
      let request = ServerReflectionRequest(host: "here", .listServices("*"))
      let responses = try await Self.responses(server.connection(), [request, request], Self.methods[version])
      let expected = ServerReflectionResponse(
        validHost: "here", originalRequest: request, .services(MarqueeServer.serviceNames.sorted()))
      #expect(responses == [expected, expected])
    }
  }

  @Test("A file is found by its name and by each symbol in it, and comes with its imports")
  func files() async throws {
    try await InProcessServer.run { server in
      let connection = server.connection()
      let file = try #require(Schema.marquee.file(named: "marquee/v1/display.proto"))
      let expected = Schema.marquee.closure(of: file).map(\.descriptor)
      let queries: [ServerReflectionRequest.Query] =
        [.fileByFilename("marquee/v1/display.proto")]
        + [
          "marquee.v1.Display", "marquee.v1.Display.Watch", "marquee.v1.WatchRequest", "marquee.v1.WatchRequest.device",
        ].map { .fileContainingSymbol($0) }
      let responses = try await Self.responses(connection, queries.map { ServerReflectionRequest($0) })
      #expect(responses.map(\.content) == queries.map { _ in .files(expected) })
      // With the imports first, these are all descriptors that a client needs.
      let sorted = Schema.marquee.files.map(\.descriptor).filter(expected.contains)
      let schema = try Schema(descriptorSet: sorted.flatMap { WireBytes.field(1, $0) })
      #expect(schema.services.contains { $0.name == "marquee.v1.Display" })
    }
  }

  @Test("A failed request is answered with an error, and the stream stays open")
  func errors() async throws {
    try await InProcessServer.run { server in
      let cases: [(ServerReflectionRequest.Query?, StatusCode)] = [
        (.fileByFilename("marquee/v1/nothing.proto"), .notFound), (.fileByFilename(""), .notFound),
        (.fileContainingSymbol("marquee.v1.Nothing"), .notFound),
        // Equal as strings, but not the name: the Kelvin sign.
        (.fileContainingSymbol("marquee.v1.Widget\u{212A}ind"), .notFound),
        (.fileContainingExtension(of: "marquee.v1.Widget", number: 1), .notFound),
        (.fileContainingExtension(of: "marquee.v1.Nothing", number: 1), .notFound),
        (.allExtensionNumbers(of: "marquee.v1.Nothing"), .notFound), (nil, .invalidArgument),
      ]
      let responses = try await Self.responses(server.connection(), cases.map { ServerReflectionRequest($0.0) })
      #expect(responses.count == cases.count)
      for (response, expected) in zip(responses, cases) {
        guard case .error(let code, let message) = response.content else {
          Issue.record("\(expected): \(response)")
          continue
        }
        #expect(code == expected.1 && !message.isEmpty && response.originalRequest?.query == expected.0)
      }
      let numbers = try await Self.content(server.connection(), .allExtensionNumbers(of: "marquee.v1.Widget"))
      #expect(numbers == .extensionNumbers(of: "marquee.v1.Widget", []))
    }
  }

  @Test("A malformed or large request ends its stream, and no other")
  func malformed() async throws {
    try await InProcessServer.run { server in
      let connection = server.connection()
      let method = RPCMethod<[UInt8], [UInt8]>(
        path: ReflectionService.serverReflectionInfo.path, kind: .bidirectional, request: .bytes, response: .bytes)
      let other = try await connection.bidirectional(ReflectionService.serverReflectionInfo)
      for (bytes, code) in [
        (WireBytes.field(4, [0xFF]), StatusCode.invalidArgument), ([0x22], .invalidArgument),
        (WireBytes.field(4, [UInt8](repeating: 97, count: 4_096)), .resourceExhausted),
      ] {
        let status = try await callStatus {
          let call = try await connection.bidirectional(method)
          try await call.send(bytes)
          for try await _ in call.responses {}
        }
        #expect(status?.code == code, "\(status as Any)")
      }
      try await other.send(ServerReflectionRequest(.listServices()))
      other.finish()
      var count = 0
      for try await _ in other.responses { count += 1 }
      #expect(count == 1)
    }
  }

  @Test("Clients without credentials may use reflection, on a limited number of streams")
  func anonymous() async throws {
    try await InProcessServer.run { server in
      let connection = RPCClient(server.tcpEndpoint)
      let content = try await Self.content(connection, .listServices())
      #expect(content == .services(MarqueeServer.serviceNames.sorted()))
      var calls: [ClientCall<ServerReflectionRequest, ServerReflectionResponse>] = []
      for _ in 0..<4 {
        calls.append(try await connection.bidirectional(ReflectionService.serverReflectionInfo))
        try await calls[calls.count - 1].send(ServerReflectionRequest(.listServices()))
        for try await _ in calls[calls.count - 1].responses { break }
      }
      let fifth = try await callStatus { _ = try await Self.content(connection, .listServices()) }
      #expect(fifth?.message.contains("anonymous-call-count-max") == true)
      for call in calls { call.cancel() }
    }
  }

  @Test("An open stream ends with UNAVAILABLE when the server drains")
  func draining() async throws {
    try await InProcessServer.run { server in
      let call = try await server.connection().bidirectional(ReflectionService.serverReflectionInfo)
      try await call.send(ServerReflectionRequest(.listServices()))
      var responses = call.responses.makeAsyncIterator()
      _ = try await responses.nextInTime()
      try await server.restart()
      let end = try await callStatus { _ = try await responses.nextInTime() }
      #expect(end == RPCStatus(.unavailable, "the server is shutting down; retry later"))
    }
  }
}
