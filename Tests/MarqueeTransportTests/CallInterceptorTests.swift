import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("Call interceptors", .timeLimit(.minutes(1)))
struct CallInterceptorTests {
  /// Authenticates calls by their `authorization`, and numbers the calls of its connection.
  private final class NameInterceptor: CallInterceptor {
    private var count = 0

    func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
      guard let name = call.metadata["authorization"] else { throw RPCStatus(.unauthenticated, "no authorization") }
      guard name != "stranger" else { throw RPCStatus(.permissionDenied, "not you") }
      count += 1
      return "\(name) \(count)"
    }
  }

  private struct UnexpectedPrincipal: Error {}

  /// Runs a server whose handlers respond with the principal, and a client with the given authorization.
  private static func run(
    as name: String?, _ body: (RPCServer, RPCClient, EventRecorder<Void>) async throws -> Void
  ) async throws {
    let begun = EventRecorder<Void>()
    var router = Router(status: EchoServer.status)
    router.interceptor = { _ in NameInterceptor() }
    router.unary(Methods.peer) { _, context in
      begun.record()
      guard let principal = context.principal as? String else { throw UnexpectedPrincipal() }
      return Array(principal.utf8)
    }
    router.bidirectional(Methods.chat) { requests, writer, _ in
      begun.record()
      for try await request in requests { try await writer.send(request) }
    }
    let server = RPCServer(router: router, logger: .silent)
    let endpoint = try await server.start([.tcp(host: "127.0.0.1", port: 0)])[0]
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    configuration.authorization = { name }
    try await body(server, RPCClient(endpoint, configuration: configuration), begun)
    await server.shutDown(grace: .zero)
  }

  /// Returns the principal that the server sees, for a call with its own authorization if given.
  private static func principal(_ client: RPCClient, as name: String? = nil) async throws -> String {
    let options = CallOptions(metadata: name.map(metadata) ?? Metadata())
    return String(decoding: try await client.unary(Methods.peer, [], options: options), as: UTF8.self)
  }

  private static func metadata(_ name: String) -> Metadata {
    var metadata = Metadata()
    metadata.append("authorization", name)
    return metadata
  }

  @Test(
    "Handlers see the principal; each connection has one interceptor, and a call's own authorization takes precedence")
  func admitted() async throws {
    try await Self.run(as: "one") { _, client, _ in
      for expected in ["one 1", "one 2"] {
        let principal = try await Self.principal(client)
        #expect(principal == expected)
      }
      let principal = try await Self.principal(client, as: "two")
      #expect(principal == "two 3")
    }
  }

  @Test("A rejected call ends with the interceptor's status and reaches no handler; the connection stays open")
  func rejected() async throws {
    try await Self.run(as: nil) { server, client, _ in
      let large = [UInt8](repeating: 1, count: 100_000)
      for _ in 1...3 {
        let end = try await callStatus { _ = try await client.unary(Methods.peer, large) }
        #expect(end == RPCStatus(.unauthenticated, "no authorization"))
        let options = CallOptions(metadata: Self.metadata("stranger"))
        let stream = try await callStatus {
          let call = try await client.bidirectional(Methods.chat, options: options)
          for try await _ in call.responses {}
        }
        #expect(stream == RPCStatus(.permissionDenied, "not you"))
      }
      let principal = try await Self.principal(client, as: "one")
      #expect(principal == "one 1")
      let counts = server.statistics
      #expect(counts.callsFinished == [.unauthenticated: 3, .permissionDenied: 3, .ok: 1])
      #expect(counts.connectionsAccepted == 1 && counts.callsRunning == 0)
    }
  }

  @Test("Connections can be closed by peer; their calls end with the given status")
  func closed() async throws {
    try await Self.run(as: "one") { server, client, begun in
      let call = try await client.bidirectional(Methods.chat)
      await begun.wait()
      server.close(RPCStatus(.aborted, "others")) { $0.address != "127.0.0.1" }
      try await call.send([1])
      var responses = call.responses.makeAsyncIterator()
      let first = try await responses.next()
      #expect(first == [1])
      server.close(RPCStatus(.unavailable, "come again")) { $0.address == "127.0.0.1" }
      let end = try await callStatus { _ = try await responses.next() }
      #expect(end == RPCStatus(.unavailable, "come again"))
    }
  }
}
