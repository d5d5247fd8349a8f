import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import MarqueeTransport

@Suite("Redirection of clients", .timeLimit(.minutes(1)))
struct RedirectionTests {
  private static func echo(_ client: RPCClient, _ device: String? = "phone") async throws {
    #expect(try await client.unary(Methods.echo, [1, 2], options: CallOptions(affinity: device)) == [1, 2])
  }

  @Test("The second call about a device goes to its server directly, and calls about others ask first")
  func direct() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      for _ in 1...3 { try await Self.echo(client) }
      #expect(a.callCount == 1 && b.callCount == 3)
      try await Self.echo(client, "tablet")
      #expect(a.callCount == 2 && b.callCount == 4)
      // A call without a device is made there, too, and asks each time.
      for _ in 1...2 { try await Self.echo(client, nil) }
      #expect(a.callCount == 4 && b.callCount == 6 && a.forwardedCount == 0 && b.forwardedCount == 0)
      #expect(b.server.statistics.connectionsAccepted == 1)
      await client.close()
    }
  }

  @Test("A client that does not accept redirection, and one with another transport, is not redirected")
  func declined() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client { $0.followsRedirects = false }
      try await Self.echo(client)
      #expect(a.callCount == 1 && b.callCount == 0 && a.forwardedCount == 0)
      await client.close()
    }
    var configuration = ClientConfiguration()
    #expect(ClientCore(.unix(path: "a"), configuration, .silent).acceptsMoved)
    configuration.dialer = NoDialer()
    #expect(!ClientCore(.unix(path: "a"), configuration, .silent).acceptsMoved)
  }

  /// A transport that is never used.
  private struct NoDialer: Dialer {
    func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
      loop.makeFailedFuture(UnexpectedEvent())
    }
  }

  @Test("A redirected device whose server refuses it is asked for again, and found where it is")
  func movedAgain() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      try await Self.echo(client)
      // Back to the first server, by its own endpoint.
      a.handle()
      b.redirect(to: a.endpoint.description)
      for _ in 1...2 { try await Self.echo(client) }
      #expect(b.callCount == 2 && a.callCount == 3)
      #expect(a.server.statistics.connectionsAccepted == 1)
      // A refusal that names no server has the first one asked.
      a.redirect(to: b.endpoint.description)
      b.handle()
      try await Self.echo(client)
      a.handle()
      b.answer { _ in throw RPCStatus(.unavailable, "not now", details: [], isRefusal: true) }
      try await Self.echo(client)
      #expect(a.callCount == 5 && b.callCount == 4 && a.forwardedCount == 0)
      await client.close()
    }
  }

  @Test("Two servers that name each other end in a call that is passed on, or in an error, after three redirections")
  func loop() async throws {
    try await RedirectionNode.withTwo { a, b in
      b.redirect(to: a.endpoint.description)
      let client = a.client()
      try await Self.echo(client)
      #expect(a.calls.map(\.isForwarded) == [false, false, true] && b.callCount == 2)
      // It is not remembered.
      b.handle()
      try await Self.echo(client)
      #expect(a.callCount == 4 && b.callCount == 3)
      // A server that names itself, as behind an address that several servers share, passes the calls on at once.
      a.redirect(to: a.endpoint.description)
      for _ in 1...2 { try await Self.echo(client, "tablet") }
      #expect(a.calls.suffix(3).map(\.isForwarded) == [false, true, true])
      // A server that redirects all the same.
      a.answer { [a] _ in throw RedirectionNode.moved(to: a.endpoint.description) }
      let status = await #expect(throws: RPCStatus.self) { try await Self.echo(client, "watch") }
      #expect(status?.code == .unavailable && status?.isRefusal == false)
      #expect(status?.message == "the server does not pass the call on to the server b of its device")
      #expect(a.callCount == 9)
      await client.close()
    }
  }

  @Test("An endpoint that cannot be reached has calls passed on: unary ones at once, until it is tried again")
  func nowhere() async throws {
    try await RedirectionNode.withTwo { a, b in
      a.redirect(to: "unix:/nowhere/b.sock")
      let client = a.client()
      for _ in 1...3 { try await Self.echo(client) }
      #expect(a.calls.map(\.isForwarded) == [false, false, true, true, true])
      // A stream asks again, because it would be passed on for as long as it is open.
      let count = try await client.serverStreaming(Methods.count, [2], options: .about("phone"))
      #expect(try await count.responses.reduce(into: 0) { sum, _ in sum += 1 } == 2)
      #expect(a.calls.suffix(2).map(\.isForwarded) == [false, true])
      // Another device is not sent there either.
      try await Self.echo(client, "tablet")
      #expect(a.calls.suffix(2).map(\.isForwarded) == [false, true])
      // It can have moved meanwhile.
      a.redirect(to: b.endpoint.description)
      let other = try await client.serverStreaming(Methods.count, [1], options: .about("phone"))
      #expect(try await other.responses.reduce(into: 0) { sum, _ in sum += 1 } == 1)
      try await Self.echo(client)
      #expect(b.callCount == 2)
      // A call that is to be passed on because of the one endpoint is redirected to the other.
      try await Self.echo(client, "tablet")
      #expect(b.callCount == 3 && a.calls.last?.isForwarded == true)
      await client.close()
    }
  }

  @Test("A call that waits for its server does not wait for one that it was redirected to")
  func waiting() async throws {
    try await RedirectionNode.withTwo { a, _ in
      a.redirect(to: "unix:/nowhere/b.sock")
      let client = a.client()
      let options = CallOptions(timeout: .seconds(20), waitsForReady: true, affinity: "phone")
      let answer = try await client.unary(Methods.echo, [1], options: options)
      #expect(answer == [1])
      #expect(a.calls.map(\.isForwarded) == [false, false, true])
      await client.close()
    }
  }

  @Test("A call that is cancelled while its new server does not answer is not made again")
  func cancelledMeanwhile() async throws {
    let silent = try await SilentListener()
    let (home, asked) = try await silent.redirectingNode()
    let client = home.client()
    let task = Task { try await client.unary(Methods.echo, [1], options: .about("phone")) }
    await asked.wait()
    task.cancel()
    let status = await #expect(throws: RPCStatus.self) { _ = try await task.value }
    #expect(status?.code == .cancelled)
    // Answered when the attempt to connect has failed.
    try await Self.echo(client, "tablet")
    #expect(home.calls.map(\.isForwarded) == [false, false, false, true])
    await client.close()
    await home.shutDown()
    try await silent.close()
  }

  @Test("A stream whose reader is cancelled while it is redirected ends, and is not opened again")
  func readerCancelledMeanwhile() async throws {
    let silent = try await SilentListener()
    let (home, asked) = try await silent.redirectingNode()
    let client = home.client()
    let call = try await client.serverStreaming(Methods.count, [1], options: .about("phone"))
    let reader = Task { for try await _ in call.responses {} }
    await asked.wait()
    // The client has received the answer when it has asked the other server.
    await silent.connections.wait()
    reader.cancel()
    #expect(try await call.status().code == .cancelled)
    try await Self.echo(client, "tablet")
    #expect(home.calls.filter { $0.method == Methods.count.path }.count == 1)
    await client.close()
    await home.shutDown()
    try await silent.close()
  }

  @Test("A server that does not answer delays one call by two seconds")
  func silent() async throws {
    try await RedirectionNode.withTwo { a, b in
      let silent = try await SilentListener()
      let tcp = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0))
      tcp.redirect(to: silent.endpoint.description)
      let client = tcp.client()
      let start = ContinuousClock.now
      for device in ["phone", "phone", "tablet"] { try await Self.echo(client, device) }
      #expect(start.duration(to: .now) < .seconds(8))
      #expect(tcp.calls.count { $0.isForwarded } == 3)
      await client.close()
      await tcp.shutDown()
      try await silent.close()
    }
  }

  @Test(
    "An endpoint that is malformed, or protected less than the client's own, gets nothing, and calls are passed on",
    arguments: ["nonsense", "", "tcp:host", "tcp:127.0.0.1:0", "unix:", "tcp:192.0.2.1:7411"])
  func unacceptable(endpoint: String) async throws {
    let home = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0))
    home.redirect(to: endpoint)
    let client = home.client()
    let start = ContinuousClock.now
    for _ in 1...2 { try await Self.echo(client) }
    #expect(home.calls.map(\.isForwarded) == [false, true, true])
    #expect(start.duration(to: .now) < .seconds(1))
    await client.close()
    await home.shutDown()
  }

  @Test("A Unix socket does not redirect to TCP, TCP not to a Unix socket, and TLS not to a server without it")
  func weaker() async throws {
    let directory = try TemporaryDirectory()
    let tls = try TLSPair()
    let unix = try await RedirectionNode(.unix(path: directory.file("a.sock")))
    let plain = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0))
    let secure = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0), tls: tls)
    func secured(_ configuration: inout ClientConfiguration) {
      configuration.tls = tls.client
      configuration.tlsServerName = "localhost"
    }
    for (home, target, client) in [
      (unix, plain, unix.client { $0.authorization = { "Bearer secret" } }),
      (plain, unix, plain.client { $0.authorization = { "Bearer secret" } }),
      (
        secure, plain,
        secure.client {
          secured(&$0)
          $0.authorization = { "Bearer secret" }
        }
      ),
    ] {
      for node in [unix, plain, secure] { node.handle() }
      let before = (home.callCount, target.callCount)
      home.redirect(to: target.endpoint.description)
      try await Self.echo(client)
      #expect(target.callCount == before.1, "\(home.endpoint) to \(target.endpoint)")
      #expect(home.calls.last?.isForwarded == true && home.callCount >= before.0 + 2)
      await client.close()
    }
    for node in [unix, plain, secure] { await node.shutDown() }
  }

  @Test("With TLS, the certificate of the new server is verified for its own host before a token is sent")
  func certificates() async throws {
    let tls = try TLSPair()
    let home = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0), tls: tls)
    let target = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0), tls: tls)
    guard case .tcp(_, let port) = target.endpoint else { throw UnexpectedEvent() }
    // The certificate is one of localhost.
    let client = home.client {
      $0.tls = tls.client
      $0.tlsServerName = "localhost"
      $0.authorization = { "Bearer secret" }
    }
    home.redirect(to: "tcp:127.0.0.1:\(port)")
    try await Self.echo(client)
    #expect(target.callCount == 0 && home.forwardedCount == 1)
    home.redirect(to: "tcp:localhost:\(port)")
    for _ in 1...2 { try await Self.echo(client, "tablet") }
    #expect(target.calls.map(\.authorization) == ["Bearer secret", "Bearer secret"] && home.forwardedCount == 1)
    await client.close()
    await home.shutDown()
    await target.shutDown()
  }

  @Test("A call that a handler has seen is never made again")
  func once() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      try await Self.echo(client)
      // Without the flag of a refusal, a status that names a server is the call's.
      b.answer { _ in
        throw RPCStatus(
          .unavailable, "failed", details: [Moved(endpoint: "unix:/nowhere/c.sock", node: "c").detail])
      }
      let failed = await #expect(throws: RPCStatus.self) { try await Self.echo(client) }
      #expect(failed?.message == "failed" && a.callCount == 1 && b.callCount == 2)
      // A refusal with another code is the call's.
      b.answer { _ in throw RPCStatus(.resourceExhausted, "full", details: [], isRefusal: true) }
      let full = await #expect(throws: RPCStatus.self) { try await Self.echo(client) }
      #expect(full?.code == .resourceExhausted && a.callCount == 1 && b.callCount == 3)
      // The connection is lost while the handler runs.
      b.handle()
      let waiting = Task { try await client.unary(Methods.wait, [], options: .about("phone")) }
      await b.begun.wait()
      await b.shutDown()
      let lost = await #expect(throws: RPCStatus.self) { _ = try await waiting.value }
      #expect(lost != nil && a.callCount == 1)
      // The next call about the device is made at the first server, which passes it on or handles it.
      a.handle()
      for _ in 1...2 { try await Self.echo(client) }
      #expect(a.callCount == 3 && a.forwardedCount == 0)
      await client.close()
    }
  }

  @Test("Nothing is made again after the first response of a stream")
  func begun() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      let call = try await client.serverStreaming(Methods.breakOff, [7], options: .about("phone"))
      var responses = call.responses.makeAsyncIterator()
      #expect(try await responses.next() == [7])
      let status = await #expect(throws: RPCStatus.self) { _ = try await responses.next() }
      #expect(status?.moved?.endpoint == b.endpoint.description && b.callCount == 0)
      await client.close()
    }
  }

  @Test("A stream of responses, and one of both, are opened at the new server, with what was sent before")
  func streams() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      let count = try await client.serverStreaming(Methods.count, [5], options: .about("phone"))
      #expect(try await count.responses.reduce(into: []) { $0.append($1) } == [[0], [1], [2], [3], [4]])
      for device in ["phone", "tablet"] {
        let chat = try await client.bidirectional(Methods.chat, options: .about(device))
        for number in UInt8(1)...3 { try await chat.send([number]) }
        var responses = chat.responses.makeAsyncIterator()
        for number in UInt8(1)...3 { #expect(try await responses.next() == [number]) }
        for number in UInt8(4)...20 {
          try await chat.send([number])
          #expect(try await responses.next() == [number])
        }
        chat.finish()
        #expect(try await responses.next() == nil)
        #expect(try await chat.status() == .ok)
      }
      #expect(a.calls.map(\.method) == [Methods.count.path, Methods.chat.path] && b.callCount == 3)
      // The end of the requests is repeated, too.
      let half = try await client.bidirectional(Methods.chat, options: .about("watch"))
      try await half.send([9])
      half.finish()
      #expect(try await half.responses.reduce(into: []) { $0.append($1) } == [[9]])
      await client.close()
    }
  }

  @Test("A stream of requests without a device is passed on, and one with many unanswered requests ends")
  func unrepeatable() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      let chat = try await client.bidirectional(Methods.chat)
      try await chat.send([1])
      var responses = chat.responses.makeAsyncIterator()
      #expect(try await responses.next() == [1])
      #expect(a.calls.map(\.isForwarded) == [true] && b.callCount == 0)
      chat.cancel()
      // The server refuses the call when it has all requests.
      for count in [4, 5] {
        let sum = try await client.clientStreaming(Methods.sum, options: .about("phone-\(count)"))
        for _ in 1...count { try await sum.send([1]) }
        if count == 4 {
          #expect(try await sum.response() == [4])
        } else {
          let status = await #expect(throws: RPCStatus.self) { try await sum.response() }
          #expect(status?.moved?.endpoint == b.endpoint.description)
        }
      }
      #expect(b.callCount == 1)
      await client.close()
    }
  }

  @Test("Deadlines include the time of redirections, and a cancelled call is cancelled at the new server")
  func ends() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      let late = await #expect(throws: RPCStatus.self) {
        try await client.unary(Methods.wait, [], options: .about("phone", timeout: .milliseconds(300)))
      }
      #expect(late?.code == .deadlineExceeded && b.callCount == 1)
      await b.begun.wait()
      await b.cancellations.wait()
      let task = Task { try await client.unary(Methods.wait, [], options: .about("tablet")) }
      await b.begun.wait()
      task.cancel()
      let cancelled = await #expect(throws: RPCStatus.self) { _ = try await task.value }
      #expect(cancelled?.code == .cancelled)
      await b.cancellations.wait()
      await client.close()
    }
  }

  @Test("Closing the client closes all of its connections, and waits for their calls")
  func closing() async throws {
    try await RedirectionNode.withTwo { a, b in
      let client = a.client()
      try await Self.echo(client)
      let chat = try await client.bidirectional(Methods.chat, options: .about("phone"))
      try await chat.send([1])
      var responses = chat.responses.makeAsyncIterator()
      #expect(try await responses.next() == [1])
      let steps = EventRecorder<String>()
      async let closed: Void = {
        await client.close()
        steps.record("closed")
      }()
      for number in UInt8(2)...20 {
        try await chat.send([number])
        #expect(try await responses.next() == [number])
      }
      steps.record("finishing")
      chat.finish()
      #expect(try await responses.next() == nil)
      await closed
      let first = await steps.next()
      #expect(first == "finishing")
      let status = await #expect(throws: RPCStatus.self) { try await Self.echo(client) }
      #expect(status?.message == "the client was closed")
    }
  }

  @Test("One client has many devices on many servers at once")
  func many() async throws {
    let directory = try TemporaryDirectory()
    let home = try await RedirectionNode(.unix(path: directory.file("home.sock")))
    var nodes: [RedirectionNode] = []
    for number in 0..<4 { nodes.append(try await RedirectionNode(.unix(path: directory.file("\(number).sock")))) }
    let endpoints = nodes.map(\.endpoint.description)
    home.answer { call in
      guard let number = call.metadata["number"].flatMap(Int.init) else { return }
      let endpoint = endpoints[number % endpoints.count]
      if call.acceptsMoved(to: endpoint) { throw RedirectionNode.moved(to: endpoint) }
    }
    let client = home.client()
    for round in 1...3 {
      try await withThrowingTaskGroup { group in
        for number in 0..<200 {
          group.addTask {
            var options = CallOptions.about("phone-\(number)")
            options.metadata.append("number", "\(number)")
            _ = try await client.unary(Methods.echo, [1], options: options)
          }
        }
        try await group.waitForAll()
      }
      #expect(home.callCount == 200 && nodes.allSatisfy { $0.callCount == 50 * round })
    }
    #expect(nodes.allSatisfy { $0.server.statistics.connectionsAccepted == 1 })
    await client.close()
    for node in nodes + [home] { await node.shutDown() }
  }
}

/// A TCP port that accepts connections and never sends.
private struct SilentListener {
  private let channel: any Channel
  let endpoint: Endpoint
  /// Recorded when a client has connected.
  let connections = EventRecorder<Void>()

  init() async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [connections] channel in
        connections.record()
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).get()
    endpoint = .tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
  }

  /// Returns a node that redirects clients to this server, and records when it does.
  func redirectingNode() async throws -> (RedirectionNode, EventRecorder<Void>) {
    let home = try await RedirectionNode(.tcp(host: "127.0.0.1", port: 0))
    let (asked, endpoint) = (EventRecorder<Void>(), "\(endpoint)")
    home.answer { call in
      guard call.acceptsMoved(to: endpoint) else { return }
      asked.record()
      throw RedirectionNode.moved(to: endpoint)
    }
    return (home, asked)
  }

  func close() async throws { try await channel.close() }
}
