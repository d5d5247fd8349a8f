import Foundation
import MarqueeClient
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Synchronization
import Testing

/// Processes of `marqueed` that share the devices of a database, and take over those of others.
@Suite(
  "Clusters of servers", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(5)))
struct ClusterServerTests {
  private static func register(_ device: DeviceID, _ connection: RPCClient) async throws {
    try await DisplayClient(connection).registerDevice(device, timeZone: Fixture.berlin)
  }

  private static func time(of device: DeviceID, _ connection: RPCClient) async throws {
    _ = try await DisplayClient(connection).time(of: device)
  }

  /// Asks one server for the time of a device, as another server does that passes a call on.
  private static func time(of device: DeviceID, on node: ClusterServers.Node) async throws {
    var options = CallOptions()
    options.metadata.append("marquee-forwarded-for", "user:0 user:0")
    _ = try await node.connection.unary(
      DisplayService.getDeviceTime, GetDeviceTimeRequest(device: device), options: options)
  }

  private static func shard(of device: DeviceID) -> ShardID {
    ShardID(of: device, count: ClusterServers.shardCount)
  }

  /// Registers devices at any of the nodes, one after the other, until the task is cancelled.
  ///
  /// - Returns: The devices whose registration was acknowledged.
  private static func registerMany(at nodes: [ClusterServers.Node]) async throws -> [DeviceID] {
    var acknowledged: [DeviceID] = []
    var number = 0
    while !Task.isCancelled {
      number += 1
      let device = try DeviceID("load-\(number)")
      for node in nodes {
        // Another node has the device, or this one has ended.
        guard try await callStatus({ try await register(device, node.connection) }) == nil else { continue }
        acknowledged.append(device)
        break
      }
    }
    return acknowledged
  }

  /// Waits until nodes serve devices, and returns the time that it took.
  private static func timeUntilServed(
    _ devices: [DeviceID], by nodes: [ClusterServers.Node], _ stop: () async throws -> Void
  ) async throws -> Duration {
    let start = ContinuousClock.now
    try await stop()
    for device in devices { try await ClusterServers.find(nodes) { try await time(of: device, $0) } }
    return start.duration(to: .now)
  }

