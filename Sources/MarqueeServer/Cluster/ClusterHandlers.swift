import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire

/// Handlers of the methods about the servers of a cluster, and the shards of each.
struct ClusterHandlers: Sendable {
  /// The time after which a call returns whose shards have not moved.
  private static let waitMax = Duration.seconds(60)
  /// The time before the deadline of such a call at which it returns.
  private static let reserve = Duration.seconds(1)
  /// The time between two looks at the owners of shards, which this server follows anyway.
  private static let pause = Duration.milliseconds(20)

  /// The membership of this server; `nil` if it belongs to no cluster.
  let store: NodeStore?
  let state: NodeState?
  let logger: Logger

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getCluster, for: .viewer) { _ in
      let store = try self.membership
      return GetClusterResponse(try self.map(store), name: store.cluster.name)
    }
    router.unaryWithContext(AdminService.drainNode, for: .operator) { request, call in
      try await self.drain(request, call, try self.membership)
    }
    router.unaryWithContext(AdminService.moveShard, for: .operator) { request, call in
      try await self.move(request, call, try self.membership)
    }
  }

  /// - Throws: `RPCStatus` if this server belongs to no cluster.
  private var membership: NodeStore {
    get throws {
      guard let store else {
        throw RPCStatus(.failedPrecondition, "the server belongs to no cluster (setting cluster.node)")
      }
      return store
    }
  }

  /// Returns the owners of the shards, as this server knows them.
  private func map(_ store: NodeStore) throws -> ShardMap {
    guard let state, let map = store.latest.map, !state.isLeaseOver else { throw RuntimeError.leaseEnded }
    return map
  }

  private func drain(
    _ request: DrainNodeRequest, _ call: CallContext, _ store: NodeStore
  ) async throws -> DrainNodeResponse {
    let before = try await store.latest.read(store.membership)
    let node = try before.liveNode(named: request.node)
    guard request.isUndo || before.nodes.contains(where: { $0 != node && !before.draining.contains($0) }) else {
      throw RequestError(.failedPrecondition, field: "node", "no other server of the cluster would receive its shards")
    }
    guard try await store.membership.drain(node, !request.isUndo) else { throw RequestError.expiredNode }
    log(request.isUndo ? "node no longer draining" : "node draining", call, ["node": "\(request.node)"])
    _ = try await store.latest.read(store.membership)
    let after = try await wait(store, call) { $0.pendingShards(of: node).isEmpty }
    let pending = Set(after.pendingShards(of: node))
    // Those that are to be moved, of which some may have been when the owners were read again.
    let requested = before.draining(node, !request.isUndo).pendingShards(of: node)
    return DrainNodeResponse(
      shardCount: after.shards(of: node).count, movedShardCount: Set(requested).subtracting(pending).count,
      pendingShardCount: pending.count)
  }

  private func move(
    _ request: MoveShardRequest, _ call: CallContext, _ store: NodeStore
  ) async throws -> MoveShardResponse {
    let before = try await store.latest.read(store.membership)
    let shard = try request.shard(of: before.shards.count)
    let node = try request.isUndo ? nil : before.liveNode(named: request.node)
    if let node, before.draining.contains(node) { throw RequestError.drainingNode }
    guard try await store.membership.place(shard, on: node) else { throw RequestError.drainingNode }
    log(
      node == nil ? "placement of a shard withdrawn" : "shard placed", call,
      ["shard": "\(shard)", "node": "\(request.node)"])
    _ = try await store.latest.read(store.membership)
    let after = try await wait(store, call) { $0[shard].node == $0.target(of: shard) && $0[shard].next == nil }
    func name(_ node: NodeID?) -> String { node.flatMap { after.records[$0] ?? before.records[$0] }?.name ?? "" }
    return MoveShardResponse(
      shard: shard.number, previousNode: name(before[shard].node), node: name(after[shard].node),
      targetNode: name(after.target(of: shard)))
  }

  /// Waits until the shards of a call have moved, or its time is over.
  private func wait(
    _ store: NodeStore, _ call: CallContext, until isDone: (ShardMap) -> Bool
  ) async throws -> ShardMap {
    let end = ContinuousClock.now + min(Self.waitMax, (call.timeLeft ?? .seconds(3_600)) - Self.reserve)
    while true {
      let map = try map(store)
      if isDone(map) || end <= .now { return map }
      try await Task.sleep(for: Self.pause)
    }
  }

  private func log(_ event: Logger.Message, _ call: CallContext, _ metadata: Logger.Metadata) {
    let principal = call.authorizedPrincipal.identity.description.visible(sizeMax: 255)
    logger.notice(event, metadata: metadata.merging(["principal": "\(principal)"]) { $1 })
  }
}

