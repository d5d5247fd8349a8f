import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Synchronization
import Testing

/// Shards that move between two servers on one database, while they are used.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(2)))
struct ShardMoveTests {
  /// A sink that records the numbers of decisions.
  private final class DecisionSink: ActionSink {
    private let decisions = Mutex<[DeviceID: [UInt64]]>([:])

    func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {
      decisions.withLock { $0[device, default: []] += actions.compactMap { $0.decision?.number } }
    }

    func surfacesChanged(on device: DeviceID) {}

    func decisions(of device: DeviceID) -> [UInt64] { decisions.withLock { $0[device] ?? [] } }
  }

  /// A node with a runtime.
  private struct Server {
    let node: ClusterNode
    let runtime: Runtime

    func serve() async throws { try await runtime.beginServing(node.acquire()) }
  }

  /// Submits events of a device to a server until it no longer has the device.
  ///
  /// - Parameter acknowledged: Receives an element for each event that was acknowledged.
  /// - Returns: The number of these events, and the error.
  private static func submit(
    to device: DeviceID, at server: Server, _ acknowledged: AsyncStream<Void>.Continuation
  ) async throws -> (count: Int, end: RuntimeError) {
    let zones = [try TimeZoneID("UTC"), try TimeZoneID("Europe/Berlin")]
    var count = 0
    while true {
      do {
        try await server.runtime.submit(.timeZoneChanged(zones[count % 2]), to: device)
        count += 1
        acknowledged.yield()
      } catch let error as RuntimeError {
        return (count, error)
      }
    }
  }

  @Test("A device that moves while it is used loses nothing acknowledged, and makes no decision twice")
  func moves() async throws {
    let database = try await ClusterDatabase(at: SampleDevice.midnight)
    let samples = try (0..<6).map { try SampleDevice("phone \($0)") }
    let devices = samples.map(\.id)
    let sink = DecisionSink()
    var servers: [Server] = []
    for node in try await database.nodes() {
      servers.append(
        Server(
          node: node,
          runtime: Runtime(
            ClusterDatabase.configuration, clock: database.clock, journals: node.journals, sink: sink,
            logger: .silent)))
    }
    let running = servers.map { server in Task { try await server.runtime.run() } }
    try await servers[0].serve()
    let refused = await #expect(throws: RuntimeError.self) {
      _ = try await servers[1].runtime.register(devices[0], timeZone: Fixture.berlin)
    }
    #expect(refused?.code == .moved && refused?.owner == nil)
    for sample in samples {
      #expect(try await servers[0].runtime.register(sample.id, timeZone: Fixture.berlin))
      for event in try sample.setUp() { try await servers[0].runtime.submit(event, to: sample.id) }
    }
    var counts = [Int](repeating: try samples[0].setUp().count, count: samples.count)
    let shards = Set(devices.map { ClusterDatabase.shard(of: $0) }).sorted()
    for round in 1...4 {
      let hour = Int64(3 * round)
      let added = try await move(shards, devices, from: servers[0], to: servers[1], database.clock, hour: hour)
      for index in counts.indices { counts[index] += added[index] }
      servers.reverse()
    }
    for (index, device) in devices.enumerated() {
      let last = servers[0].runtime
      #expect(try await last.origin(of: device).eventCount == UInt64(counts[index]))
      let stored = try await last.decisions(of: device, count: 1_000).map(\.number)
      // By the one or the other, also at the hours in the middle of a move.
      #expect(stored.count >= 6 && stored.reversed() == Array(1...UInt64(stored.count)))
      #expect(sink.decisions(of: device) == stored.reversed())
    }
    for task in running { task.cancel() }
    for task in running { _ = await task.result }
    for server in servers { try await server.node.leave() }
    #expect(try await database.findings() == [])
  }

  /// Moves shards while their devices are used, and while nobody serves them time passes.
  ///
  /// - Returns: The number of events of each device that were acknowledged meanwhile.
  private func move(
    _ shards: [ShardID], _ devices: [DeviceID], from owner: Server, to target: Server, _ clock: ManualClock, hour: Int64
  ) async throws -> [Int] {
    clock.advance(to: SampleDevice.time(hour - 2))
    _ = try await owner.runtime.waitUntilIdle()
    let (events, acknowledged) = AsyncStream.makeStream(of: Void.self)
    let submissions = devices.map { device in
      Task { try await Self.submit(to: device, at: owner, acknowledged) }
    }
    var count = 0
    for await _ in events {
      count += 1
      if count == 10 * devices.count { break }
    }
    clock.advance(to: SampleDevice.time(hour - 1))
    try await owner.runtime.endServing(shards, owner: target.node.owner)
    var counts: [Int] = []
    for submission in submissions {
      let (count, end) = try await submission.value
      #expect(count > 0 && end.code == .moved && end.owner == target.node.owner)
      counts.append(count)
    }
    clock.advance(to: SampleDevice.time(hour))
    _ = try await owner.runtime.waitUntilIdle()
    try await owner.node.handOver(shards, to: target.node)
    try await target.serve()
    _ = try await target.runtime.waitUntilIdle()
    return counts
  }

  @Test("A watch of a device that moves ends with the server that has the device, where it can be watched again")
  func watches() async throws {
    let database = try await ClusterDatabase(at: Fixture.start)
    let directory = try TemporaryDirectory()
    var (nodes, cores, running, servers): ([ClusterNode], [ServerCore], [Task<Void, any Error>], [RPCServer]) =
      ([], [], [], [])
    for (name, node) in zip(["a", "b"], try await database.nodes()) {
      let core = ServerCore(
        ClusterDatabase.configuration, clock: database.clock, journals: node.journals, logger: .silent)
      let server = RPCServer(router: core.router, logger: .silent)
      _ = try await server.start([.unix(path: directory.file(name))])
      running.append(Task { try await core.run() })
      nodes.append(node)
      cores.append(core)
      servers.append(server)
    }
    let clients = ["a", "b"].map { RPCClient(.unix(path: directory.file($0))) }
    try await cores[0].beginServing(nodes[0].acquire())
    try await Fixture.build(clients[0])
    let request = try WatchRequest(device: Fixture.device)
    var updates = try await clients[0].serverStreaming(DisplayService.watch, request).responses.makeAsyncIterator()
    _ = try await updates.nextInTime()
    let shards = [ClusterDatabase.shard(of: Fixture.device)]
    try await cores[0].endServing(ShardSet(shards, of: ClusterDatabase.shardCount), owner: nodes[1].owner)
    let message = "the device is served by the server \(nodes[1].name)"
    let ended = try await callStatus { while try await updates.nextInTime() != nil {} }
    #expect(ended?.code == .unavailable && ended?.message == message)
    let refused = try await callStatus {
      _ = try await clients[0].unary(DisplayService.getDeviceTime, GetDeviceTimeRequest(device: Fixture.device))
    }
    #expect(refused?.code == .unavailable && refused?.message == message)
    try await nodes[0].handOver(shards, to: nodes[1])
    try await cores[1].beginServing(nodes[1].acquire())
    var others = try await clients[1].serverStreaming(DisplayService.watch, request).responses.makeAsyncIterator()
    guard case .state(let state)? = try await others.nextInTime()?.change else {
      throw JournalError(.corrupt, "no state of the device")
    }
    #expect(state.stacks.map(\.id) == [Fixture.stack])
    for server in servers { await server.shutDown(grace: .zero) }
    for task in running { task.cancel() }
    for task in running { _ = await task.result }
    for node in nodes { try await node.leave() }
    #expect(try await database.findings() == [])
  }
}
