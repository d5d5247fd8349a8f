import MarqueeCluster
import MarqueeRPC
import MarqueeRuntime
import MarqueeWire

/// The handler of `GetCluster`.
struct ClusterHandler: Sendable {
  /// The membership of this server; `nil` if it belongs to no cluster.
  let store: NodeStore?
  let state: NodeState?

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getCluster, for: .viewer) { [store, state] _ in
      guard let store, let state else {
        throw RPCStatus(.failedPrecondition, "the server belongs to no cluster (setting cluster.node)")
      }
      guard let map = store.latest.map, !state.isLeaseOver else { throw RuntimeError.leaseEnded }
      return GetClusterResponse(map, name: store.cluster.name)
    }
  }
}

extension GetClusterResponse {
  /// Creates a response.
  ///
  /// - Parameter name: The name of this server.
  fileprivate init(_ map: ShardMap, name: String) {
    let live = Set(map.nodes)
    let records = map.records.sorted { ($0.value.name, $0.key) < ($1.value.name, $1.key) }
    self.init(
      node: name,
      nodes: records.map { node, record in
        NodeSummary(
          name: record.name, address: record.address ?? "", isLive: live.contains(node),
          shardCount: map.shards(of: node).count)
      },
      shardCount: map.shards.count,
      unservedShardCount: map.shards.count { $0.node.map { !live.contains($0) } ?? true },
      movingShardCount: map.shards.count { $0.next != nil })
  }
}
