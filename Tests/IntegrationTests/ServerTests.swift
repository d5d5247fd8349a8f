import MarqueeClient
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
      let error = #expect(throws: StoreError.self) {
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
      #expect(try await server.admin().stacks(of: Fixture.device).count == 1)
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
