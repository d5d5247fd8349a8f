import MarqueeRPC
import MarqueeTransport
import Metrics
import Synchronization

/// The metrics of connections, copied from the transport's counters when metrics are read, at no cost per connection.
final class ConnectionMetrics: Sendable {
  private let open: Gauge
  private let openByProtocol: [(ConnectionProtocol, Gauge)]
  private let running: Gauge
  private let factory: any MetricsFactory
  /// The counts that were recorded so far.
  private let recorded = Mutex<[String: Int]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    open = Gauge(label: "marquee_connections_open", dimensions: [], factory: factory)
    openByProtocol = ConnectionProtocol.allCases.map { known in
      let dimensions = [("protocol", known.rawValue)]
      return (known, Gauge(label: "marquee_connections_by_protocol", dimensions: dimensions, factory: factory))
    }
    running = Gauge(label: "marquee_calls_running", dimensions: [], factory: factory)
  }

  func record(_ counts: ServerCounts) {
    open.record(counts.connectionsOpen)
    for (known, gauge) in openByProtocol { gauge.record(counts.connectionsOpenByProtocol[known] ?? 0) }
    running.record(counts.callsRunning)
    recorded.withLock { recorded in
      add(counts.connectionsAccepted, "marquee_connections_total", "", &recorded)
      add(counts.connectionsRejected, "marquee_limits_rejected_total", "connections", &recorded)
      for reason in ConnectionFailure.Reason.allCases {
        add(counts.connectionsFailed[reason] ?? 0, "marquee_connections_failed_total", reason.rawValue, &recorded)
      }
      add(counts.rejections.overStreamLimit, "marquee_limits_rejected_total", "calls", &recorded)
      add(counts.rejections.resourceExhausted, "marquee_limits_rejected_total", "resource_exhausted", &recorded)
      add(counts.rejections.malformed, "marquee_limits_rejected_total", "metadata", &recorded)
      add(counts.rejections.late, "marquee_limits_rejected_total", "deadline", &recorded)
    }
  }

  private func add(_ count: Int, _ name: String, _ reason: String, _ recorded: inout [String: Int]) {
    let dimensions = reason.isEmpty ? [] : [("reason", reason)]
    let counter = Counter(label: name, dimensions: dimensions, factory: factory)
    counter.increment(by: count - recorded[name + reason, default: 0])
    recorded[name + reason] = count
  }
}
