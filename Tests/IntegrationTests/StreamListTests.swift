import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Testing

/// `ListStreams` and `marquee streams`.
@Suite("Lists of open streams", .timeLimit(.minutes(2)))
struct StreamListTests {
  /// Waits until a server has as many streams as expected: the ends of streams arrive after the calls that end them.
  private static func streams(_ operators: OperatorClient, count: Int) async throws -> [StreamSummary] {
    for _ in 0..<500 {
      let response = try await operators.streams()
      if response.streamCount == count { return response.streams }
      try await Task.sleep(for: .milliseconds(10))
    }
    return try await operators.streams().streams
  }

  @Test("Streams of providers and displays are listed with who opened them and how, until they end")
  func streams() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let before = Date.now.timeIntervalSince1970 - 1
      let operators = server.admin()
      #expect(try await operators.streams().streams.isEmpty)
      do {
        let provider = try await ProviderStream(TestProtocol.native.client(server.endpoint), app: Fixture.sportApp)
        let grpc = TestProtocol.grpc.client(server.endpoint)
        // Outside a cluster, no server passes calls on, whatever the metadata says.
        var options = CallOptions()
        options.metadata.append("marquee-forwarded-for", "user:0 user:0")
        let watch = try await grpc.serverStreaming(
          DisplayService.watch, WatchRequest(device: Fixture.device), options: options)
        var updates = watch.responses.makeAsyncIterator()
        #expect(try await updates.next() != nil)
        var activity = try operators.activity().makeAsyncIterator()
        #expect(try await activity.next() == .started)
        let all = try await operators.streams()
        #expect(all.streamCount == 3)
        let methods = ["Provider/Provide", "Display/Watch", "Admin/WatchActivity"]
        #expect(all.streams.map(\.method) == methods.map { "marquee.v1.\($0)" })
        #expect(all.streams.map(\.device) == [Fixture.device, Fixture.device, nil])
        #expect(all.streams.map(\.app) == [Fixture.sportApp, nil, nil])
        #expect(all.streams.prefix(2).map(\.callProtocol) == ["native", "grpc"])
        #expect(all.streams[1].address == "unix" && all.streams[1].principal == "user \(getuid())")
        #expect(all.streams.allSatisfy { $0.node.isEmpty && Double($0.opened.milliseconds) >= before * 1_000 })
        #expect(all.streams.allSatisfy { $0.opened <= all.at })
        #expect(try await operators.streams(of: Fixture.device).streams == Array(all.streams.prefix(2)))
        #expect(try await operators.streams(of: Fixture.otherDevice).streamCount == 0)
        let first = try await operators.streams(count: 1)
        #expect(first.streams == [all.streams[0]] && first.streamCount == 3)

        let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
        let lines = try await marquee("streams", Fixture.device.text)
        #expect(lines.count == 3 && !lines[0].contains("NODE"))
        #expect(lines[1].contains("Provider/Provide") && lines[1].contains(Fixture.sportApp.text))
        #expect(["Display/Watch", "grpc", "user \(getuid())"].allSatisfy(lines[2].contains), "\(lines[2])")
        let json = try await marquee.json("streams")
        #expect(json["stream_count"].number == 3 && json["streams"].list.count == 3)
        #expect(json["streams"].list[1]["device"].text == Fixture.device.text)
        let unknown = try await marquee.run(["streams", "nothing"])
        #expect(unknown.exit == .code(1) && unknown.errors.contains("nothing"))
        _ = provider
      }
      #expect(try await Self.streams(operators, count: 0).isEmpty, "the clients are released")
    }
  }

  @Test(
    "The activity of all nodes does not begin while one of them cannot be reached, and the reason is returned",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func unreachable() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { nodes in
      try await nodes[1].daemon.kill()
      let call = try await nodes[0].connection.serverStreaming(
        AdminService.watchActivity, WatchActivityRequest(devices: []))
      var updates = call.responses.makeAsyncIterator()
      var first: WatchActivityResponse?
      let status = try await callStatus { first = try await updates.next() }
      #expect(first == nil && status?.code == .unavailable)
      #expect(status?.message.hasPrefix("the server b is not available") == true, "\(String(describing: status))")
      // A command ends with it.
      let marquee = Marquee(endpoint: servers.endpoint("a"), directory: servers.server.directory)
      let command = try await marquee.run(["activity"])
      #expect(command.exit == .code(69) && command.errors.contains("the server b"), "\(command.errors)")
    }
  }

  @Test("A stream that begins when the server has said that it stops ends at once")
  func lateStream() async throws {
    try await InProcessServer.run({ $0.shutdownGrace = .seconds(30) }) { server in
      try await Fixture.build(server.connection())
      var client = try await GRPCRawClient(server.endpoint)
      async let stopped: Void = server.restart()
      while let frame = await client.next(), frame.type != 7 {}
      client.call(1, DisplayService.watch.path, WireBytes.field(1, Fixture.device.text))
      let response = await client.response(of: 1)
      #expect(response.code == "\(StatusCode.unavailable.rawValue)", "\(response.headers)")
      let start = ContinuousClock.now
      try await stopped
      #expect(start.duration(to: .now) < .seconds(15))
    }
  }

  @Test(
    "A node lists the streams of all nodes, each once and at the node of its client",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func cluster() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      try await Fixture.build(nodes[0].connection)
      var watchers: [Watcher] = []
      for node in nodes { watchers.append(try await Watcher(DisplayClient(node.connection))) }
      for node in nodes {
        let streams = try await OperatorClient(node.connection).streams(of: Fixture.device).streams
        #expect(streams.map(\.method) == [String](repeating: "marquee.v1.Display/Watch", count: 2))
        #expect(Set(streams.map(\.node)) == ["a", "b"])
      }
      watchers = []
      // A node without shards has streams, too.
      try await OperatorClient(nodes[1].connection).drain(node: nodes[0].name)
      var activity = try OperatorClient(nodes[0].connection).activity().makeAsyncIterator()
      #expect(try await activity.next() == .started)
      for node in nodes {
        let streams = try await OperatorClient(node.connection).streams().streams
        #expect(streams.contains { $0.node == nodes[0].name && $0.device == nil }, "\(streams)")
      }
    }
  }
}
