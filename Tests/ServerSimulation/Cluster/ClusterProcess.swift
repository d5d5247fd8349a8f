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

  init(_ loop: EmbeddedEventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) { schedule(UnownedJob(job)) }

  private func schedule(_ job: UnownedJob) {
    loop.execute { [self] in
      guard !isStopped else { return held.append(job) }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  func stop() { isStopped = true }

  func proceed() {
    isStopped = false
    for job in held { schedule(job) }
    held = []
  }
}

/// A process of a simulated node: the product's runtime, lease and journal, with what `NodeService` of MarqueeServer
/// does, on a simulated database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterProcess: @unchecked Sendable {
  /// The number of event loops and lanes.
  static let laneCount = 2
  private static let claimPeriod = Duration.seconds(1)
  private static let announcementPeriod = Duration.milliseconds(20)
  private static let renewalCount = 3
  private static let retryPause = Duration.milliseconds(250)

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
  private var seenCount = -1
  /// Whether the process is shutting down.
  private var isLeaving = false

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

  /// The process's monotonic clock.
  private var now: Duration { world.elapsed * rate }

  /// The time of the process's wall clock, with which leases are granted and compared by mistake.
  var leaseClock: Duration? {
    mutation == .leaseByWallClock ? world.elapsed + .milliseconds(skew.span.milliseconds) : nil
  }

  /// Waits, also if the task is cancelled, so that a caller that repeats something lets time pass.
  func pause(_ span: Duration) async {
    await withCheckedContinuation { continuation in world.after(span / rate) { continuation.resume() } }
  }

  private func sleep(_ span: Duration) async throws { try await world.sleep(span / rate) }

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
    try await withThrowingTaskGroup { group in
      group.addTask { try await runtime.run() }
      group.addTask { try await self.renew(membership) }
      group.addTask { try await self.followShards(membership, runtime) }
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
        lease = NodeLease(timeToLive: database.timeToLive, sentAt: sentAt)
        followLease()
        return membership
      } catch {
        guard error.code != .closed else { throw error }
        try await sleep(Self.retryPause)
      }
    }
  }

  /// Sets the end of the lease for the event loops: they compare the machine's clock, and this process has its own.
  private func followLease() {
    guard mutation != .answerAfterLease else { return state.leaseEnd = .now + .seconds(1_000_000) }
    guard lease.standing(at: now) == .valid else { return state.leaseEnd = .now }
    state.leaseEnd = .now + .seconds(1_000_000)
    var probe = lease.timeToLive - NodeLease.margin
    // The rest of the lease by this process's clock.
    while probe > .zero, lease.standing(at: now + probe - .milliseconds(1)) != .valid { probe -= .milliseconds(1) }
    world.after(probe / rate + .microseconds(1)) { [self] in
      if lease.standing(at: now) != .valid { state.leaseEnd = .now }
    }
  }

  private func renew(_ membership: ClusterMembership) async throws {
    var isFailing = false
    while true {
      try await sleep(isFailing ? Self.retryPause : database.timeToLive / Self.renewalCount)
      let sentAt = now
      do {
        try await membership.renew()
        lease.renew(sentAt: mutation == .leaseFromReply ? now : sentAt)
        followLease()
        runtime?.checkClock()
        isFailing = false
      } catch {
        guard ![.fenced, .closed].contains(error.code) else {
          state.leaseEnd = .now
          throw error
        }
        isFailing = true
      }
    }
  }

  private func followShards(_ membership: ClusterMembership, _ runtime: Runtime) async throws {
    var claimAt = Duration.zero
    while !isLeaving {
      do {
        if claimAt <= now {
          claimAt = now + Self.claimPeriod
          let rows = database.rows
          let claim = try await membership.claim()
          if claim.shardCount > 0 { for index in database.shards.indices { readAhead(ShardID(index), rows) } }
          try await update(membership, runtime)
        } else if seenCount != database.announcementCount {
          try await update(membership, runtime)
        }
      } catch let error as RuntimeError where error.code == .stopped {
        // The process ends with the runtime's error.
      } catch let error as JournalError where ![.fenced, .closed].contains(error.code) {
        claimAt = now + Self.claimPeriod
      }
      try await sleep(Self.announcementPeriod)
    }
    // One event loop after the other, in an order that does not depend on the process.
    for (_, shards) in byLane(state.served.sorted(), membership) { try await runtime.endServing(shards) }
    try await membership.leave()
  }

  private func readAhead(_ shard: ShardID, _ rows: ClusterRows) {
    guard !state.served.contains(shard), let membership else { return }
    membership.clusterLanes[shard.eventLoop(of: Self.laneCount)].readAhead(shard, rows)
  }

  private func update(_ membership: ClusterMembership, _ runtime: Runtime) async throws {
    let seen = database.announcementCount
    let map = try await membership.shards()
    seenCount = seen
    let own = map.shards(of: membership.node)
    var owners: [ShardID: ShardOwner] = [:]
    for (number, ownership) in map.shards.enumerated() {
      guard let node = ownership.node, node != membership.node, let record = map.records[node] else { continue }
      owners[ShardID(number)] = ShardOwner(name: record.name)
    }
    state.owners = owners
    for (lane, shards) in byLane(own.filter { map[$0].next != nil }, membership) {
      try await handOver(shards, lane, runtime)
    }
    for (lane, _) in byLane(own.filter { map[$0].next == nil && !state.served.contains($0) }, membership) {
      let owned = try await resolving(lane) { (lane) throws(JournalError) in try await lane.acquire().map(\.shard) }
      try await runtime.beginServing(owned)
      state.served.formUnion(owned)
    }
    guard map.isClaimed, let shards = map.imbalance()[membership.node] else { return }
    for shard in shards { readAhead(shard, database.rows) }
    _ = try await membership.move(shards, to: membership.node)
  }

  private func byLane(
    _ shards: [ShardID], _ membership: ClusterMembership
  ) -> [(lane: any Lane, shards: [ShardID])] {
    membership.lanes.map { lane in (lane, shards.filter { $0.eventLoop(of: Self.laneCount) == lane.number }) }
      .filter { !$0.shards.isEmpty }
  }

  private func handOver(_ shards: [ShardID], _ lane: any Lane, _ runtime: Runtime) async throws {
    state.served.subtract(shards)
    if mutation != .handOverBeforeEnd { try await runtime.endServing(shards) }
    _ = try await resolving(lane) { (lane) throws(JournalError) in try await lane.handOver(shards) }
    if mutation == .handOverBeforeEnd { try await runtime.endServing(shards) }
  }

  private func resolving(
    _ lane: any Lane, _ body: (any Lane) async throws(JournalError) -> [ShardID]
  ) async throws(JournalError) -> [ShardID] {
    do {
      return try await body(lane)
    } catch {
      guard error.code == .commitFailed else { throw error }
      while true {
        do throws(JournalError) {
          _ = try await lane.resolve()
          break
        } catch {
          guard ![.fenced, .closed].contains(error.code) else { throw error }
          await pause(Self.retryPause)
        }
      }
      throw JournalError(.unavailable, error.message, cause: error)
    }
  }

  // MARK: Ending

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

  /// Hands all shards over, and ends: what a server does on SIGTERM.
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

