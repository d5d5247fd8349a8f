import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeRPC
import MarqueeRuntime
import ServiceLifecycle

/// A service that keeps this server a node of its cluster, by the control loops that the simulation of clusters runs,
/// too: see ``NodeController``.
///
/// It must stop after the runtime, whose devices nobody else may have before.
struct NodeService: Service {
  /// The time between two comparisons of the sessions with those of the database.
  private static let sessionPeriod = Duration.milliseconds(100)
  /// The time between two of them if the database cannot be reached.
  private static let retryPause = Duration.milliseconds(500)

  private let controller: NodeController
  private let sessions: SessionTable
  private let core: ServerCore
  private let logger: Logger

  init(_ store: NodeStore, _ state: NodeState, _ core: ServerCore, _ logger: Logger) {
    controller = NodeController(
      ServerNode(store: store, state: state, core: core, logger: logger), store.membership, store.lease,
      latest: store.latest)
    sessions = store.sessions
    self.core = core
    self.logger = logger
  }

  /// Gives the shards to other nodes while their devices are served: see ``NodeController/giveAway(within:)``.
  ///
  /// It returns after the time also if the database does not answer, whose calls are never cancelled.
  func giveAway(within limit: Duration) async {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    let giving = Task {
      await controller.giveAway(within: limit)
      continuation.finish()
    }
    let timer = Task {
      // A cancelled task ends the wait, too.
      try? await Task.sleep(for: limit, clock: .continuous)
      continuation.finish()
    }
    for await _ in end {}
    giving.cancel()
    timer.cancel()
  }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup { group in
          group.addTask { try await controller.run() }
          group.addTask { try await followSessions() }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
    } catch is CancellationError {
      return
    }
  }

  /// Reads the sessions that other nodes have created or revoked, until the task is cancelled, and ends what revoked
  /// ones are in use for. Without the database, none is accepted once the lease has ended: see ``AccessController``.
  private func followSessions() async throws {
    var (revocationCount, unreadableCount, isFailing) = (sessions.revocationCount, 0, false)
    while true {
      try await Task.sleep(for: isFailing ? Self.retryPause : Self.sessionPeriod)
      do throws(JournalError) {
        try await sessions.refresh()
        isFailing = false
      } catch {
        if !isFailing { logger.warning("reading the sessions of clients failed", metadata: ["error": "\(error)"]) }
        isFailing = true
      }
      if sessions.unreadableCount != unreadableCount {
        unreadableCount = sessions.unreadableCount
        logger.warning("sessions of clients cannot be read, and are refused", metadata: ["count": "\(unreadableCount)"])
      }
      // A session that this node has created or revoked can come with revocations of others.
      guard sessions.revocationCount != revocationCount else { continue }
      revocationCount = sessions.revocationCount
      core.access.invalidate()
      core.streams.revalidate()
    }
  }
}

/// The server as the process of a node.
private struct ServerNode: NodeHost {
  let store: NodeStore
  let state: NodeState
  let core: ServerCore
  let logger: Logger

  var now: Duration { store.renewedAt.duration(to: .now) }

  var served: Set<ShardID> {
    get { state.served }
    nonmutating set { state.served = newValue }
  }

  func sleep(_ span: Duration) async throws { try await Task.sleep(for: span, clock: .continuous) }

  func setLease(_ lease: NodeLease?) {
    state.leaseEnd = lease.map { store.end(of: $0) } ?? .now
    // Event loops that wait without a lease go on.
    core.runtime.checkClock()
  }

  func endStreams() {
    core.endStreams(RPCStatus(.unavailable, RuntimeError.leaseEnded.message))
    // The sessions of connections are looked up again, and refused.
    core.access.invalidate()
  }

  func setOwners(_ map: ShardMap) {
    let node = store.membership.node
    state.owners = map.owners(besides: node)
    state.others = Set(map.nodes.filter { $0 != node }.compactMap { map.records[$0] })
  }

  func beginServing(_ shards: [ShardID]) async throws {
    try await unlessStopped { try await core.beginServing(shards) }
  }

  func endServing(_ shards: [ShardID], next: NodeRecord?) async throws {
    // Calls about them go on there before the other shards are handed over.
    if let next { state.setOwner(next, of: shards) }
    try await unlessStopped { try await core.endServing(ShardSet(shards, of: state.shardCount), owner: next) }
  }

  private func unlessStopped(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as RuntimeError where error.code == .stopped {
      // The server shuts down, or ends with the runtime's error.
      throw JournalError(.closed, "the server stops")
    }
  }

  func report(_ event: NodeEvent) {
    switch event {
    case .renewalFailed(let error, let isRepeated):
      core.health.recordWrite(false)
      if !isRepeated { logger.warning("renewing the lease failed", metadata: ["error": "\(error)"]) }
    case .renewedAgain: logger.notice("lease renewed again")
    case .leaseEnded: logger.error("the lease has ended, and the node serves no devices until it is renewed")
    case .declaredDead: logger.error("the other nodes have declared this node dead")
    case .claimed(let claim):
      var metadata: Logger.Metadata = ["shards": "\(claim.shardCount)"]
      if let dead = claim.deadNode { metadata["dead_node"] = "\(dead)" }
      logger.notice("shards claimed", metadata: metadata)
    case .requested(let count): logger.info("shards requested", metadata: ["shards": "\(count)"])
    case .handedOver(let count): logger.info("shards handed over", metadata: ["shards": "\(count)"])
    case .began(let count): logger.info("serving shards", metadata: ["shards": "\(count)"])
    case .givingAwayFailed(let error):
      logger.warning("giving the shards to other nodes failed", metadata: ["error": "\(error)"])
    case .resolutionFailed(let error): logger.warning("resolving a batch failed", metadata: ["error": "\(error)"])
    case .followingFailed(let error):
      logger.warning("following the owners of shards failed", metadata: ["error": "\(error)"])
    }
  }
}
