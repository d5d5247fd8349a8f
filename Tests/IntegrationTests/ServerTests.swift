import MarqueeClient
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeStore
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Whole server", .timeLimit(.minutes(2)))
struct ServerTests {
  @Test("A second server on a data directory is rejected while the first one runs")
  func secondServer() async throws {
    try await InProcessServer.run { server in
      let error = #expect(throws: JournalError.self) {
        _ = try MarqueeServer(configuration: server.configuration, logger: .silent)
      }
      #expect(error?.code == .directoryLocked)
      let health = try await HealthClient(server.connection()).check()
      #expect(health == .serving)
    }
  }

  @Test("Stacks, timelines, current relevance and the front widget survive a restart")
  func restart() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let entries = [Fixture.entry(Fixture.start, "now", score: 5), Fixture.entry(Fixture.after(.hours(1)))]
      _ = try await sport.publish(1, Fixture.score, entries)
      let before = try await server.admin().inspect(Fixture.stack, on: Fixture.device)
      #expect(before.stack.frontWidget == Fixture.score)
      let screen = try await Watcher(server.display()).screen
      try await server.restart()
      #expect(try await server.admin().inspect(Fixture.stack, on: Fixture.device) == before)
      #expect(try await Watcher(server.display()).screen == screen)
    }
  }

  @Test("TCP serves the same services, including health checks by name")
  func tcp() async throws {
    let directory = try TemporaryDirectory()
    let policy = try directory.write(InProcessServer.openPolicy, to: "access.yaml")
    try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await Fixture.build(RPCClient(server.tcpEndpoint))
      let health = HealthClient(RPCClient(server.tcpEndpoint))
      for name in MarqueeServer.serviceNames.union([""]) { #expect(try await health.check(name) == .serving) }
      let end = try await callStatus { _ = try await health.check("marquee.v1.Nothing") }
      #expect(end?.code == .notFound)
      let list = try await health.list()
      #expect(list.map(\.service) == MarqueeServer.serviceNames.union([""]).sorted())
      #expect(list.allSatisfy { $0.status == .serving })
      #expect(try await server.admin().stacks(of: Fixture.device).count == 1)
    }
  }

  @Test("A health watch of an unknown service is answered with SERVICE_UNKNOWN and stays open until the server drains")
  func unknownService() async throws {
    try await InProcessServer.run { server in
      let connection = server.connection()
      let request = HealthCheckRequest(service: "marquee.v1.Nothing")
      let call = try await connection.serverStreaming(HealthService.watch, request)
      var states = call.responses.makeAsyncIterator()
      let first = try await states.nextInTime()
      #expect(first?.status == .serviceUnknown)
      // Clients that share a connection, as behind a proxy, watch at the same time.
      let other = try await connection.serverStreaming(HealthService.watch, HealthCheckRequest(service: ""))
      var others = other.responses.makeAsyncIterator()
      #expect(try await others.nextInTime()?.status == .serving)
      try await server.restart()
      let last = try await states.nextInTime()
      #expect(last == nil)
    }
  }

  @Test("The command checks one service or lists all, as text or as JSON")
  func healthCommand() async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      #expect(try await marquee("health") == ["SERVING"])
      let lines = try await marquee("health", "--all")
      #expect(lines.first?.split(separator: " ").map(String.init) == ["SERVICE", "STATUS"])
      #expect(lines.contains { $0.split(separator: " ").map(String.init) == ["server", "SERVING"] })
      #expect(lines.count == MarqueeServer.serviceNames.count + 2)
      let services = try await marquee.json("health", "--all")["services"].list
      #expect(services.map { $0["service"].text ?? "-" } == MarqueeServer.serviceNames.union([""]).sorted())
      #expect(services.allSatisfy { $0["status"].text == "SERVING" })
      let both = try await marquee.run(["health", "marquee.v1.Admin", "--all"])
      #expect(both.exit == .code(64) && both.errors.contains("a service cannot be combined with --all"))
    }
  }

  @Test("Two devices are independent, on the same or different shards")
  func isolation() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await Fixture.build(server.connection(), device: Fixture.otherDevice)
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), device: Fixture.otherDevice, app: Fixture.sportApp)
      #expect(
        try await provider.publish(1, Fixture.score, [Fixture.entry(Fixture.start, "x", score: 5)]) == .accepted(1))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setSmartRotate(false))
      guard case .stack(let stack) = try await watcher.next().change else { throw UnexpectedEvent() }
      #expect(!stack.isSmartRotateOn && stack.frontWidget == Fixture.forecast)
      #expect(try await server.dates(of: Fixture.score) == nil)
    }
  }
}
