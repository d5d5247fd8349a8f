import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeRPC
import MarqueeRuntime
import ServiceLifecycle

/// A service that keeps this server a node of its cluster: it renews the lease, claims the shards of dead nodes, and
/// serves the shards that the node owns.
///
/// It must stop after the runtime, whose devices nobody else may have before. Nothing but the lease depends on time: a
/// node that is suspended answers nothing after its lease has ended, and writes nothing that the database accepts.
struct NodeService: Service {
  /// The time between two claims.
  private static let claimPeriod = Duration.seconds(1)
  /// The time between two checks of the announcements of changed shards, which need no round trip.
  private static let announcementPeriod = Duration.milliseconds(20)
  /// The maximum number of shards of an event loop that are handed over together. Their devices are not served until
  /// the snapshots of all of them have been written.
  private static let handOverCountMax = 16
  /// The number of renewals in a time to live.
  private static let renewalCount = 3
  /// The time after which a failed renewal is repeated.
  private static let retryPause = Duration.milliseconds(250)

  let store: NodeStore
  let state: NodeState
  let core: ServerCore
  let logger: Logger

  private var membership: any Membership { store.membership }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup { group in
          group.addTask { try await renew() }
          group.addTask { try await watchLease() }
          group.addTask { try await followShards() }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
    } catch is CancellationError {
      return
    }
  }

  /// Renews the lease until the task is cancelled.
  ///
  /// - Throws: `JournalError` `fenced` if the node has been declared dead.
  private func renew() async throws {
    var lease = store.lease
    var isFailing = false
    while true {
      try await Task.sleep(for: isFailing ? Self.retryPause : store.cluster.timeToLive / Self.renewalCount)
      let sentAt = ContinuousClock.now
      do {
        try await membership.renew()
        lease.renew(sentAt: store.renewedAt.duration(to: sentAt))
        state.leaseEnd = store.end(of: lease)
        // Event loops that wait without a lease go on.
        core.runtime.checkClock()
        if isFailing { logger.notice("lease renewed again") }
        isFailing = false
      } catch {
        guard error.code != .fenced else {
          state.leaseEnd = .now
          logger.error("the other nodes have declared this node dead")
          throw error
        }
        core.health.recordWrite(false)
        if !isFailing { logger.warning("renewing the lease failed", metadata: ["error": "\(error)"]) }
        isFailing = true
      }
    }
  }

  /// Ends the streams of devices whenever the lease ends, because their updates would be out of date.
  private func watchLease() async throws {
    var isOver = false
    while true {
      let end = state.leaseEnd
      if end > .now {
        isOver = false
        try await Task.sleep(until: end, clock: .continuous)
        continue
      }
      if !isOver {
        logger.error("the lease has ended, and the node serves no devices until it is renewed")
        core.endStreams(RPCStatus(.unavailable, RuntimeError.leaseEnded.message))
        isOver = true
      }
      try await Task.sleep(for: Self.retryPause)
    }
  }

  /// Claims shards, and serves those that the node owns, until the task is cancelled.
  ///
  /// - Throws: `JournalError` `fenced` if the node has been declared dead.
  private func followShards() async throws {
    var claimAt = ContinuousClock.now
    var isFailing = false
    while true {
      do {
        if claimAt <= .now {
          claimAt = .now + Self.claimPeriod
          try await claim()
          try await update()
        } else if try await store.membership.haveShardsChanged() {
          try await update()
        }
        isFailing = false
      } catch let error as RuntimeError where error.code == .stopped {
        // The server shuts down, or ends with the runtime's error.
      } catch let error as JournalError where error.code != .fenced {
        if !isFailing { logger.warning("following the owners of shards failed", metadata: ["error": "\(error)"]) }
        isFailing = true
        // As at the start, the state of the lanes is unknown.
        claimAt = .now + Self.claimPeriod
      }
      try await Task.sleep(for: Self.announcementPeriod)
    }
  }

  private func claim() async throws(JournalError) {
    let claim = try await membership.claim()
    guard claim != Claim() else { return }
    var metadata: Logger.Metadata = ["shards": "\(claim.shardCount)"]
    if let dead = claim.deadNode { metadata["dead_node"] = "\(dead)" }
    logger.notice("shards claimed", metadata: metadata)
  }

  /// Hands shards over, and begins to serve others, as the database says.
  private func update() async throws {
    let map = try await store.latest.read(membership)
    let own = map.shards(of: membership.node)
    updateOwners(map)
    let leaving = own.filter { map[$0].next != nil }
    for (lane, shards) in byLane(leaving) {
      for start in stride(from: 0, to: shards.count, by: Self.handOverCountMax) {
        try await handOver(Array(shards[start...].prefix(Self.handOverCountMax)), map, lane)
      }
    }
    let missing = own.filter { map[$0].next == nil && !state.served.contains($0) }
    for (lane, _) in byLane(missing) { try await acquire(lane) }
    // Each node requests its own shards. Those of a node that does not renew its lease are to be claimed first.
    guard map.isClaimed, let shards = map.imbalance()[membership.node] else { return }
    let count = try await membership.move(shards, to: membership.node)
    if count > 0 { logger.info("shards requested", metadata: ["shards": "\(count)"]) }
  }

  private func byLane(_ shards: [ShardID]) -> [(lane: any Lane, shards: [ShardID])] {
    membership.lanes.map { lane in
      (lane, shards.filter { $0.eventLoop(of: membership.lanes.count) == lane.number })
    }.filter { !$0.shards.isEmpty }
  }

  private func updateOwners(_ map: ShardMap) {
    let others = map.records.filter { $0.key != membership.node }
      .mapValues { ShardOwner(name: $0.name, address: $0.address) }
    var owners: [ShardID: ShardOwner] = [:]
    for (number, ownership) in map.shards.enumerated() {
      if let owner = ownership.node.flatMap({ others[$0] }) { owners[ShardID(number)] = owner }
    }
    state.owners = owners
    state.others = Set(map.nodes.compactMap { others[$0] })
  }

  /// Ends serving shards of one event loop, and hands them to other nodes.
  private func handOver(_ shards: [ShardID], _ map: ShardMap, _ lane: any Lane) async throws {
    // Calls that arrive from now on wait for the next owner.
    state.served.subtract(shards)
    for (target, shards) in Dictionary(grouping: shards, by: { map[$0].next }) {
      let record = target.flatMap { map.records[$0] }
      let owner = record.map { ShardOwner(name: $0.name, address: $0.address) }
      try await core.endServing(ShardSet(shards, of: state.shardCount), owner: owner)
    }
    let moved = try await resolving(lane) { (lane) throws(JournalError) in try await lane.handOver(shards) }
    logger.info("shards handed over", metadata: ["shards": "\(moved.count)"])
  }

  /// Begins to serve the shards that an event loop owns.
  private func acquire(_ lane: any Lane) async throws {
    let owned = try await resolving(lane) { (lane) throws(JournalError) in try await lane.acquire().map(\.shard) }
    try await core.beginServing(owned)
    let added = Set(owned).subtracting(state.served)
    state.served.formUnion(added)
    if !added.isEmpty { logger.info("serving shards", metadata: ["shards": "\(added.count)"]) }
  }

  /// Executes a batch of a lane. If its outcome is unknown, makes it known, so that the lane can be used again.
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
          guard error.code != .fenced, !Task.isCancelled else { throw error }
          logger.warning("resolving a batch failed", metadata: ["error": "\(error)"])
          // A cancelled task ends with the next attempt.
          try? await Task.sleep(for: Self.retryPause)
        }
      }
      throw JournalError(.unavailable, error.message, cause: error)
    }
  }
}
