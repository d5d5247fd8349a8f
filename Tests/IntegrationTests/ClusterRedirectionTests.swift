import Foundation
import MarqueeClient
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Testing

/// Clients that call the node that has their device, after another node has told them its address.
@Suite(
  "Redirection between nodes", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(5)))
struct ClusterRedirectionTests {
  /// The calls that a node, or all nodes together, did not handle.
  private struct Counts: Hashable {
    var forwarded = 0
    var redirected = 0
  }

  private static let metrics = ["--metrics-listen", "tcp:127.0.0.1:0"]

  private static func counts(_ nodes: [ClusterServers.Node]) async throws -> Counts {
    var counts = Counts()
    for node in nodes {
      for line in try await MetricsTests.lines(at: MetricsTests.address(of: node.daemon)) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { continue }
        switch words[0] {
        case "marquee_forwarded_calls_total": counts.forwarded += number
        case "marquee_redirects_total": counts.redirected += number
        default: break
        }
      }
    }
    return counts
  }

  /// Waits until each node serves its shards, and knows the nodes of the others.
  private static func settle(_ servers: ClusterServers, _ nodes: [ClusterServers.Node]) async throws {
    let owned = try await servers.shards().mapValues(\.count)
    for node in nodes {
      while true {
        let cluster = try await OperatorClient(node.connection).cluster()
        let known = Dictionary(cluster.nodes.map { ($0.name, $0.shardCount) }) { $1 }
        let lines = try await MetricsTests.lines(at: MetricsTests.address(of: node.daemon))
        if known == owned, lines.contains("marquee_shards_served \(Double(owned[node.name] ?? 0))") { break }
      }
    }
  }

  @Test("The first call about a device is redirected, and the second one goes to its node directly")
  func direct() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: true, options: { _ in Self.metrics }) { started in
      try await Self.settle(servers, started)
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let display = DisplayClient(RPCClient(servers.endpoint(nodes[1].name)))
      try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin)
      #expect(try await Self.counts(nodes) == Counts(redirected: 1))
      for _ in 1...5 { _ = try await display.time(of: Fixture.device) }
      _ = try await Watcher(display)
      #expect(try await Self.counts(nodes) == Counts(redirected: 1))
      // Clients that do not follow have their calls passed on.
      var configuration = ClientConfiguration()
      configuration.followsRedirects = false
      let still = RPCClient(servers.endpoint(nodes[1].name), configuration: configuration)
      _ = try await DisplayClient(still).time(of: Fixture.device)
      for callProtocol in TestProtocol.foreign {
        _ = try await DisplayClient(callProtocol.client(servers.endpoint(nodes[1].name))).time(of: Fixture.device)
      }
      #expect(try await Self.counts(nodes) == Counts(forwarded: 5, redirected: 1))
      // Where a device has moved is learned from the node that had it.
      try await OperatorClient(nodes[2].connection).moveShard(of: Fixture.device, to: nodes[2].name)
      _ = try await display.time(of: Fixture.device)
      let moved = try await Self.counts(nodes)
      for _ in 1...5 { _ = try await display.time(of: Fixture.device) }
      #expect(try await Self.counts(nodes) == moved)
      #expect(moved.forwarded == 5 && moved.redirected == 2)
      let marquee = Marquee(endpoint: servers.endpoint("a"), directory: servers.server.directory)
      let status = try await marquee.json("cluster", "status")
      #expect(
        status["nodes"].list.map { $0["advertised_address"].text }
          == ["a", "b", "c"].map { servers.endpoint($0).description })
      let lines = try await marquee("cluster", "status")
      #expect(
        lines[0].split(separator: " ").last == "ADVERTISED" && lines[1].hasSuffix(servers.endpoint("a").description))
    }
  }

  @Test("One connection has the providers and displays of many devices, each at its node")
  func many() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: true, options: { _ in Self.metrics }) { nodes in
      try await Self.settle(servers, nodes)
      let connection = RPCClient(servers.endpoint("a"))
      let display = DisplayClient(connection)
      let devices = try (1...30).map { try DeviceID("phone-\($0)") }
      for device in devices { try await Fixture.build(RPCClient(servers.endpoint("b")), device: device) }
      let before = try await Self.counts(nodes)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in devices {
          group.addTask {
            let kinds = Fixture.descriptors(of: [Fixture.score])
            try await ProviderClient.run(connection, device: device, app: Fixture.sportApp, kinds: kinds) { provider in
              var watcher = try await Watcher(display, device)
              let now = try await display.time(of: device).at
              try await provider.publish([Fixture.entry(now, "1 : 0")], policy: .never, for: Fixture.score)
              #expect(try await watcher.nextEntry().widget == Fixture.score)
            }
          }
        }
        try await group.waitForAll()
      }
      let after = try await Self.counts(nodes)
      #expect(after.forwarded == before.forwarded && after.redirected - before.redirected <= 3 * devices.count)
      await connection.close()
    }
  }

  @Test("When the node of a device is killed, its display and its calls continue at the next one, and directly again")
  func killed() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: true, options: { _ in Self.metrics }) { started in
      try await Self.settle(servers, started)
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let client = RPCClient(servers.endpoint(nodes[1].name), configuration: .eager)
      try await Fixture.build(client)
      let display = DisplayClient(client)
      var watcher = try await Watcher(display)
      try await nodes[0].daemon.kill()
      let start = ContinuousClock.now
      while let status = try await callStatus({ _ = try await display.time(of: Fixture.device) }) {
        #expect(status.code == .unavailable, "\(status)")
        try Task.checkCancellation()
      }
      #expect(start.duration(to: .now) < .seconds(2 * ClusterServers.lease))
      guard case .state = try await watcher.next().change else { throw UnexpectedEvent() }
      try await display.report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      #expect(try await watcher.nextFront().change.widget == Fixture.score)
      // A client that has not seen the failure is redirected to the next node, or is there.
      let other = DisplayClient(RPCClient(servers.endpoint(nodes[1].name)))
      _ = try await other.time(of: Fixture.device)
      let counts = try await Self.counts(Array(nodes[1...]))
      for _ in 1...5 { _ = try await other.time(of: Fixture.device) }
      #expect(try await Self.counts(Array(nodes[1...])) == counts)
    }
  }

  @Test("An address that clients cannot reach has their calls passed on")
  func unreachable() async throws {
    let servers = try ClusterServers()
    let options = { (name: String) in Self.metrics + ["--cluster-advertise", "unix:/nowhere/\(name).sock"] }
    try await servers.run(["a", "b"], options: options) { started in
      try await Self.settle(servers, started)
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let client = RPCClient(servers.endpoint(nodes[1].name))
      try await Fixture.build(client)
      let display = DisplayClient(client)
      for _ in 1...5 { _ = try await display.time(of: Fixture.device) }
      var watcher = try await Watcher(display)
      try await display.report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      #expect(try await watcher.nextFront().change.widget == Fixture.score)
      let counts = try await Self.counts(nodes)
      // The registration asks twice, and its calls that name no device and the stream once.
      #expect(counts == Counts(forwarded: 13, redirected: 5))
    }
  }

  @Test("Over TLS, clients with tokens are redirected to a node whose certificate they trust, and to no other")
  func tokens() async throws {
    let servers = try ClusterServers()
    let directory = servers.server.directory
    let mint = try TokenMint()
    let policy = try mint.write(to: directory)
    let authority = try await CertificateAuthority("authority", in: directory)
    let identity = try await authority.identity("localhost")
    let stranger = try await CertificateAuthority("stranger", in: directory).identity("localhost", file: "other")
    let ports = try await [Self.freePort(servers, "a"), Self.freePort(servers, "b"), Self.freePort(servers, "c")]
    func options(_ name: String) -> [String] {
      let port = ports[["a": 0, "b": 1, "c": 2][name]!]
      let tls = name == "c" ? stranger : identity
      return Self.metrics + [
        "--listen", "tcp:127.0.0.1:\(port)", "--cluster-advertise", "tcp:localhost:\(port)",
        "--tls-certificate-chain", tls.chain, "--tls-private-key", tls.key, "--access-policy", policy,
      ]
    }
    try await servers.run(["a", "b", "c"], options: options) { nodes in
      try await Self.settle(servers, nodes)
      let owned = try await servers.shards()
      func device(of node: String) throws -> DeviceID {
        try #require(
          try (1...99).map { try DeviceID("phone-\($0)") }.first {
            owned[node]?.contains(ShardID(of: $0, count: ClusterServers.shardCount)) ?? false
          })
      }
      let devices = try ["a", "b", "c"].map { try device(of: $0) }
      let token = try await mint.token(.init(role: "display", devices: devices.map(\.text)))
      let client = try authority.connection(to: .tcp(host: "127.0.0.1", port: ports[0]), token: token)
      let display = DisplayClient(client)
      for device in devices { try await display.registerDevice(device, timeZone: Fixture.berlin) }
      // The client does not trust the certificate of the third node.
      #expect(try await Self.counts([nodes[0]]) == Counts(forwarded: 1, redirected: 3))
      #expect(try await Self.counts(Array(nodes[1...])) == Counts())
      for device in devices { _ = try await display.time(of: device) }
      #expect(try await Self.counts([nodes[0]]) == Counts(forwarded: 2, redirected: 3))
      // A node authorizes a call before it redirects its client.
      let other = try DeviceID("other")
      let denied = try await callStatus { _ = try await display.time(of: other) }
      #expect(denied?.code == .permissionDenied)
      // A client cannot pretend that another node has passed its call on.
      var forged = CallOptions(affinity: devices[1].text)
      forged.metadata.append("marquee-forwarded-for", "user:0 user:0")
      let status = try await callStatus {
        _ = try await client.unary(
          DisplayService.getDeviceTime, GetDeviceTimeRequest(device: devices[1]), options: forged)
      }
      #expect(status?.code == .permissionDenied, "\(String(describing: status))")
      // The other node may not know a new session yet.
      let session = try await OperatorClient(nodes[0].connection).createSession(
        CreateSessionRequest(role: .display, device: devices[1], lifetime: .hours(1)))
      let browser = try authority.connection(to: .tcp(host: "127.0.0.1", port: ports[0]), token: session.token)
      let before = try await Self.counts(nodes)
      _ = try await DisplayClient(browser).time(of: devices[1])
      let after = try await Self.counts(nodes)
      #expect(after == Counts(forwarded: before.forwarded + 1, redirected: before.redirected))
    }
  }

  /// Returns a port without a listener.
  private static func freePort(_ servers: ClusterServers, _ name: String) async throws -> Int {
    let arguments = ["--data-dir", servers.server.directory.file("port-\(name)"), "--listen", "tcp:127.0.0.1:0"]
    let endpoint = try await Daemon.run(arguments) { $1[0] }
    guard case .tcp(_, let port) = endpoint else { throw UnexpectedEvent() }
    return port
  }
}