  @Test(
    "The others serve the devices of a killed node in time and of a stopped one at once, and lose nothing",
    arguments: [false, true])
  func takeover(redirecting: Bool) async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: redirecting) { nodes in
      let devices = try (1...48).map { try DeviceID("phone-\($0)") }
      for device in devices { try await ClusterServers.find(nodes) { try await Self.register(device, $0) } }
      let owned = try await servers.shards()
      func part(of name: String, _ owned: [String: Set<ShardID>]) -> [DeviceID] {
        devices.filter { owned[name]?.contains(Self.shard(of: $0)) ?? false }
      }
      // Each has a part of the devices.
      for node in nodes {
        let own = part(of: node.name, owned)
        #expect(!own.isEmpty)
        for device in devices {
          let status = try await callStatus { try await Self.time(of: device, on: node) }
          #expect((status == nil) == own.contains(device))
        }
      }
      let load = Task { try await Self.registerMany(at: nodes) }
      let killed = try await Self.timeUntilServed(part(of: "a", owned), by: Array(nodes[1...])) {
        _ = try await nodes[0].daemon.kill()
      }
      // Two seconds after the lease on an idle machine.
      #expect(killed < .seconds(2 * ClusterServers.lease))
      let ownedByTwo = try await servers.shards()
      let stopped = try await Self.timeUntilServed(part(of: "b", ownedByTwo), by: [nodes[2]]) {
        nodes[1].daemon.send(signal: SIGTERM)
        let exit = try await nodes[1].daemon.wait()
        #expect(exit == .code(0))
      }
      #expect(stopped < .seconds(ClusterServers.lease))
      load.cancel()
      let acknowledged = try await load.value
      for device in devices + acknowledged {
        try await ClusterServers.find([nodes[2]]) { try await Self.time(of: device, $0) }
      }
      #expect(!acknowledged.isEmpty)
      nodes[2].daemon.send(signal: SIGTERM)
      #expect(try await nodes[2].daemon.wait() == .code(0))
    }
    let verified = try await PostgresServer.run(["verify"] + servers.server.options)
    #expect(verified.exit == .code(0), "\(verified.log)")
  }

  @Test("A suspended node answers nothing when it continues after its lease, and ends because others have its devices")
  func suspended() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { nodes in
      let owned = try await servers.shards()
      let all = try (1...99).map { try DeviceID("phone-\($0)") }
      let device = try #require(all.first { owned["a"]?.contains(Self.shard(of: $0)) ?? false })
      try await Self.register(device, nodes[0].connection)
      nodes[0].daemon.send(signal: SIGSTOP)
      try await ClusterServers.find([nodes[1]]) { try await Self.time(of: device, $0) }
      let late = Task { try await callStatus { try await Self.time(of: device, nodes[0].connection) } }
      nodes[0].daemon.send(signal: SIGCONT)
      #expect(try await late.value?.code == .unavailable)
      #expect(try await nodes[0].daemon.wait() == .code(1))
      try await Self.time(of: device, nodes[1].connection)
    }
  }

  @Test("A node without its database stops answering before its lease ends, and goes on when the database is back")
  func unreachable() async throws {
    let database = try PostgresProcess()
    let servers = try ClusterServers(database)
    try await servers.run(["a"]) { nodes in
      let device = Fixture.device
      try await ClusterServers.find(nodes) { try await Self.register(device, $0) }
      let start = ContinuousClock.now
      try database.kill()
      while try await callStatus({ try await Self.time(of: device, nodes[0].connection) }) == nil {}
      let status = try await callStatus { try await Self.time(of: device, nodes[0].connection) }
      #expect(status?.code == .unavailable && status?.message.contains("cannot renew its lease") == true)
      // A second before the end of the lease on an idle machine.
      #expect(start.duration(to: .now) < .seconds(ClusterServers.lease + 2))
      try database.start()
      try await ClusterServers.find(nodes) { try await Self.time(of: device, $0) }
      nodes[0].daemon.send(signal: SIGTERM)
      #expect(try await nodes[0].daemon.wait() == .code(0))
    }
    database.remove()
  }

  @Test("A node of the same name, with other shards, of another format, or without a cluster's database is refused")
  func refused() async throws {
    let servers = try ClusterServers()
    func expectRefusal(_ arguments: [String], _ reason: String) async throws {
      let (exit, log) = try await PostgresServer.run(arguments)
      #expect(exit == .code(78) && log.contains(reason), "\(log)")
    }
    let alone = DaemonTests.arguments(servers.server.directory)
    try await expectRefusal(alone + ["--cluster-node", "a"], "cluster: must not be set without store")
    try await expectRefusal(
      alone + servers.server.options + ["--cluster-lease", "5"], "cluster.node: required setting is missing")
    try await expectRefusal(
      alone + servers.server.options + ["--cluster-advertise", "unix:/a"], "cluster.node: required setting is missing")
    try await expectRefusal(
      servers.arguments("b") + ["--cluster-advertise", "tcp:0.0.0.0:1"],
      "cluster.advertise: tcp:0.0.0.0:1 is no address that clients can connect to")
    try await expectRefusal(servers.arguments("b") + ["--cluster-advertise", "b"], "cluster.advertise: ")
    for (option, value, reason) in [
      ("--cluster-lease", "2", "cluster.lease: 2.0 seconds is out of range: must be 3 to 3600 seconds"),
      ("--cluster-address", "tcp:0.0.0.0:1", "cluster.address: tcp:0.0.0.0:1 is no address"),
      ("--cluster-node", "", "cluster.node: the name must have 1 to 255 bytes"),
    ] {
      var arguments = servers.arguments("b")
      let index = try #require(arguments.firstIndex(of: option))
      arguments[index + 1] = value
      try await expectRefusal(arguments, reason)
    }
    try await servers.run(["a"]) { nodes in
      try await expectRefusal(
        servers.arguments("b", shardCount: 32), "it has 64 shards, and this node is configured for 32 (cluster.")
      try await expectRefusal(servers.arguments("b", name: "a"), "cluster.node: a node of this name is running")
      try await expectRefusal(
        servers.arguments("b", address: servers.endpoint("a")), "cluster.address: the node a is running at this address"
      )
      try await expectRefusal(alone + servers.server.options, "it belongs to a cluster of nodes")
      nodes[0].daemon.send(signal: SIGTERM)
      #expect(try await nodes[0].daemon.wait() == .code(0))
    }
    try await servers.server.execute("UPDATE marquee.cluster SET format = 9001")
    try await expectRefusal(servers.arguments("b"), "its format is 9001")
    let other = try ClusterServers()
    try await Daemon.run(other.server.arguments) { _, _ in }
    try await expectRefusal(other.arguments("b"), "it belongs to a single server")
  }

  @Test("A node whose database does not answer gives nothing away, and closes its sockets after the grace")
  func silentDatabase() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a"], options: { _ in ["--shutdown-grace", "1"] }) { nodes in
      let process = try await servers.keeperProcess()
      kill(process, SIGSTOP)
      defer { kill(process, SIGCONT) }
      nodes[0].daemon.send(signal: SIGTERM)
      let start = ContinuousClock.now
      while FileManager.default.fileExists(atPath: servers.socket("a")) { try await Task.sleep(for: .milliseconds(20)) }
      #expect(start.duration(to: .now) < .seconds(5))
      kill(process, SIGCONT)
      #expect(try await nodes[0].daemon.wait() == .code(0))
    }
  }
}
