extension MarqueeServer {
  /// What the server's metrics are, by their names in Prometheus.
  public static let metricHelp = [
    "marquee_calls_running": "Calls whose handler runs.",
    "marquee_calls_total": "Calls that have ended, by method and status code.",
    "marquee_call_duration_seconds": "From a request, or the opening of a streaming call, to the handler's end.",
    "marquee_commit_duration_seconds": "From a loop's write to its being durable, the flush to the disk included.",
    "marquee_commit_records": "Events, decisions, devices and snapshots in one write of a loop.",
    "marquee_connections_failed_total": "Connections that the protocol ended, by cause.",
    "marquee_connections_open": "Connections that are open.",
    "marquee_connections_total": "Connections that were accepted.",
    "marquee_decision_outcomes_total":
      "Decisions whose widget was used within half an hour, while in front or later, or was not, by kind.",
    "marquee_decisions_stopped_total":
      "Times that a gate became the one that held the best candidate, by kind of decision and gate.",
    "marquee_decisions_total": "Decisions that were shown, by kind.",
    "marquee_decisions_unrecorded_total": "Decisions that were shown and that the log will not have.",
    "marquee_devices_loaded": "Devices in memory, by shard.",
    "marquee_events_total": "Events that became durable.",
    "marquee_limits_refused_total": "Connections, calls and messages refused by the transport, by the limit met.",
    "marquee_predictions_judged_total":
      "Predictions of widgets that came true or whose half hour was over, by the sixteenths of their probability.",
    "marquee_predictions_squared_error_total": "Squares of what stated probabilities were off by, summed up.",
    "marquee_predictions_stated_total": "Probabilities that judged predictions stated, summed up.",
    "marquee_predictions_true_total": "Predictions that came true within half an hour.",
    "marquee_queued_requests": "Requests that waited when a loop took its turn.",
    "marquee_refusals_total": "Requests that a loop refused.",
    "marquee_wake_lateness_seconds": "How late a device did what was due.",
    "marquee_write_failures_total": "Writes that failed and left the journal as it was.",
  ]
}
