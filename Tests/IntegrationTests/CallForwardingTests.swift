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

/// Calls at nodes of a cluster that do not have the device.
@Suite(
  "Calls at any node of a cluster", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(5)))
struct CallForwardingTests {
  /// The nodes, beginning with that which has the device.
  static func nodes(
    _ servers: ClusterServers, _ nodes: [ClusterServers.Node], device: DeviceID = Fixture.device
  ) async throws -> [ClusterServers.Node] {
    let owned = try await servers.shards()
    let shard = ShardID(of: device, count: ClusterServers.shardCount)
    let owner = try #require(nodes.firstIndex { owned[$0.name]?.contains(shard) ?? false })
    return [nodes[owner]] + nodes[..<owner] + nodes[(owner + 1)...]
  }

  /// Registers devices again and again, with other time zones, until `isOver`.
  ///
  /// - Parameter pause: The time between two calls.
  /// - Returns: The number of calls that succeeded, and the errors of the others.
  static func register(
    _ devices: [DeviceID], at endpoint: Endpoint, pause: Duration = .zero, until isOver: () -> Bool
  ) async throws -> (count: Int, errors: [RPCStatus]) {
    let display = DisplayClient(RPCClient(endpoint))
    let zones = [Fixture.berlin, try TimeZoneID("UTC")]
    var (round, count, errors) = (0, 0, [RPCStatus]())
    while !isOver(), !Task.isCancelled {
      round += 1
      for device in devices {
        let error = try await callStatus { try await display.registerDevice(device, timeZone: zones[round % 2]) }
        if let error { errors.append(error) } else { count += 1 }
        if pause > .zero { try await Task.sleep(for: pause) }
      }
    }
    return (count, errors)
  }

