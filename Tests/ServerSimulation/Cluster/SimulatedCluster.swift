import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeTestSupport

/// A deterministic simulation of a cluster: three to five nodes with the product's runtime, control loops, journal,
/// leases and assignment of shards, on a simulated database.
///
/// Depending on the seed, nodes are killed, stopped and shut down, messages to and from the database are lost, late or
/// slow, sessions and the database end, its disk is full, shards are moved and placed, nodes are drained, and clocks
/// differ. Clients write and read meanwhile, and a checker compares their calls with the journal:
/// - No acknowledged write is missing, and no refused one is there.
/// - Writes of a shard's owners follow each other, and those of a client are in its order.
/// - Reads return all writes that were acknowledged before, and never an earlier state than another read.
/// - No shard is shown by a node after another has shown it in a later tenure.
/// - Nodes end only because the others have declared them dead, or because an outcome could not be found out. They are
///   declared dead only while, or soon after, a fault keeps them from renewing their leases.
/// - Once the faults end, all devices are served, by the nodes on which they are placed, and none that is draining.
///
/// The same seed yields the same run; across processes only with `SWIFT_DETERMINISTIC_HASHING` set.
public final class SimulatedCluster: @unchecked Sendable {
  // `@unchecked Sendable`: accessed only on the world's thread.

  /// The result of a simulation.
  public struct Outcome: Hashable, Sendable {
    /// The violations, each with its kind, in the order of the kinds.
    public let findings: [String]
    /// The number of violations of each kind.
    public let counts: [String: Int]
    /// The number of started processes.
    public let startCount: Int
    /// The number of times that a shard got an owner.
    public let ownerCount: Int
    public let acknowledgedCount: Int
    public let refusedCount: Int
    public let unknownCount: Int
    public let readCount: Int
    public let showCount: Int
  }

  /// A node, whose process may be another one after it has ended.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  final class Node: @unchecked Sendable {
    let name: String
    let skew = SimulatedClock.Skew()
    fileprivate(set) var process: ClusterProcess

