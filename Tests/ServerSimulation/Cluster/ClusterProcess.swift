import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTestSupport
import NIOEmbedded

/// Runs the jobs of one process on a world's loop. A stopped process runs none until it continues.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ProcessExecutor: TaskExecutor, @unchecked Sendable {
  private let loop: EmbeddedEventLoop
  private var held: [UnownedJob] = []
  private(set) var isStopped = false
  /// The time of the last stop or continuation.
  private(set) var changedAt = Duration.zero

  init(_ loop: EmbeddedEventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) { schedule(UnownedJob(job)) }

  private func schedule(_ job: UnownedJob) {
    loop.execute { [self] in
      guard !isStopped else { return held.append(job) }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  func stop() {
    isStopped = true
    changedAt = .nanoseconds(Int64(loop.now.uptimeNanoseconds))
  }

  func proceed() {
    isStopped = false
    changedAt = .nanoseconds(Int64(loop.now.uptimeNanoseconds))
    for job in held { schedule(job) }
    held = []
  }
}

/// A process of a simulated node: the product's runtime, control loops and journal on a simulated database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterProcess: @unchecked Sendable {
  /// The number of event loops and lanes.
  static let laneCount = 2
  /// The maximum number of shards of an event loop that are handed over together: of the three that it can have.
  private static let handOverCountMax = 2
  private static let retryPause = Duration.milliseconds(250)
  /// The time in which a process gives its shards away before it leaves.
  private static let grace = Duration.seconds(3)

  let name: String
  let world: World
  let database: ClusterDatabase
  let link: ClusterLink
  let ledger: ClusterLedger
  let executor: ProcessExecutor
  /// The offset of the process's wall clock.
  let skew: SimulatedClock.Skew
  /// The rate of its monotonic clock.
  private let rate: Double
  private let state: NodeState
  private var lease: NodeLease
  private(set) var isAlive = true
  private(set) var membership: ClusterMembership?
  private(set) var runtime: Runtime?
  private var task: Task<Void, Never>?
  private var calls: [Int: @Sendable () -> Void] = [:]
  private var callCount = 0
  /// Whether the process is shutting down.
  private var isLeaving = false
  /// Whether its event loops have ended.
  private var isStopped = false
  /// The owners of the shards, as the control loops read them last.
  private var map: ShardMap?
  /// The shards that end being served after they have been handed over, by mistake.
  private var late: [(shards: [ShardID], next: NodeRecord?)] = []

  init(_ name: String, _ database: ClusterDatabase, _ ledger: ClusterLedger, _ skew: SimulatedClock.Skew) {
    world = database.world
    executor = ProcessExecutor(world.loop)
    link = ClusterLink(world)
    rate = 0.92 + 0.16 * world.fraction()
    state = NodeState(shardCount: database.shards.count)
    lease = NodeLease(timeToLive: database.timeToLive, sentAt: .zero)
    self.database = database
    self.ledger = ledger
    self.name = name
    self.skew = skew
  }

  private var mutation: ClusterMutation? { database.mutation }

  /// The time of the process's wall clock, with which leases are granted and compared by mistake.
  var leaseClock: Duration? {
    mutation == .leaseByWallClock ? world.elapsed + .milliseconds(skew.span.milliseconds) : nil
  }

  /// Waits, also if the task is cancelled, so that a caller that repeats something lets time pass.
  func pause(_ span: Duration) async {
    await withCheckedContinuation { continuation in world.after(span / rate) { continuation.resume() } }
  }

  // MARK: Running

  func start(_ ended: @escaping @Sendable (ClusterProcess) -> Void) {
    task = Task(executorPreference: executor) { [self] in
      do {
        try await run()
      } catch {
        noteEnd(error)
      }
      kill()
      ended(self)
    }
  }

  private func noteEnd(_ error: any Error) {
    let code = (error as? JournalError)?.code
    guard isAlive, !isLeaving, code != .fenced, code != .commitFailed else { return }
    // At its start, the runtime counts its devices.
    guard code != .unavailable || !state.served.isEmpty else { return }
    ledger.find(.ended, "\(name) ended: \(error)")
  }

  private func run() async throws {
    let membership = try await join()
    var settings = Runtime.Configuration(shardCount: Self.laneCount)
    settings.shards = ShardSet([], of: database.shards.count)
    settings.node = state
    settings.snapshotStride = 8
    // Small, so that devices are loaded and evicted all the time.
    settings.cachedDeviceCountMax = 2
    (settings.policy.dwell, settings.policy.hold) = (.seconds(2), .seconds(2))
    let runtime = Runtime(
      settings, clock: SimulatedClock(world, skew),
      journals: membership.clusterLanes.map { ClusterJournal(tables: ClusterTables($0)) }, sink: Sink(self),
      logger: .silent)
    self.runtime = runtime
    let controller = NodeController(self, membership, lease, handOverCountMax: Self.handOverCountMax)
    try await withThrowingTaskGroup { group in
      group.addTask { try await runtime.run() }
      group.addTask { try await controller.run() }
      group.addTask { try await self.leave(controller, membership, runtime) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func join() async throws -> ClusterMembership {
    let keeper = ClusterConnection(self)
    while true {
      let sentAt = now
      do {
        let (name, end) = (name, leaseClock.map { $0 + database.timeToLive })
        let node: NodeID = try await keeper.call(isCommit: true) { database, reply in
          reply(.success(database.join(name, laneCount: Self.laneCount, until: end)))
        }
        let membership = ClusterMembership(self, keeper, node)
        self.membership = membership
        setLease(NodeLease(timeToLive: database.timeToLive, sentAt: sentAt))
        return membership
      } catch {
        guard error.code != .closed else { throw error }
        try await sleep(Self.retryPause)
      }
    }
  }

  /// Waits until the process is to shut down, and does what a server does then.
  private func leave(
    _ controller: NodeController, _ membership: ClusterMembership, _ runtime: Runtime
  ) async throws {
    while !isLeaving { try await sleep(Self.retryPause) }
    await controller.giveAway(within: Self.grace)
    isStopped = true
    // One event loop after the other, in an order that does not depend on the process.
    let shards = database.shards.indices.map { ShardID($0) }
    for number in 0..<Self.laneCount {
      try await runtime.endServing(shards.filter { $0.eventLoop(of: Self.laneCount) == number })
    }
    try await membership.leave()
  }

  // MARK: Ending

  /// Records that the other nodes have declared this one dead.
  ///
  /// Five seconds after a fault, in which a call may wait for a reply for three, the node has renewed its lease.
  func noteDeath() {
    guard isAlive, !executor.isStopped, link.isIntact, let node = membership?.node else { return }
    let last = max(executor.changedAt, link.changedAt, database.disturbedAt(node))
    if last + .seconds(5) < world.elapsed { ledger.find(.ended, "\(name) was declared dead") }
  }

  /// Ends the process at once. Calls under way get no reply.
  func kill() {
    guard isAlive else { return }
    isAlive = false
    link.requests = .isLost
    link.replies = .isLost
    executor.proceed()
    task?.cancel()
    for (_, end) in calls.sorted(by: { $0.key < $1.key }) { end() }
    calls = [:]
  }

  /// Waits until the tasks of a process that was killed have ended.
  func end() async { await task?.value }

  /// Releases everything, after the end.
  func release() { (membership, runtime, task) = (nil, nil, nil) }

  /// Gives its shards away, and ends: what a server does on SIGTERM.
  func leave() { isLeaving = true }

  // MARK: Calls

  /// The result of a call, as its client knows it.
  enum Outcome<Value: Sendable>: Sendable {
    case answered(Value)
    /// Nothing was executed. The owner's name is known if another node has the device.
    case refused(owner: String?)
    case unknown
  }

  /// Calls the process from a client.
  func call<Value: Sendable>(
    _ body: @escaping @Sendable (ClusterProcess, Runtime) async throws -> Value
  ) async -> Outcome<Value> {
    await withCheckedContinuation { continuation in
      let call = Call(continuation)
      callCount += 1
      let number = callCount
      guard isAlive, let runtime else { return call.finish(.refused(owner: nil)) }
      calls[number] = { call.finish(.unknown) }
      world.after(.seconds(10)) { [self] in
        calls[number] = nil
        call.finish(.unknown)
      }
      world.after(.microseconds(world.number(50...3_000))) { [self] in
        guard isAlive else { return }
        Task(executorPreference: executor) { [self] in
          let outcome: Outcome<Value>
          do { outcome = .answered(try await body(self, runtime)) } catch { outcome = Self.outcome(of: error) }
          guard isAlive else { return }
          world.after(.microseconds(world.number(50...3_000))) { [self] in
            calls[number] = nil
            call.finish(outcome)
          }
        }
      }
    }
  }

  private static func outcome<Value>(of error: any Error) -> Outcome<Value> {
    switch error {
    case let error as RuntimeError: .refused(owner: error.owner?.name)
    case is RequestError: .refused(owner: nil)
    case let error as JournalError where error.outcome == .notWritten: .refused(owner: nil)
    default: .unknown
    }
  }

  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class Call<Value: Sendable>: @unchecked Sendable {
    private var continuation: CheckedContinuation<Outcome<Value>, Never>?

    init(_ continuation: CheckedContinuation<Outcome<Value>, Never>) { self.continuation = continuation }

    func finish(_ outcome: Outcome<Value>) { continuation.take()?.resume(returning: outcome) }
  }

  // MARK: Showing

  /// Returns the shard of a device, and the number of the tenure under which the node has it.
  func tenure(of device: DeviceID) -> ClusterLedger.Tenure? {
    let shard = ShardID(of: device, count: database.shards.count)
    guard let membership else { return nil }
    return membership.clusterLanes[shard.eventLoop(of: Self.laneCount)].owned[shard].map {
      ClusterLedger.Tenure(shard: shard, epoch: $0, node: membership.node)
    }
  }

  /// Records the changes that displays receive.
  ///
  /// After the lease has ended, the server ends their streams. A process that was suspended between its look at the
  /// clock and the socket may send one change before that: the article *Ownership* says so, and here it does not.
  private final class Sink: ActionSink {
    private unowned let process: ClusterProcess

    init(_ process: ClusterProcess) { self.process = process }

    func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {
      guard process.isAlive, !process.state.isLeaseOver, actions.contains(where: { $0.decision != nil }) else { return }
      process.ledger.show(device, process.tenure(of: device))
    }

    func surfacesChanged(on device: DeviceID) {}
  }
}

/// The process as the host of the product's control loops.
extension ClusterProcess: NodeHost {
  /// The process's monotonic clock.
  var now: Duration { world.elapsed * rate }

  var served: Set<ShardID> {
    get { state.served }
    set { state.served = mutation == .servedAfterHandOver ? state.served.union(newValue) : newValue }
  }

  func sleep(_ span: Duration) async throws { try await world.sleep(max(span / rate, .microseconds(1))) }

  /// Sets the end of the lease for the event loops: they compare the machine's clock, and this process has its own.
  func setLease(_ lease: NodeLease?) {
    defer { runtime?.checkClock() }
    guard var lease else { return state.leaseEnd = .now }
    if mutation == .leaseFromReply { lease.renew(sentAt: now) }
    self.lease = lease
    guard mutation != .answerAfterLease else { return state.leaseEnd = .now + .seconds(1_000_000) }
    guard lease.standing(at: now) == .valid else { return state.leaseEnd = .now }
    state.leaseEnd = .now + .seconds(1_000_000)
    world.after((lease.validUntil - now) / rate + .microseconds(1)) { [self] in
      if self.lease.standing(at: now) != .valid { state.leaseEnd = .now }
    }
  }

  /// Nothing shows a device without a look at the lease here: see ``Sink``.
  func endStreams() {}

  func setOwners(_ map: ShardMap) {
    guard let membership else { return }
    self.map = map
    state.owners = map.owners(besides: membership.node)
  }

  /// Serves the shards of a lane that has not acquired them yet, if that is the mistake.
  func serveEarly(_ lane: ClusterLane) {
    guard mutation == .servedBeforeAcquisition, let map, let membership else { return }
    served.formUnion(
      map.shards(of: membership.node).filter {
        map[$0].next == nil && $0.eventLoop(of: Self.laneCount) == lane.number
      })
  }

  func beginServing(_ shards: [ShardID]) async throws { try await change { try await $0.beginServing(shards) } }

  func endServing(_ shards: [ShardID], next: NodeRecord?) async throws {
    guard mutation != .handOverBeforeEnd else { return late.append((shards, next)) }
    try await change { try await $0.endServing(shards, owner: next) }
  }

  /// Ends serving shards that have been handed over.
  func endServingLate() async {
    defer { late = [] }
    // A process that ends serves nothing.
    for (shards, next) in late { try? await change { try await $0.endServing(shards, owner: next) } }
  }

  private func change(_ body: (Runtime) async throws -> Void) async throws {
    do {
      guard let runtime, !isStopped else { throw JournalError(.closed, "the process stops") }
      try await body(runtime)
    } catch let error as RuntimeError where error.code == .stopped {
      // The process ends, perhaps with the runtime's error.
      throw JournalError(.closed, "the process stops")
    }
  }

  func report(_ event: NodeEvent) {}
}
