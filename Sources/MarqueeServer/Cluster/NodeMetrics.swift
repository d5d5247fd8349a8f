import MarqueeRuntime
import Metrics

/// The metrics of a node of a cluster, which are computed when metrics are read.
struct NodeMetrics: Sendable {
  private let lease: Gauge
  private let served: Gauge
  private let shards: Gauge

  init(_ factory: any MetricsFactory) {
    lease = Gauge(label: "marquee_lease_seconds", dimensions: [], factory: factory)
    shards = Gauge(label: "marquee_shards", dimensions: [], factory: factory)
    served = Gauge(label: "marquee_shards_served", dimensions: [], factory: factory)
  }

  func record(_ state: NodeState) {
    lease.record(max(.zero, ContinuousClock.now.duration(to: state.leaseEnd)) / .seconds(1))
    served.record(state.isLeaseOver ? 0 : state.served.count)
    shards.record(state.shardCount)
  }
}
