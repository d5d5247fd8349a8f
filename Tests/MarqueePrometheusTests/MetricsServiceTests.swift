import Logging
import MarqueePrometheus
import NIOCore
import NIOPosix
import Testing

@Suite("The metrics endpoint", .timeLimit(.minutes(1)))
struct MetricsServiceTests {
  /// Runs a service on an ephemeral port while `body` runs.
  private static func run(
    _ limits: MetricsService.Limits = .init(), hosts: [String] = [], _ body: (Int) async throws -> Void
  ) async throws {
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = MetricsService(
      MetricsRegistry(), host: "127.0.0.1", port: 0, hosts: hosts, limits: limits, logger: logger,
      bound: { continuation.yield($0) })
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await service.run()
      }
      for await port in ports {
        try await body(port)
        break
      }
      group.cancelAll()
    }
  }

  /// Returns the complete response to a request.
  private static func response(_ port: Int, _ fields: String, path: String = "/metrics") async throws -> String {
    let client = try await HTTPSocket(port)
    client.push("GET \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
    return await client.readToEnd()
  }

  @Test("Connections that arrive during cancellation do not crash the process")
  func cancellation() async throws {
    for _ in 0..<20 {
      try await Self.run { port in
        for _ in 0..<16 { Task { try? await HTTPSocket(port).close() } }
        _ = try await HTTPSocket(port)
      }
    }
  }

  @Test(
    "A request with the address, a loopback name or a configured host is served",
    arguments: [
      "127.0.0.1:PORT", "127.0.0.1", "localhost:PORT", "LocalHost:PORT", "[::1]:PORT", "metrics.example",
      "metrics.example:PORT", "proxy.example:8080",
    ])
  func served(host: String) async throws {
    try await Self.run(hosts: ["Metrics.example", "proxy.example:8080"]) { port in
      let host = host.replacing("PORT", with: "\(port)")
      let response = try await Self.response(port, "Host: \(host)\r\n")
      #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(response)")
    }
  }

  @Test(
    "A request with another host, as after DNS rebinding, is rejected for every path",
    arguments: [
      "evil.example:PORT", "evil.example", "localhost.evil.example:PORT", "localhost:1", "127.0.0.1.evil.example",
      "localhost.", "127.0.0.2:PORT", "proxy.example", "xlocalhost", "0", "127.1:PORT",
    ])
  func misdirected(host: String) async throws {
    try await Self.run(hosts: ["proxy.example:8080"]) { port in
      for path in ["/metrics", "/", "http://localhost/metrics"] {
        let host = host.replacing("PORT", with: "\(port)")
        let response = try await Self.response(port, "Host: \(host)\r\n", path: path)
        #expect(response.hasPrefix("HTTP/1.1 421 Misdirected Request\r\n"), "\(response)")
        #expect(response.contains("metrics-host"))
      }
    }
  }

  @Test("A target in absolute form that names another host is rejected, whatever the Host field")
  func absoluteTarget() async throws {
    try await Self.run { port in
      for host in ["evil.example", "evil.example:\(port)", "localhost.evil.example", "localhost@evil.example", ""] {
        let response = try await Self.response(port, "Host: localhost\r\n", path: "http://\(host)/metrics")
        // A target with an empty host, or with user information, is invalid.
        let isTarget = !host.isEmpty && !host.contains("@")
        #expect(response.hasPrefix("HTTP/1.1 421 ") || !isTarget && !response.hasPrefix("HTTP/1.1 200 "), "\(response)")
      }
      let response = try await Self.response(port, "Host: localhost\r\n", path: "http://LocalHost:\(port)/metrics")
      #expect(!response.hasPrefix("HTTP/1.1 421 "), "\(response)")
    }
  }

  @Test("Only GET /metrics is served, with or without a query")
  func paths() async throws {
    try await Self.run { port in
      for path in ["/metrics", "/metrics?a=b", "/metrics/", "http://localhost:\(port)/metrics"] {
        let response = try await Self.response(port, "Host: localhost\r\n", path: path)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(path): \(response)")
        #expect(response.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      }
      for path in ["/", "/metric", "/metrics/x", "/x/metrics", "//evil.example/metrics", "*"] {
        let response = try await Self.response(port, "Host: localhost\r\n", path: path)
        #expect(response.hasPrefix("HTTP/1.1 404 Not Found\r\n"), "\(path): \(response)")
      }
      for method in ["POST", "OPTIONS", "DELETE", "HEAD"] {
        let client = try await HTTPSocket(port)
        client.push("\(method) /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let response = await client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n") && response.contains("Allow: GET\r\n"))
        #expect(response.hasSuffix("\r\n\r\n") == (method == "HEAD"))
      }
    }
  }

  @Test("Requests on one connection are answered in order, and bodies up to a limit are dropped")
  func sequence() async throws {
    try await Self.run { port in
      let client = try await HTTPSocket(port)
      let start = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
      client.push(start + "\r\n" + start + "Content-Length: 5\r\n\r\nGET /")
      client.push("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n")
      client.push(start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
      client.push("GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
      let text = await client.readToEnd()
      let statuses = text.matches(of: #/HTTP/1\.1 (\d+)/#).map { String($0.output.1) }
      #expect(statuses == ["200", "200", "404", "200", "200"])
      let large = try await HTTPSocket(port)
      // The last byte exceeds the limit, so that none is unread when the connection is closed.
      large.push(start + "Content-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 65_537))
      let refused = await large.readToEnd()
      #expect(refused.hasPrefix("HTTP/1.1 413 "), "\(refused)")
    }
  }

  @Test(
    "A malformed or too long header is refused, and the connection is closed",
    arguments: [
      "GET /metrics\r\n\r\n", "nonsense\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost : localhost\r\n\r\n",
      "GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "GET /metrics HTTP/1.1\r\nX: LONG\r\n", "GET /metrics HTTP/1.1\r\nMANY",
    ])
  func malformed(request: String) async throws {
    try await Self.run { port in
      let client = try await HTTPSocket(port)
      let many = (0..<70).map { "x-\($0): a\r\n" }.joined()
      client.push(
        request.replacing("LONG", with: String(repeating: "x", count: 9_000)).replacing("MANY", with: many))
      let response = await client.readToEnd()
      #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 400 "), "\(response)")
      let other = try await Self.response(port, "Host: localhost\r\n")
      #expect(other.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test("A request without a host, or with two, is rejected")
  func hostCount() async throws {
    try await Self.run { port in
      for fields in ["", "Host: localhost\r\nHost: evil.example\r\n", "Host: evil.example\r\nhost: localhost\r\n"] {
        let response = try await Self.response(port, fields)
        #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(response)")
      }
    }
  }

  @Test("A new connection is served regardless of the number and the addresses of open ones", arguments: [1, 20])
  func crowd(addressCount: Int) async throws {
    try await Self.run { port in
      var crowd: [HTTPSocket] = []
      for index in 0..<400 {
        let socket = try await HTTPSocket(port, from: "127.0.0.\(1 + index % addressCount)")
        socket.push("GET /metrics HTTP/1.1\r\nX: ")
        crowd.append(socket)
      }
      let response = try await Self.response(port, "Host: localhost\r\n")
      #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(response)")
      let first = await crowd[0].readToEnd()
      #expect(first.hasPrefix("HTTP/1.1 503 ") || first.isEmpty, "\(first)")
      for socket in crowd { socket.close() }
    }
  }

  @Test("A complete request receives a response regardless of the number of later connections")
  func rush() async throws {
    try await Self.run { port in
      for _ in 0..<20 {
        let client = try await HTTPSocket(port)
        client.push("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let crowd = try await withThrowingTaskGroup(of: HTTPSocket.self) { group in
          for index in 0..<100 { group.addTask { try await HTTPSocket(port, from: "127.0.0.\(2 + index % 20)") } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        let response = await client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(response)")
        for socket in crowd { socket.close() }
      }
    }
  }

  @Test("Over a limit, the connection that has waited for longest receives the reason and is closed")
  func eviction() async throws {
    var limits = MetricsService.Limits()
    limits.addressConnectionCountMax = 2
    limits.connectionCountMax = 3
    try await Self.run(limits) { port in
      // One connection that sends nothing, and one that has received a response.
      let silent = try await HTTPSocket(port)
      let second = try await HTTPSocket(port)
      try await second.request()
      let third = try await HTTPSocket(port)
      let reason = await silent.readToEnd()
      #expect(reason.hasPrefix("HTTP/1.1 503 "), "\(reason)")
      #expect(reason.contains("(metrics-address-connection-count-max: 2)"), "\(reason)")
      try await third.request()
      let others = [try await HTTPSocket(port, from: "127.0.0.2"), try await HTTPSocket(port, from: "127.0.0.3")]
      let response = await second.readToEnd()
      #expect(response.isEmpty)
      for socket in others + [third] { socket.close() }
    }
  }

  @Test("A request whose header arrives too slowly is ended, even if bytes keep arriving")
  func slowHeader() async throws {
    var limits = MetricsService.Limits()
    limits.headerTimeMax = 1
    try await Self.run(limits) { port in
      let socket = try await HTTPSocket(port)
      let begin = ContinuousClock.now
      socket.push("GET /metrics HTTP/1.1\r\nX: \(String(repeating: "x", count: 200))", each: .milliseconds(100))
      let response = await socket.readToEnd()
      #expect(response.hasPrefix("HTTP/1.1 408 "), "\(response)")
      #expect(response.contains("(metrics-header-time-max: 1 s)"), "\(response)")
      #expect(begin.duration(to: .now) < .seconds(10))
    }
  }

  @Test("A connection that is idle after a response, or sends its next request too slowly, is closed")
  func idle() async throws {
    var limits = MetricsService.Limits()
    (limits.headerTimeMax, limits.idleTimeMax) = (1, 1)
    try await Self.run(limits) { port in
      let idle = try await HTTPSocket(port)
      let slow = try await HTTPSocket(port)
      for socket in [idle, slow] { socket.push("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") }
      slow.push("GET /metrics HTTP/1.1\r\nX: \(String(repeating: "x", count: 200))", each: .milliseconds(100))
      for socket in [idle, slow] {
        let response = await socket.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(response)")
      }
    }
  }
}

/// A TCP client that sends arbitrary bytes to an HTTP server.
private struct HTTPSocket {
  private let channel: any Channel
  private let received: AsyncStream<String>

  init(_ port: Int, from address: String = "127.0.0.1") async throws {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    received = stream
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(to: SocketAddress(ipAddress: address, port: 0))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Collector(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  func push(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

  /// Sends one character per `interval` while the socket is open.
  func push(_ text: String, each interval: TimeAmount) {
    for (index, character) in text.enumerated() {
      channel.eventLoop.scheduleTask(in: interval * (index + 1)) {
        channel.writeAndFlush(ByteBuffer(string: String(character)), promise: nil)
      }
    }
  }

  /// Sends a request and waits for the response, so that the server has accepted the connection.
  func request() async throws {
    push("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for await _ in received { break }
  }

  /// Returns all bytes received until the server closes the connection.
  func readToEnd() async -> String {
    var text = ""
    for await chunk in received { text += chunk }
    return text
  }

  func close() { channel.close(promise: nil) }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<String>.Continuation

    init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(String(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
