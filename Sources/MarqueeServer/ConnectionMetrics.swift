import MarqueeRPC
import MarqueeTransport
import Metrics
import Synchronization

/// Tells what the transport has counted: recorded when somebody looks, so that it costs connections nothing.
final class ConnectionMetrics: Sendable {
  private let open: Gauge
  private let running: Gauge
  private let factory: any MetricsFactory
  /// What has been told of.
  private let told = Mutex<[String: Int]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    open = Gauge(label: "marquee_connections_open", dimensions: [], factory: factory)
    running = Gauge(label: "marquee_calls_running", dimensions: [], factory: factory)
  }

  func record(_ counts: ServerCounts) {
    open.record(counts.connectionsOpen)
    running.record(counts.callsRunning)
    told.withLock { told in
      add(counts.connectionsAccepted, "marquee_connections_total", "", &told)
      add(counts.connectionsRefused, "marquee_limits_refused_total", "connections", &told)
      for reason in ConnectionFailure.Reason.allCases {
        add(counts.connectionsFailed[reason] ?? 0, "marquee_connections_failed_total", reason.rawValue, &told)
      }
      add(counts.refusals.overStreamLimit, "marquee_limits_refused_total", "calls", &told)
      add(counts.refusals.oversized, "marquee_limits_refused_total", "message_size", &told)
      add(counts.refusals.malformed, "marquee_limits_refused_total", "metadata", &told)
      add(counts.refusals.late, "marquee_limits_refused_total", "deadline", &told)
    }
  }

  private func add(_ count: Int, _ name: String, _ reason: String, _ told: inout [String: Int]) {
    let dimensions = reason.isEmpty ? [] : [("reason", reason)]
    let counter = Counter(label: name, dimensions: dimensions, factory: factory)
    counter.increment(by: count - told[name + reason, default: 0])
    told[name + reason] = count
  }
}