  @Test(
    "Unary calls, updates, timelines and intents pass through nodes that do not have the device, in each protocol",
    arguments: TestProtocol.allCases)
  func calls(over callProtocol: TestProtocol) async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { started in
      let nodes = try await Self.nodes(servers, started)
      let first = callProtocol.client(servers.endpoint(nodes[1].name))
      let second = callProtocol.client(servers.endpoint(nodes[2].name))
      let duplex = (callProtocol.isDuplex ? callProtocol : .native).client(servers.endpoint(nodes[1].name))
      try await Fixture.build(first)
      let display = DisplayClient(second)
      var watcher = try await Watcher(display)
      try await DisplayClient(first).report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      #expect(try await watcher.nextFront().change.widget == Fixture.score)

      var provider = try await ProviderStream(duplex, app: Fixture.sportApp)
      let now = try await display.time(of: Fixture.device).at
      #expect(try await provider.publish(1, Fixture.score, [Fixture.entry(now, "1 : 0")]) == .accepted(1))
      #expect(try await watcher.nextEntry().widget == Fixture.score)

      var queries = try await QueryProvider(duplex)
      let query = try OptionsQuery(
        intent: Intent(type: IntentType("CityIntent")), parameter: .init("city"), count: 2)
      let options = Task { try await display.options(query, of: Fixture.weatherApp, on: Fixture.device) }
      let number = try await queries.nextQuery().number
      let option = ParameterOption(.string("Oslo"), title: "Oslo")
      try await queries.call.send(.response(number, .options(ParameterOptions([option]))))
      #expect(try await options.value.options == [option])
      // The owner's errors are those of the call.
      let missing = try await callStatus {
        try await display.report(.scrolled(StackID("none"), to: Fixture.score), on: Fixture.device)
      }
      #expect(missing?.code == .notFound)
    }
  }

  @Test("A stream at another node ends once when its device moves, and begins again at the new one")
  func movedStreams() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { started in
      let nodes = try await Self.nodes(servers, started)
      let connection = nodes[1].connection
      try await Fixture.build(connection)
      let request = try WatchRequest(device: Fixture.device)
      let watch = try await connection.serverStreaming(DisplayService.watch, request)
      var updates = watch.responses.makeAsyncIterator()
      guard case .state? = try await updates.nextInTime()?.change else { throw UnexpectedEvent() }
      var provider = try await ProviderStream(connection, app: Fixture.sportApp)
      nodes[0].daemon.send(signal: SIGTERM)
      // No second state, and no second attachment.
      let ended = try await callStatus {
        while let update = try await updates.nextInTime() {
          if case .state = update.change { throw UnexpectedEvent() }
        }
      }
      #expect(ended?.code == .unavailable, "\(String(describing: ended))")
      let detached = try await callStatus { while true { _ = try await provider.next() } }
      #expect(detached?.code == .unavailable, "\(String(describing: detached))")
      #expect(try await nodes[0].daemon.wait() == .code(0))
      let watcher = try await Watcher(DisplayClient(connection))
      #expect(watcher.screen.stacks[Fixture.stack]?.frontWidget == Fixture.forecast)
    }
  }

  @Test("The activity of a device is followed at any node")
  func activity() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { started in
      let nodes = try await Self.nodes(servers, started)
      try await Fixture.build(nodes[0].connection)
      let request = try WatchActivityRequest(devices: [Fixture.device])
      let watch = try await nodes[1].connection.serverStreaming(AdminService.watchActivity, request)
      var changes = watch.responses.makeAsyncIterator()
      #expect(try await changes.nextInTime() == .started)
      let display = DisplayClient(nodes[1].connection)
      try await display.report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
      guard case .activity(let activity)? = try await changes.nextInTime() else { throw UnexpectedEvent() }
      #expect(activity.device == Fixture.device)
    }
  }

  @Test("An error about a node that does not answer names that node")
  func unavailable() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b"]) { started in
      let nodes = try await Self.nodes(servers, started)
      try await Fixture.build(nodes[0].connection)
      try await nodes[0].daemon.kill()
      let other = nodes[1].connection
      let list = try await callStatus { _ = try await other.unary(AdminService.listDevices, ListDevicesRequest()) }
      let time = try await callStatus { _ = try await DisplayClient(other).time(of: Fixture.device) }
      for status in [list, time] {
        #expect(status?.code == .unavailable)
        #expect(
          status?.message.hasPrefix("the server \(nodes[0].name) is not available: ") == true,
          "\(String(describing: status))")
      }
    }
  }

  @Test("Any node lists all devices, with what their owners know of them, in pages")
  func list() async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { nodes in
      let devices = try (10...33).map { try DeviceID("phone-\($0)") }
      for device in devices {
        try await DisplayClient(nodes[0].connection).registerDevice(device, timeZone: Fixture.berlin)
      }
      for node in nodes {
        var listed: [DeviceSummary] = []
        while true {
          let page = try await node.connection.unary(
            AdminService.listDevices, ListDevicesRequest(after: listed.last?.device, count: 7))
          listed += page.devices
          #expect(page.devices.count <= 7)
          guard page.hasMore else { break }
        }
        #expect(listed.map(\.device) == devices)
        #expect(listed.allSatisfy { $0.error.isEmpty && $0.timeZone == Fixture.berlin })
      }
    }
  }

  @Test(
    "While the nodes restart one after the other, no call at the others fails, or loses anything",
    arguments: [false, true])
  func rollingRestart(redirecting: Bool) async throws {
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"], redirecting: redirecting) { nodes in
      let devices = try (1...24).map { try DeviceID("phone-\($0)") }
      for device in devices {
        try await DisplayClient(nodes[0].connection).registerDevice(device, timeZone: Fixture.berlin)
      }
      var restarted: [Daemon] = []
      defer { for daemon in restarted { daemon.send(signal: SIGKILL) } }
      for (index, node) in nodes.enumerated() {
        let other = servers.endpoint(nodes[(index + 1) % nodes.count].name)
        let isBalanced = Mutex(false)
        async let load = Self.register(devices, at: other) { isBalanced.withLock(\.self) }
        node.daemon.send(signal: SIGTERM)
        #expect(try await node.daemon.wait() == .code(0))
        let advertised = redirecting ? servers.endpoint(node.name) : nil
        restarted.append(try Daemon(servers.arguments(node.name, advertised: advertised)))
        _ = try await restarted[index].listening()
        try await servers.waitUntilBalanced(nodes.count)
        isBalanced.withLock { $0 = true }
        let (count, errors) = try await load
        #expect(count > 0 && errors.isEmpty, "\(count) succeeded, and failed: \(errors)")
      }
    }
  }
}
