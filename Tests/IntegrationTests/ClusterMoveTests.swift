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

/// Shards that operators move between nodes that go on: `marquee cluster move` and `marquee cluster drain`.
@Suite(
  "Moves between running nodes", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(5)))
struct ClusterMoveTests {
  /// The node at which a client is.
  enum Position: Int, CaseIterable {
    /// It has the device at first.
    case source
    /// The device moves to it.
    case target
    /// It never has the device.
    case other
  }

  /// Reads the time of a device again and again until `isOver`.
  ///
  /// - Returns: The number of calls that succeeded, and the errors of the others.
  private static func read(
    _ device: DeviceID, at endpoint: Endpoint, until isOver: () -> Bool
  ) async throws -> (count: Int, errors: [RPCStatus]) {
    let display = DisplayClient(RPCClient(endpoint))
    var (count, errors) = (0, [RPCStatus]())
    while !isOver(), !Task.isCancelled {
      if let error = try await callStatus({ _ = try await display.time(of: device) }) {
        errors.append(error)
      } else {
        count += 1
      }
    }
    return (count, errors)
  }

  @Test(
    "When a device moves between running nodes, streams end once and begin again, and no call fails",
    arguments: Position.allCases, [false, true])
  func streams(at position: Position, redirecting: Bool) async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: redirecting) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let node = nodes[position.rawValue]
      try await Fixture.build(node.connection)
      let isOver = Mutex(false)
      async let reading = Self.read(Fixture.device, at: servers.endpoint(node.name)) { isOver.withLock(\.self) }
      var watcher = try await Watcher(DisplayClient(node.connection))
      for (from, to) in [(0, 1), (1, 0), (0, 1), (1, 0)] {
        let watch = try await node.connection.serverStreaming(
          DisplayService.watch, WatchRequest(device: Fixture.device))
        var updates = watch.responses.makeAsyncIterator()
        guard case .state? = try await updates.nextInTime()?.change else { throw UnexpectedEvent() }
        var provider = try await ProviderStream(node.connection, app: Fixture.sportApp)
        let moved = try await OperatorClient(nodes[2].connection).moveShard(of: Fixture.device, to: nodes[to].name)
        #expect(
          moved.previousNode == nodes[from].name && moved.node == nodes[to].name && moved.targetNode == moved.node)
        // No second state, and no second attachment.
        let ended = try await callStatus {
          while let update = try await updates.nextInTime() {
            if case .state = update.change { throw UnexpectedEvent() }
          }
        }
        #expect(ended?.code == .unavailable && ended?.isRefusal == false, "\(String(describing: ended))")
        #expect(ended?.retryDelay == .zero)
        let detached = try await callStatus { while true { _ = try await provider.next() } }
        #expect(detached?.code == .unavailable, "\(String(describing: detached))")
        // A display that reconnects has the state from the new node, and follows.
        guard case .state = try await watcher.next().change else { throw UnexpectedEvent() }
        let front = watcher.screen.stacks[Fixture.stack]?.frontWidget
        let next = front == Fixture.score ? Fixture.forecast : Fixture.score
        try await DisplayClient(nodes[2].connection).report(.scrolled(Fixture.stack, to: next), on: Fixture.device)
        #expect(try await watcher.nextFront().change.widget == next)
      }
      isOver.withLock { $0 = true }
      let (count, errors) = try await reading
      #expect(count > 0 && errors.isEmpty, "\(count) succeeded, and failed: \(errors)")
    }
  }

  @Test("A node that is drained has no shards, passes calls on, and gets them back when that is undone")
  func drain() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { nodes in
      let marquee = Marquee(endpoint: servers.endpoint("b"), directory: servers.server.directory)
      let devices = try (1...24).map { try DeviceID("phone-\($0)") }
      let isOver = Mutex(false)
      async let load = CallForwardingTests.register(devices, at: servers.endpoint("a")) { isOver.withLock(\.self) }
      for (line, offered) in [
        (["drain"], ["a", "b", "c"]), (["move"], []), (["move", "3"], ["a", "b", "c"]),
        (["move", "--device", "phone-1"], ["a", "b", "c"]), (["move", "--wait", "5"], []),
      ] {
        let words = ["marquee", "cluster"] + line + [""]
        let completion = ["---completion", "cluster", line[0], "--", "positional@0", "\(words.count - 1)", "0"]
        #expect(try await marquee.run(completion + words).output.split(separator: "\n").map(String.init) == offered)
      }
      let before = try await servers.shards()
      let count = try #require(before["a"]?.count)
      let drained = try await marquee.json("cluster", "drain", "a")
      #expect(drained["node"].text == "a" && drained["draining"].flag == true)
      #expect(drained["moved_shard_count"].number == Double(count))
      #expect(drained["shard_count"].number == 0 && drained["pending_shard_count"].number == 0)
      let during = try await servers.shards()
      #expect(during["a"] == nil && during.values.map(\.count).reduce(0, +) == ClusterServers.shardCount)
      let status = try await marquee.json("cluster", "status")
      #expect(status["nodes"].list.map { $0["draining"].flag } == [true, false, false])
      #expect(status["moving_shard_count"].number == 0)
      // Repeated, it changes nothing.
      let lines = try await marquee("cluster", "drain", "a")
      #expect(lines == ["a is draining: 0 shards have moved, and it has 0."])
      let undone = try await marquee("cluster", "drain", "a", "--undo")
      #expect(undone == ["a receives shards again: \(count) shards have moved, and it has \(count)."])
      #expect(try await servers.shards() == before)
      isOver.withLock { $0 = true }
      let (callCount, errors) = try await load
      #expect(callCount > 0 && errors.isEmpty, "\(callCount) succeeded, and failed: \(errors)")
      // A restart ends it, too.
      _ = try await marquee("cluster", "drain", "a")
      nodes[0].daemon.send(signal: SIGTERM)
      #expect(try await nodes[0].daemon.wait() == .code(0))
      let restarted = try Daemon(servers.arguments("a"))
      defer { restarted.send(signal: SIGKILL) }
      _ = try await restarted.listening()
      try await servers.waitUntilBalanced(3)
    }
  }

  @Test("A shard stays where it was placed while the node lives and is not draining, or until that is undone")
  func place() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let marquee = Marquee(endpoint: servers.endpoint(nodes[2].name), directory: servers.server.directory)
      let (source, target) = (nodes[0].name, nodes[1].name)
      try await Fixture.build(nodes[0].connection)
      let shard = ShardID(of: Fixture.device, count: ClusterServers.shardCount)
      func owner() async throws -> String? { try await servers.shards().first { $0.value.contains(shard) }?.key }
      #expect(
        try await marquee("cluster", "move", "--device", Fixture.device.text, target)
          == ["Shard \(shard) has moved from \(source) to \(target)."])
      #expect(try await owner() == target)
      #expect(try await marquee("cluster", "move", "\(shard)", target) == ["Shard \(shard) stays on \(target)."])
      let status = try await marquee("cluster", "status")
      #expect(status.contains("Placed on \(target): \(shard)"), "\(status)")
      // A node that joins does not take it back, nor do the others balance it.
      let joined = try Daemon(servers.arguments("d"))
      defer { joined.send(signal: SIGKILL) }
      _ = try await joined.listening()
      var nodeCount = 0.0
      while nodeCount < 4 {
        let status = try await marquee.json("cluster", "status")
        nodeCount = Double(status["nodes"].list.count { $0["shard_count"].number ?? 0 > 0 })
        if status["moving_shard_count"].number ?? 1 > 0 { nodeCount = 0 }
      }
      #expect(try await owner() == target)
      // It is back after the node has been draining.
      _ = try await marquee("cluster", "drain", target)
      #expect(try await owner() != target)
      let refused = try await marquee.run(["cluster", "move", "\(shard)", target])
      #expect(refused.exit == .code(1) && refused.errors.contains("node: the server is draining"), "\(refused.errors)")
      _ = try await marquee("cluster", "drain", target, "--undo")
      #expect(try await owner() == target)
      let undone = try await marquee.json("cluster", "move", "\(shard)", "--undo")
      #expect(undone["previous_node"].text == target && undone["moved"].flag == true)
      #expect(try await owner() == undone["node"].text && undone["node"].text != target)
      #expect(try await marquee.json("cluster", "status")["placed_shards"].list.isEmpty)
      // A placement ends with its node.
      _ = try await marquee("cluster", "move", "\(shard)", target)
      _ = try await nodes[1].daemon.kill()
      while try await owner() == target {}
      #expect(try await marquee.json("cluster", "status")["placed_shards"].list.isEmpty)
    }
  }

  @Test("Nodes and shards that do not exist, and a drain of the last node, are refused, and change nothing")
  func refused() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a"]) { nodes in
      let marquee = Marquee(endpoint: servers.endpoint("a"), directory: servers.server.directory)
      let before = try await servers.shards()
      for (arguments, reason) in [
        (["drain", "x"], "node: no server of the cluster has this name"),
        (["drain", ""], "node: required field is missing"),
        (["drain", "a"], "node: no other server of the cluster would receive its shards"),
        (["move", "64", "a"], "shard: 64 is out of range: the cluster has the shards 0 to 63"),
        (["move", "64", "--undo"], "shard: 64 is out of range"),
        (["move", "1", "x"], "node: no server of the cluster has this name"),
        (["move", "1", ""], "node: required field is missing"),
      ] {
        let outcome = try await marquee.run(["cluster"] + arguments)
        #expect(outcome.exit == .code(1) && outcome.errors.contains(reason), "\(arguments): \(outcome.errors)")
      }
      for arguments in [
        ["move"], ["move", "1"], ["move", "a", "1"], ["move", "1", "a", "b"], ["move", "--device", "d", "1", "a"],
        ["move", "--undo"], ["move", "-1", "a"], ["move", "1", "a", "--wait", "0"], ["drain"],
        ["drain", "a", "--wait", "61"],
      ] {
        let outcome = try await marquee.run(["cluster"] + arguments)
        #expect(outcome.exit == .code(64), "\(arguments): \(outcome.errors)")
      }
      for request in [
        MoveShardRequest(node: "a", isUndo: false),
        MoveShardRequest(shard: 1, device: Fixture.device, node: "a", isUndo: false),
        MoveShardRequest(shard: 1, node: "a", isUndo: true),
      ] {
        let status = try await callStatus { _ = try await nodes[0].connection.unary(AdminService.moveShard, request) }
        #expect(status?.code == .invalidArgument, "\(request): \(String(describing: status))")
      }
      let status = try await marquee.json("cluster", "status")
      #expect(try await servers.shards() == before && status["placed_shards"].list.isEmpty)
      #expect(status["nodes"].list.map { $0["draining"].flag } == [false])
    }
  }

  /// The commands of the article *Clusters*.
  private static let commands = [
    "marquee cluster drain kitchen", "marquee cluster drain kitchen --undo",
    "marquee cluster move --device phone hall", "marquee cluster move --device phone --undo",
  ]

  @Test("The commands of the article succeed")
  func article() async throws {
    let servers = try ClusterServers()
    try await servers.run(["kitchen", "hall"]) { nodes in
      try await Fixture.build(nodes[0].connection)
      let marquee = Marquee(endpoint: servers.endpoint("hall"), directory: servers.server.directory)
      for command in Self.commands {
        let outcome = try await marquee.run(command.split(separator: " ").dropFirst().map(String.init))
        #expect(outcome.exit == .code(0), "\(command): \(outcome.errors)")
      }
    }
  }

  @Test("If a shard does not move in time, the command says so, and the shard moves later")
  func late() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let marquee = Marquee(endpoint: servers.endpoint(nodes[1].name), directory: servers.server.directory)
      try await Fixture.build(nodes[0].connection)
      nodes[0].daemon.send(signal: SIGSTOP)
      let moved = try await marquee.run(
        ["cluster", "move", "--device", Fixture.device.text, nodes[1].name, "--wait", "1", "--json"])
      #expect(moved.exit == .code(69) && moved.errors.contains("within 1 s"), "\(moved.errors)")
      #expect(moved.output.contains("\"moved\": false"), "\(moved.output)")
      nodes[0].daemon.send(signal: SIGCONT)
      let unknown = try await marquee.run(["cluster", "move", "--device", "nothing", nodes[1].name])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("nothing"), "\(unknown.errors)")
      _ = try await marquee("cluster", "move", "--device", Fixture.device.text, nodes[1].name)
    }
  }

  @Test("A device that comes back to a node has the name that its app gave at another one meanwhile")
  func appName() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      let (connection, operators) = (nodes[2].connection, OperatorClient(nodes[2].connection))
      try await Fixture.build(connection)
      for (name, next) in [("Wetter", 1), ("Wetter 2", 0)] {
        let provider = try await QueryProvider(connection, phrases: PhraseBook(applicationName: name, shortcuts: []))
        let watcher = try await Watcher(DisplayClient(connection))
        #expect(watcher.screen.labels[Fixture.forecast]?.appName == name)
        _ = try await operators.moveShard(of: Fixture.device, to: nodes[next].name)
        provider.call.cancel()
      }
      #expect(try await Watcher(DisplayClient(connection)).screen.labels[Fixture.forecast]?.appName == "Wetter 2")
    }
  }

  @Test("The activity of all nodes arrives at each, and a removed device's sessions end at all nodes")
  func allNodes() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { nodes in
      let devices = try (1...12).map { try DeviceID("phone-\($0)") }
      // Without shards, a node has sessions all the same.
      try await OperatorClient(nodes[1].connection).drain(node: "a")
      var streams: [ActivityUpdates.AsyncIterator] = []
      for node in nodes {
        var updates = try OperatorClient(node.connection).activity().makeAsyncIterator()
        #expect(try await updates.next() == .started)
        streams.append(updates)
      }
      for device in devices { try await Fixture.build(nodes[2].connection, device: device) }
      for index in streams.indices {
        var seen: Set<DeviceID> = []
        while seen.count < devices.count {
          if case .activity(let activity)? = try await streams[index].next() { seen.insert(activity.device) }
        }
      }
      var sessions: [SessionID] = []
      for node in nodes {
        let request = try CreateSessionRequest(role: .display, device: devices[0], lifetime: .hours(1))
        sessions.append(try await OperatorClient(node.connection).createSession(request).session.id)
        _ = try await OperatorClient(node.connection).createSession(
          CreateSessionRequest(role: .display, device: devices[1], lifetime: .hours(1)))
      }
      #expect(try await OperatorClient(nodes[0].connection).removeDevice(devices[0]))
      for node in nodes {
        let operators = OperatorClient(node.connection)
        // The sessions of all nodes are in one database, which each reads again a moment after a change.
        for _ in 0..<300 where try await operators.sessions().count != nodes.count {
          try await Task.sleep(for: .milliseconds(10))
        }
        let left = try await operators.sessions()
        #expect(left.count == nodes.count && left.allSatisfy { $0.device == devices[1] })
        #expect(Set(left.map(\.id)).isDisjoint(with: sessions))
      }
      #expect(try await !OperatorClient(nodes[1].connection).removeDevice(devices[0]))
    }
  }
}