extension RequestError {
  fileprivate static let drainingNode = RequestError(
    .failedPrecondition, field: "node", "the server is draining, or does not renew its lease")
  fileprivate static let expiredNode = RequestError(
    .failedPrecondition, field: "node", "the server does not renew its lease")
}

extension MoveShardRequest {
  /// Returns the shard that the request names, of a number of shards.
  fileprivate func shard(of count: Int) throws(RequestError) -> ShardID {
    guard !isUndo || node.isEmpty else {
      throw RequestError(.invalidArgument, field: "node", "must be empty if the placement is withdrawn")
    }
    switch (shard, device) {
    case (nil, let device?): return ShardID(of: device, count: count)
    case (let shard?, nil):
      guard shard < count else {
        throw RequestError(
          .invalidArgument, field: "shard", "\(shard) is out of range: the cluster has the shards 0 to \(count - 1)")
      }
      return ShardID(shard)
    case (nil, nil), (_?, _?):
      throw RequestError(.invalidArgument, field: "shard", "either a shard or a device is required")
    }
  }
}

extension ShardMap {
  /// Returns the map with a node that is draining, or is not.
  fileprivate func draining(_ node: NodeID, _ isDraining: Bool) -> ShardMap {
    let others = draining.subtracting([node])
    return ShardMap(
      shards: shards, nodes: nodes, records: records, draining: isDraining ? others.union([node]) : others)
  }

  /// Returns the node with a name, and with a lease that has not expired.
  ///
  /// A node that waits until an earlier one of its name is dead is not returned.
  fileprivate func liveNode(named name: String) throws(RequestError) -> NodeID {
    guard !name.isEmpty else {
      throw RequestError(.invalidArgument, field: "node", "required field is missing")
    }
    if let node = nodes.first(where: { records[$0]?.name == name }) { return node }
    guard records.values.contains(where: { $0.name == name }) else {
      throw RequestError(.notFound, field: "node", "no server of the cluster has this name")
    }
    throw .expiredNode
  }
}

extension GetClusterResponse {
  /// The maximum number of placed shards that are listed.
  private static let placedShardCountMax = 1_000

  /// Creates a response.
  ///
  /// - Parameter name: The name of this server.
  fileprivate init(_ map: ShardMap, name: String) {
    let live = Set(map.nodes)
    let records = map.records.sorted { ($0.value.name, $0.key) < ($1.value.name, $1.key) }
    let placed = map.shards.enumerated().lazy.compactMap { number, ownership in
      ownership.placement.map { PlacedShard(shard: number, node: map.records[$0]?.name ?? "") }
    }
    self.init(
      node: name,
      nodes: records.map { node, record in
        NodeSummary(
          name: record.name, address: record.address ?? "", isLive: live.contains(node),
          shardCount: map.shards(of: node).count, isDraining: map.draining.contains(node),
          advertisedAddress: record.advertisedAddress ?? "")
      },
      shardCount: map.shards.count,
      unservedShardCount: map.shards.count { $0.node.map { !live.contains($0) } ?? true },
      movingShardCount: map.movingShards().count, placedShards: Array(placed.prefix(Self.placedShardCountMax)))
  }
}
