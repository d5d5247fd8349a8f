import MarqueeCluster
import MarqueeJournal
import Synchronization

/// The control loops of a node: renews the lease, claims the shards of dead nodes, hands over those that others are to
/// have, and serves the ones that the node owns.
///
/// It must stop after the event loops, whose devices nobody else may have before. Nothing but the lease depends on
/// time: a node that is suspended answers nothing after its lease has ended, and writes nothing that the database
/// accepts.
package final class NodeController: Sendable {
  /// The time between two claims.
  private static let claimPeriod = Duration.seconds(1)
  /// The time between two checks of the announcements of changed shards, which need no round trip.
  private static let announcementPeriod = Duration.milliseconds(20)
  /// The number of renewals in a time to live.
  private static let renewalCount = 3
  /// The time after which a failed renewal is repeated.
  private static let retryPause = Duration.milliseconds(250)
  /// The maximum number of shards of an event loop that are handed over together unless configured otherwise. Their
  /// devices are not served until the snapshots of all of them have been written.
  package static let handOverCountMaxDefault = 16

  private let host: any NodeHost
  private let membership: any Membership
  private let latest: LatestShardMap
  private let handOverCountMax: Int
  private let lease: Mutex<NodeLease>

  /// Creates the control loops of a node that has joined.
  ///
  /// - Parameters:
  ///   - host: The process.
  ///   - membership: The membership.
  ///   - lease: The lease that the node has since it joined, by the host's clock.
  ///   - latest: Receives the owners of the shards.
  ///   - handOverCountMax: The maximum number of shards of an event loop that are handed over together.
  package init(
    _ host: any NodeHost, _ membership: any Membership, _ lease: NodeLease, latest: LatestShardMap = LatestShardMap(),
    handOverCountMax: Int = handOverCountMaxDefault
  ) {
    self.handOverCountMax = handOverCountMax
    self.host = host
    self.latest = latest
    self.lease = Mutex(lease)
    self.membership = membership
  }

  /// Runs until the task is cancelled.
  ///
  /// - Throws: `CancellationError`, `JournalError` `fenced` if the node has been declared dead, or an error of the
  ///   host after which the process must end.
  package func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.renew() }
      group.addTask { try await self.watchLease() }
      group.addTask { try await self.followShards() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: Leaving

  /// Gives the shards to other nodes, a few at a time, while their devices are served and the control loops run.
  ///
  /// The node is draining afterwards. Returns once it has no shards, no other node can get them, the database cannot be
  /// reached, or after a time: the rest moves when the node leaves.
  ///
  /// - Parameter limit: The maximum time.
  package func giveAway(within limit: Duration) async {
    let end = host.now + limit
    guard !Task.isCancelled else { return }
    do {
      guard try await membership.drain(membership.node, true) else { return }
      var map = try await latest.read(membership)
      while host.now < end, !map.shards(of: membership.node).isEmpty,
        map.nodes.contains(where: { $0 != membership.node && !map.draining.contains($0) })
      {
        try await host.sleep(Self.announcementPeriod)
        map = latest.map ?? map
      }
    } catch let error as JournalError {
      host.report(.givingAwayFailed(error))
    } catch {
      // The process is cancelled.
      return
    }
  }

  // MARK: The lease

  private func renew() async throws {
    var isFailing = false
    while true {
      try await host.sleep(isFailing ? Self.retryPause : lease.withLock(\.timeToLive) / Self.renewalCount)
      let sentAt = host.now
      do {
        try await membership.renew()
        extendLease(from: sentAt)
        if isFailing { host.report(.renewedAgain) }
        isFailing = false
      } catch {
        guard error.code != .fenced else {
          host.setLease(nil)
          host.report(.declaredDead)
          throw error
        }
        host.report(.renewalFailed(error, isRepeated: isFailing))
        isFailing = true
      }
    }
  }

  private func extendLease(from sentAt: Duration) {
    host.setLease(
      lease.withLock { lease in
        lease.renew(sentAt: sentAt)
        return lease
      })
  }

  /// Ends the streams of devices whenever the lease ends, because their updates would be out of date.
  private func watchLease() async throws {
    var isOver = false
    while true {
      let rest = lease.withLock(\.validUntil) - host.now
      if rest > .zero {
        isOver = false
        try await host.sleep(rest)
        continue
      }
      if !isOver {
        host.endStreams()
        host.report(.leaseEnded)
        isOver = true
      }
      try await host.sleep(Self.retryPause)
    }
  }

  // MARK: Shards

  private func followShards() async throws {
    var claimAt = host.now
    var isFailing = false
    while true {
      do {
        if claimAt <= host.now {
          claimAt = host.now + Self.claimPeriod
          let claim = try await membership.claim()
          if claim != Claim() { host.report(.claimed(claim)) }
          try await update()
        } else if try await membership.haveShardsChanged() {
          try await update()
        }
        isFailing = false
      } catch let error as JournalError where error.code != .fenced {
        // After `closed`, the process ends, and cancels this task.
        if !isFailing, error.code != .closed { host.report(.followingFailed(error)) }
        isFailing = true
        // As at the start, the state of the lanes is unknown.
        claimAt = host.now + Self.claimPeriod
      }
      try await host.sleep(Self.announcementPeriod)
    }
  }

  /// Hands shards over, and begins to serve others, as the database says.
  private func update() async throws {
    let map = try await latest.read(membership)
    let own = map.shards(of: membership.node)
    host.setOwners(map)
    for (lane, shards) in byLane(own.filter { map[$0].next != nil }) {
      for start in stride(from: 0, to: shards.count, by: handOverCountMax) {
        try await handOver(Array(shards[start...].prefix(handOverCountMax)), map, lane)
      }
    }
    let served = host.served
    let missing = own.filter { map[$0].next == nil && !served.contains($0) }
    for (lane, _) in byLane(missing) { try await acquire(lane) }
    // Each node requests its own shards. Those of a node that does not renew its lease are to be claimed first.
    guard map.isClaimed, let shards = map.imbalance()[membership.node] else { return }
    let count = try await membership.move(shards, to: membership.node)
    if count > 0 { host.report(.requested(shardCount: count)) }
  }

  private func byLane(_ shards: [ShardID]) -> [(lane: any Lane, shards: [ShardID])] {
    membership.lanes.map { lane in
      (lane, shards.filter { $0.eventLoop(of: membership.lanes.count) == lane.number })
    }.filter { !$0.shards.isEmpty }
  }

  /// Ends serving shards of one event loop, and hands them to other nodes.
  private func handOver(_ shards: [ShardID], _ map: ShardMap, _ lane: any Lane) async throws {
    // Calls that arrive from now on wait for the next owner.
    host.served.subtract(shards)
    for next in Set(shards.compactMap { map[$0].next }).sorted() {
      try await host.endServing(shards.filter { map[$0].next == next }, next: map.records[next])
    }
    let moved = try await resolving(lane) { (lane) throws(JournalError) in try await lane.handOver(shards) }
    host.report(.handedOver(shardCount: moved.count))
  }

  /// Begins to serve the shards that an event loop owns.
  private func acquire(_ lane: any Lane) async throws {
    let owned = try await resolving(lane) { (lane) throws(JournalError) in try await lane.acquire().map(\.shard) }
    try await host.beginServing(owned)
    let added = Set(owned).subtracting(host.served)
    host.served.formUnion(added)
    if !added.isEmpty { host.report(.began(shardCount: added.count)) }
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
          host.report(.resolutionFailed(error))
          // A cancelled task ends with the next attempt.
          try? await host.sleep(Self.retryPause)
        }
      }
      throw JournalError(.unavailable, error.message, cause: error)
    }
  }
}
