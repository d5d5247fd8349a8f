import MarqueeCluster
import MarqueeJournal

/// The membership of a simulated node: what `PostgresMembership` does, with a simulated database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterMembership: Membership, @unchecked Sendable {
  let node: NodeID
  let clusterLanes: [ClusterLane]
  var lanes: [any Lane] { clusterLanes }
  private let keeper: ClusterConnection
  private let process: ClusterProcess
  /// The number of announcements that the node has seen.
  private var seenCount = -1

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
    let (node, timeToLive) = (node, process.database.timeToLive)
    // The product renews three times in a time to live.
    if process.database.mutation == .rareRenewal { await process.pause(timeToLive * 2 / 3) }
    let end = process.leaseClock.map { $0 + timeToLive }
    do {
      try await call { $0.renew(node, until: end, $1) }
    } catch {
      guard process.database.mutation == .leaseWithoutReply, error.code != .fenced else { throw error }
    }
  }

  func claim() async throws(JournalError) -> Claim {
    let (node, time, rows) = (node, process.leaseClock, process.database.rows)
    let claim: Claim = try await call { $0.claim(by: node, at: time, $1) }
    if claim.shardCount > 0 { readAhead(process.database.shards.indices.map { ShardID($0) }, rows) }
    return claim
  }

  func shards() async throws(JournalError) -> ShardMap {
    let map: ShardMap = try await call { $1(.success($0.map)) }
    guard process.database.mutation == .ignoredDraining else { return map }
    return ShardMap(shards: map.shards, nodes: map.nodes, records: map.records)
  }

  func haveShardsChanged() async throws(JournalError) -> Bool {
    defer { seenCount = process.database.announcementCount }
    return seenCount != process.database.announcementCount
  }

  private func readAhead(_ shards: [ShardID], _ rows: ClusterRows) {
    for shard in shards where !process.served.contains(shard) {
      clusterLanes[shard.eventLoop(of: lanes.count)].readAhead(shard, rows)
    }
  }

  func move(_ shards: [ShardID], to target: NodeID) async throws(JournalError) -> Int {
    if target == node { readAhead(shards, process.database.rows) }
    return try await call { $1(.success($0.move(shards, to: target))) }
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