/// The membership of a simulated node: what `PostgresMembership` does, with a simulated database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterMembership: Membership, @unchecked Sendable {
  let node: NodeID
  let clusterLanes: [ClusterLane]
  var lanes: [any Lane] { clusterLanes }
  private let keeper: ClusterConnection
  private let process: ClusterProcess

  init(_ process: ClusterProcess, _ keeper: ClusterConnection, _ node: NodeID) {
    clusterLanes = (0..<ClusterProcess.laneCount).map { ClusterLane(process, node, number: $0) }
    self.keeper = keeper
    self.node = node
    self.process = process
  }

  private func call<Value: Sendable>(
    _ execute: @escaping @Sendable (ClusterDatabase, @escaping ClusterDatabase.Reply<Value>) -> Void
  ) async throws(JournalError) -> Value {
    await keeper.enter()
    defer { keeper.leave() }
    return try await keeper.call(isCommit: true, execute)
  }

  func renew() async throws(JournalError) {
    let (node, end) = (node, process.leaseClock.map { $0 + process.database.timeToLive })
    try await call { $0.renew(node, until: end, $1) }
  }

  func claim() async throws(JournalError) -> Claim {
    let (node, time) = (node, process.leaseClock)
    return try await call { $0.claim(by: node, at: time, $1) }
  }

  func shards() async throws(JournalError) -> ShardMap {
    let map: ShardMap = try await call { $1(.success($0.map)) }
    guard process.database.mutation == .ignoredDraining else { return map }
    return ShardMap(shards: map.shards, nodes: map.nodes, records: map.records)
  }

  func move(_ shards: [ShardID], to target: NodeID) async throws(JournalError) -> Int {
    try await call { $1(.success($0.move(shards, to: target))) }
  }

  func drain(_ node: NodeID, _ isDraining: Bool) async throws(JournalError) -> Bool {
    try await call {
      $0.drain(node, isDraining)
      $1(.success(true))
    }
  }

  func place(_ shard: ShardID, on node: NodeID?) async throws(JournalError) -> Bool {
    try await call {
      $0.place(shard, on: node)
      $1(.success(true))
    }
  }

  func leave() async throws(JournalError) {
    let node = node
    let _: Claim = try await call { $0.leave(node, $1) }
  }
}
