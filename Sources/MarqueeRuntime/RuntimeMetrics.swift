import Metrics

/// What the runtime tells of itself, through the metrics system that the process has chosen.
struct RuntimeMetrics: Sendable {
  /// Events that became durable.
  let events: Counter
  /// Requests that were refused.
  let refusals: Counter
  /// Decisions that were performed.
  let rotations: Counter
  let suggestions: Counter
  /// What came of decisions and predictions, and what held those that were not taken.
  let outcomes: OutcomeMetrics
  /// Decisions whose row was given up because too many waited to be written.
  let decisionsUnrecorded: Counter
  /// Writes that failed and left the journal as it was.
  let writeFailures: Counter
  /// How long a write took until it was durable.
  let commitDuration: Metrics.Timer
  /// Records in a write.
  let commitRecords: Recorder
  /// Requests that waited when a turn began.
  let queuedRequests: Recorder
  /// How late a device was woken.
  let wakeLateness: Metrics.Timer
  /// Devices in memory, of each shard.
  let loadedDevices: [Gauge]

  init(_ factory: any MetricsFactory, shardCount: Int = 1) {
    events = Counter(label: "marquee_events_total", dimensions: [], factory: factory)
    refusals = Counter(label: "marquee_refusals_total", dimensions: [], factory: factory)
    let decisions = "marquee_decisions_total"
    rotations = Counter(label: decisions, dimensions: [("kind", "rotation")], factory: factory)
    suggestions = Counter(label: decisions, dimensions: [("kind", "suggestion")], factory: factory)
    outcomes = OutcomeMetrics(factory)
    decisionsUnrecorded = Counter(label: "marquee_decisions_unrecorded_total", dimensions: [], factory: factory)
    writeFailures = Counter(label: "marquee_write_failures_total", dimensions: [], factory: factory)
    commitDuration = Timer(label: "marquee_commit_duration", dimensions: [], factory: factory)
    commitRecords = Recorder(label: "marquee_commit_records", dimensions: [], aggregate: true, factory: factory)
    queuedRequests = Recorder(label: "marquee_queued_requests", dimensions: [], aggregate: true, factory: factory)
    wakeLateness = Timer(label: "marquee_wake_lateness", dimensions: [], factory: factory)
    loadedDevices = (0..<shardCount).map { shard in
      Gauge(label: "marquee_devices_loaded", dimensions: [("shard", "\(shard)")], factory: factory)
    }
  }
}
