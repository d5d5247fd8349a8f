import MarqueeModel
import Metrics

/// The metrics of the runtime.
struct RuntimeMetrics: Sendable {
  /// Durable events.
  let events: Counter
  /// Rejected requests.
  let rejections: Counter
  /// Performed decisions, by kind.
  let decisions: [(Decision.Kind, Counter)]
  /// Outcomes of decisions and predictions, and blocked decisions.
  let outcomes: OutcomeMetrics
  /// Decisions that were never recorded because too many were unrecorded.
  let decisionsUnrecorded: Counter
  /// Failed writes that left the journal unchanged.
  let writeFailures: Counter
  /// The duration of a write until it was durable.
  let commitDuration: Metrics.Timer
  /// The number of records in a write.
  let commitRecords: Recorder
  /// The number of queued requests at the beginning of a batch.
  let queuedRequests: Recorder
  /// The delay of a device's wake.
  let wakeLateness: Metrics.Timer
  /// The number of loaded devices, by shard.
  let loadedDevices: [Gauge]
  /// The lead of the device clock that is furthest ahead, by shard.
  let clockAhead: [Gauge]

  init(_ factory: any MetricsFactory, shardCount: Int = 1) {
    events = Counter(label: "marquee_events_total", dimensions: [], factory: factory)
    rejections = Counter(label: "marquee_rejections_total", dimensions: [], factory: factory)
    decisions = Decision.Kind.allCases.map { kind in
      (kind, Counter(label: "marquee_decisions_total", dimensions: [("kind", kind.word)], factory: factory))
    }
    outcomes = OutcomeMetrics(factory)
    decisionsUnrecorded = Counter(label: "marquee_decisions_unrecorded_total", dimensions: [], factory: factory)
    writeFailures = Counter(label: "marquee_write_failures_total", dimensions: [], factory: factory)
    commitDuration = Timer(label: "marquee_commit_duration", dimensions: [], factory: factory)
    commitRecords = Recorder(label: "marquee_commit_records", dimensions: [], aggregate: true, factory: factory)
    queuedRequests = Recorder(label: "marquee_queued_requests", dimensions: [], aggregate: true, factory: factory)
    wakeLateness = Timer(label: "marquee_wake_lateness", dimensions: [], factory: factory)
    clockAhead = (0..<shardCount).map { shard in
      Gauge(label: "marquee_device_clock_ahead_seconds", dimensions: [("shard", "\(shard)")], factory: factory)
    }
    loadedDevices = (0..<shardCount).map { shard in
      Gauge(label: "marquee_devices_loaded", dimensions: [("shard", "\(shard)")], factory: factory)
    }
  }
}