    fileprivate init(_ name: String, _ database: ClusterDatabase, _ ledger: ClusterLedger) {
      self.name = name
      process = ClusterProcess(name, database, ledger, skew)
    }
  }

  static let shardCount = 6
  private static let deviceCount = 5
  private static let timeToLive = Duration.seconds(6)
  /// The maximum offset of a node's wall clock in milliseconds. One of more than 30 seconds does not join.
  private static let skewMax = 20_000

  let world: World
  let database: ClusterDatabase
  let ledger: ClusterLedger
  private(set) var nodes: [Node] = []
  /// The factor of the time between two calls of a client.
  let pace: Int
  /// Whether clients must not start new calls.
  private(set) var isWindingDown = false
  /// Whether no process is started any more.
  private var isOver = false
  private var startCount = 0
  private var ended: [ClusterProcess] = []

  /// Runs the simulation of a seed.
  ///
  /// Call it on one thread; it blocks until the simulation ends.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - mutation: A mistake to plant.
  ///   - listener: Receives the events, each line prefixed with the elapsed seconds.
  public static func run(
    seed: UInt64, _ mutation: ClusterMutation? = nil, telling listener: @escaping (String) -> Void = { _ in }
  ) -> Outcome {
    let cluster = SimulatedCluster(seed, mutation, listener)
    cluster.run()
    return cluster.outcome
  }

  private init(_ seed: UInt64, _ mutation: ClusterMutation?, _ listener: @escaping (String) -> Void) {
    world = World(seed: seed, telling: listener)
    database = ClusterDatabase(world, shardCount: Self.shardCount, timeToLive: Self.timeToLive, mutation)
    ledger = ClusterLedger(world)
    pace = world.number(1...4)
  }

  private var outcome: Outcome {
    Outcome(
      findings: ClusterLedger.kinds.flatMap { kind in
        ledger.findings.filter { $0.kind == kind }.map { "\(kind): \($0.text)" }
      },
      counts: Dictionary(ledger.findings.map { ($0.kind, 1) }, uniquingKeysWith: +), startCount: startCount,
      ownerCount: database.shards.map(\.epoch).reduce(0, +), acknowledgedCount: ledger.history.counts.acknowledged,
      refusedCount: ledger.history.counts.refused, unknownCount: ledger.history.counts.unknown,
      readCount: ledger.history.readCount, showCount: ledger.showCount)
  }

  private func run() {
    for number in 1...world.number(3...5) {
      let node = Node("node-\(number)", database, ledger)
      node.skew.span = TimeSpan(milliseconds: Int64(world.number(-Self.skewMax...Self.skewMax)))
      nodes.append(node)
      start(node)
    }
    database.declaredDead = { [self] id in
      for node in nodes where node.process.membership?.node == id { node.process.noteDeath() }
    }
    let devices = (1...Self.deviceCount).map { number in valid { try DeviceID("device-\(number)") } }
    let clients = devices.map { ClusterClient(self, $0) }
    for client in clients { world.start { await client.write() } }
    for device in devices + devices {
      let reader = ClusterClient(self, device)
      world.start { await reader.read() }
    }
    world.run(for: .seconds(3))
    let end = world.elapsed + .seconds(world.number(25...60))
    while world.elapsed < end, ledger.findings.isEmpty { trouble() }
    heal()
    checkService(clients)
    stop()
    ledger.check(database.rows, devices)
  }

  // MARK: Processes

  private func start(_ node: Node) {
    startCount += 1
    world.log("\(node.name) started")
    node.process.start { [self] process in
      guard node.process === process else { return }
      world.log("\(node.name) ended")
      restart(node, after: world.milliseconds(100...8_000))
    }
  }

  private func restart(_ node: Node, after pause: Duration) {
    world.after(pause) { [self] in
      guard !isOver, !node.process.isAlive else { return }
      ended.append(node.process)
      node.process = ClusterProcess(node.name, database, ledger, node.skew)
      start(node)
    }
  }

  // MARK: Faults

  /// Waits for a while, then injects a fault.
  private func trouble() {
    world.run(for: world.milliseconds(0...3_000))
    let node = nodes[world.number(0...nodes.count - 1)]
    let process = node.process
    switch world.number(0...14) {
    case 0:
      world.log("\(node.name) is killed")
      process.kill()
    case 1, 2, 3: suspend(process)
    case 4:
      world.log("\(node.name) shuts down")
      process.leave()
    case 5, 6, 7, 8: disturb(process.link, node.name)
    case 9:
      world.log("the sessions of \(node.name) end")
      if let id = process.membership?.node { database.terminate(id) }
    case 10: if world.once(in: 3) { crashDatabase() }
    case 11: move()
    case 12: if let id = process.membership?.node { drain(id, node.name) }
    case 13: place()
    default: changeClockOrDisk(node)
    }
  }

  /// Stops a process for a while: at once, while its transactions are open, or while its messages are slow, in which
  /// case the messages that it sends afterwards are lost.
  private func suspend(_ process: ClusterProcess) {
    guard process.isAlive, !process.executor.isStopped, let id = process.membership?.node else { return }
    switch world.number(0...2) {
    case 0: stop(process, for: world.milliseconds(200...14_000)) {}
    case 1:
      database.stall(id)
      world.after(world.milliseconds(0...500)) { [self] in
        stop(process, for: world.milliseconds(200...14_000)) { [self] in database.proceed(id) }
      }
    default:
      process.link.isSlow = true
      world.after(world.milliseconds(0...3_000)) { [self] in
        stop(process, for: world.milliseconds(1_000...5_000)) { [self] in
          guard !isWindingDown else { return }
          (process.link.requests, process.link.isSlow) = (.isLost, false)
          world.after(world.milliseconds(2_000...10_000)) { process.link.heal() }
        }
      }
    }
  }

  private func stop(_ process: ClusterProcess, for span: Duration, _ body: @escaping @Sendable () -> Void) {
    guard !isWindingDown else { return body() }
    world.log("\(process.name) is stopped for \(span)")
    process.executor.stop()
    world.after(span) {
      body()
      process.executor.proceed()
    }
  }

  private func disturb(_ link: ClusterLink, _ name: String) {
    var span = world.milliseconds(100...10_000)
    switch world.number(0...5) {
    case 0: link.requests = .isLost
    case 1: link.replies = .isLost
    case 2: (link.requests, link.replies) = (.isLost, .isLost)
    case 3:
      link.requests = .isLate
      // Shorter than the time in which a lost reply is noticed, so that the node goes on before they arrive.
      if world.once(in: 2) { span = world.milliseconds(10...2_000) }
    case 4:
      // Replies are slow, and then nothing arrives.
      link.isSlow = true
      world.after(span) { [self] in if !isWindingDown { link.requests = .isLost } }
      span += world.milliseconds(5_000...9_000)
    default: link.isSlow = true
    }
    world.log("\(name): requests \(link.requests), replies \(link.replies), slow \(link.isSlow) for \(span)")
    world.after(span) { link.heal() }
  }

  private func crashDatabase() {
    guard database.isRunning else { return }
    world.log("the database ends")
    database.crash()
    world.after(world.milliseconds(100...7_000)) { [self] in startDatabase() }
  }

  private func startDatabase() {
    guard !database.isRunning else { return }
    world.log("the database starts")
    database.start()
  }

  private func move() {
    guard let target = database.map.nodes.randomElement(using: &world.sampler) else { return }
    let shards = (0..<Self.shardCount).filter { _ in world.once(in: 3) }.map { ShardID($0) }
    world.log("shards \(shards) are to be moved to \(target)")
    _ = database.move(shards, to: target)
  }

  private func drain(_ node: NodeID, _ name: String) {
    let isDraining = world.once(in: 2)
    world.log("\(name) is \(isDraining ? "draining" : "not draining")")
    database.drain(node, isDraining)
  }

  private func place() {
    let shard = ShardID(world.number(0...Self.shardCount - 1))
    let target = world.once(in: 3) ? nil : database.map.nodes.randomElement(using: &world.sampler)
    world.log("shard \(shard) is placed on \(target.map { "\($0)" } ?? "none")")
    database.place(shard, on: target)
  }

  private func changeClockOrDisk(_ node: Node) {
    if world.once(in: 2) {
      node.skew.span = TimeSpan(milliseconds: Int64(world.number(-Self.skewMax...Self.skewMax)))
      world.log("the clock of \(node.name) is set \(node.skew.span) off")
    } else {
      world.log("the database's disk is full")
      database.isDiskFull = true
      world.after(world.milliseconds(100...3_000)) { [self] in database.isDiskFull = false }
    }
  }

  // MARK: The end

  /// Ends all faults, and starts all processes.
  private func heal() {
    world.log("the faults end")
    isWindingDown = true
    startDatabase()
    database.isDiskFull = false
    for node in nodes {
      if let id = node.process.membership?.node { database.proceed(id) }
      node.process.link.heal()
      node.process.executor.proceed()
      if !node.process.isAlive { restart(node, after: .milliseconds(100)) }
    }
  }

  /// Checks that all devices are written and read in time.
  private func checkService(_ clients: [ClusterClient]) {
    // Once each shard has the owner that it is to have. Otherwise the calls fail.
    _ = world.run(until: { isBalanced }, for: .seconds(40))
    let served = Served()
    for client in clients {
      world.start { if await client.isServed() { served.count += 1 } }
    }
    if !world.run(until: { served.count == clients.count }, for: .seconds(20)), ledger.findings.isEmpty {
      ledger.find(.stuck, "\(clients.count - served.count) devices; \(database.map)")
    }
    if !world.run(until: { misplaced.isEmpty }, for: .seconds(20)), ledger.findings.isEmpty {
      ledger.find(.misplaced, "shards \(misplaced); \(database.map)")
    }
  }

  /// The shards that are on a node that is draining, unless all are; or not where they were placed.
  private var misplaced: [Int] {
    let nodes = database.nodes
    let recipients = nodes.values.allSatisfy(\.isDraining) ? nodes : nodes.filter { !$0.value.isDraining }
    return database.shards.indices.filter { index in
      guard let node = database.shards[index].node, recipients[node] != nil else { return true }
      guard let placement = database.shards[index].placement, recipients[placement] != nil else { return false }
      return node != placement
    }
  }

  private var isBalanced: Bool {
    let map = database.map
    return map.nodes.count == nodes.count && database.nodes.count == nodes.count && map.isClaimed
      && map.imbalance().isEmpty && map.shards.allSatisfy { $0.next == nil }
  }

  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class Served: @unchecked Sendable {
    var count = 0
  }

  /// Ends all processes and timers, which would keep each other in memory.
  private func stop() {
    isOver = true
    let processes = ended + nodes.map(\.process)
    for process in processes { process.kill() }
    let flag = Flag()
    world.start {
      for process in processes { await process.end() }
      flag.isSet = true
    }
    if !world.run(until: { flag.isSet }, for: .seconds(30)) { ledger.find(.stuck, "a process does not end") }
    world.run(for: .seconds(30))
    for process in processes { process.release() }
    database.release()
    (ended, nodes) = ([], [])
  }
}
