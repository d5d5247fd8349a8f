import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Testing

/// Sessions of the clients of a cluster.
@Suite(
  "Sessions of a cluster", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(2)))
struct ClusterSessionTests {
  /// Waits until calls with a token succeed at a node, or fail with a status.
  private static func status(
    _ display: DisplayClient, becomes code: StatusCode?
  ) async throws -> RPCStatus? {
    var status: RPCStatus?
    for _ in 0..<300 {
      status = try await callStatus { _ = try await display.time(of: Fixture.device) }
      if status?.code == code { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    return status
  }

  @Test("W5 A kiosk's session receives no private entries at the node of its device, nor at another one")
  func kiosk() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { nodes in
      try await Fixture.build(nodes[0].connection)
      var provider = try await ProviderStream(nodes[0].connection, app: Fixture.weatherApp)
      let content = try EntryContent(mediaType: "text/plain", bytes: Array("secret".utf8))
      let entry = try TimelineEntry(
        date: Fixture.start, content: content, details: EntryDetails(sensitivity: .isPrivate(nil)))
      #expect(try await provider.publish(1, Fixture.forecast, [entry]) == .accepted(1))
      for (role, shown) in [(SessionRole.kiosk, ScreenState.shared), (.display, .unlocked)] {
        let request = try CreateSessionRequest(role: role, device: Fixture.device, lifetime: .hours(1))
        let token = try await OperatorClient(nodes[0].connection).createSession(request).token
        for node in nodes {
          let display = DisplayClient(TestProtocol.native.client(servers.endpoint(node.name), .bearing(token)))
          #expect(try await Self.status(display, becomes: nil) == nil)
          var updates = try display.watch(Fixture.device, on: .unlocked).makeAsyncIterator()
          guard case .state(let state) = try await updates.next()?.change else { throw UnexpectedEvent() }
          #expect(state.entries == [CurrentEntry(Fixture.forecast.small, entry).on(shown)], "\(role) at \(node.name)")
        }
      }
    }
  }

  @Test("A session of one node is accepted, listed and revoked at the others, and outlasts its node")
  func shared() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { nodes in
      try await Fixture.build(nodes[0].connection)
      let request = try CreateSessionRequest(role: .display, device: Fixture.device, lifetime: .hours(1))
      let created = try await OperatorClient(nodes[0].connection).createSession(request)
      let other = try await OperatorClient(nodes[1].connection).createSession(request)
      let clients = nodes.map { TestProtocol.native.client(servers.endpoint($0.name), .bearing(created.token)) }
      for client in clients {
        #expect(try await Self.status(DisplayClient(client), becomes: nil) == nil)
      }
      for node in nodes {
        let operators = OperatorClient(node.connection)
        // Another node learns of a session a moment later.
        for _ in 0..<300 where try await operators.sessions().count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await Set(operators.sessions().map(\.id)) == [created.session.id, other.session.id])
      }
      let watch = try await clients[0].serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
      var updates = watch.responses.makeAsyncIterator()
      #expect(try await updates.nextInTime() != nil)
      #expect(try await OperatorClient(nodes[1].connection).revokeSession(created.session.id))
      let end = try await callStatus { while try await updates.nextInTime() != nil {} }
      #expect(end?.code == .unauthenticated, "\(String(describing: end))")
      for client in clients {
        #expect(try await Self.status(DisplayClient(client), becomes: .unauthenticated)?.code == .unauthenticated)
      }
      #expect(try await !OperatorClient(nodes[0].connection).revokeSession(created.session.id))

      // A node that changes the sessions itself meanwhile ends what revoked ones are in use for all the same.
      for _ in 0..<3 {
        let revoked = try await OperatorClient(nodes[0].connection).createSession(request)
        let client = TestProtocol.native.client(servers.endpoint("b"), .bearing(revoked.token))
        #expect(try await Self.status(DisplayClient(client), becomes: nil) == nil)
        #expect(try await OperatorClient(nodes[0].connection).revokeSession(revoked.session.id))
        _ = try await OperatorClient(nodes[1].connection).createSession(request)
        #expect(try await Self.status(DisplayClient(client), becomes: .unauthenticated)?.code == .unauthenticated)
      }
      // A failover that loses changes has the database in an earlier state.
      try await servers.server.execute(
        "DELETE FROM marquee.session WHERE id = '\(other.session.id.text)'",
        "UPDATE marquee.cluster SET session_version = 0")
      let last = try await OperatorClient(nodes[1].connection).createSession(request)
      for name in ["a", "b"] {
        let client = TestProtocol.native.client(servers.endpoint(name), .bearing(other.token))
        #expect(try await Self.status(DisplayClient(client), becomes: .unauthenticated)?.code == .unauthenticated)
      }

      // The node that has created it ends, and its shards pass to the other one.
      let left = DisplayClient(TestProtocol.native.client(servers.endpoint("a"), .bearing(last.token)))
      #expect(try await Self.status(left, becomes: nil) == nil)
      try await nodes[1].daemon.kill()
      let status = try await callStatus { _ = try await left.time(of: Fixture.device) }
      #expect(status?.code != .unauthenticated, "\(String(describing: status))")
    }
  }
}
