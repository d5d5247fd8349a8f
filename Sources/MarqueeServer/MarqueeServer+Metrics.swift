extension MarqueeServer {
  /// The help texts of the server's metrics by Prometheus name.
  public static let metricHelp = [
    "marquee_calls_running": "Calls with a running handler.",
    "marquee_calls_total": "Completed calls, by method, protocol and status code.",
    "marquee_call_duration_seconds": "Time from the request, or the start of a streaming call, to the handler's end.",
    "marquee_commit_duration_seconds": "Time to commit a batch of a shard, including the flush to disk.",
    "marquee_commit_records": "Events, decisions, devices and snapshots per commit.",
    "marquee_connections_failed_total": "Connections closed because of a protocol error or limit, by reason.",
    "marquee_connections_by_protocol": "Open connections whose protocol is known, by protocol.",
    "marquee_connections_open": "Open connections.",
    "marquee_connections_total": "Accepted connections.",
    "marquee_decision_outcomes_total":
      "Decisions by kind and outcome: whether the widget was used within half an hour, while in front or later.",
    "marquee_decisions_blocked_total":
      "Times a gate started to block the best candidate, by kind of decision and gate.",
    "marquee_decisions_total": "Displayed decisions, by kind.",
    "marquee_decisions_unrecorded_total": "Displayed decisions that are missing from the decision log.",
    "marquee_device_clock_ahead_seconds":
      "Maximum time by which a device's clock is ahead of the server's, by shard.",
    "marquee_devices_loaded": "Devices loaded in memory, by shard.",
    "marquee_events_total": "Committed events.",
    "marquee_forwarded_calls_total": "Calls that were passed on to other servers of the cluster.",
    "marquee_redirects_total": "Calls whose clients were redirected to other servers of the cluster.",
    "marquee_lease_seconds": "Time until the lease of this server ends.",
    "marquee_limits_rejected_total": "Connections, calls and messages rejected by the transport, by limit.",
    "marquee_predictions_evaluated_total":
      "Evaluated widget predictions, by sixteenths of the stated probability.",
    "marquee_predictions_squared_error_total": "Sum of squared errors of stated probabilities.",
    "marquee_predictions_stated_total": "Sum of the stated probabilities of evaluated predictions.",
    "marquee_predictions_true_total": "Predictions that came true within half an hour.",
    "marquee_queued_requests": "Queued requests at the start of a shard's batch.",
    "marquee_rejections_total": "Requests rejected by a shard.",
    "marquee_reloads_total": "Reloads of the access policy and certificates, by outcome.",
    "marquee_shards": "Shards of the cluster, of which each server serves a part.",
    "marquee_shards_served": "Shards whose devices this server serves.",
    "marquee_wake_lateness_seconds": "Delay between a device's scheduled wake and its execution.",
    "marquee_write_failures_total": "Failed commits that left the journal unchanged.",
  ]
}
