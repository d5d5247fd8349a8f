/// A mistake in the simulated database, or in what a simulated process does for the product's control loops, with which
/// the checks of the simulation are tested: a seed must detect it.
public enum ClusterMutation: String, CaseIterable, Sendable {
  /// Batches do not verify that the lane's row is there, with the number of the last batch.
  case missingFence = "missing-fence"
  /// A batch whose commit was not answered is acknowledged.
  case unknownAsWritten = "unknown-as-written"
  /// A batch whose commit was not answered is reported as refused.
  case unknownAsRefused = "unknown-as-refused"
  /// The resolution of a batch reads the lane's row, and does not move it on.
  case resolutionWithoutAdvance = "resolution-without-advance"
  /// A claim does not wait until the lease has ended.
  case claimBeforeExpiry = "claim-before-expiry"
  /// A claim neither waits for the batches that are being committed nor ends their sessions.
  case claimDuringBatch = "claim-during-batch"
  /// Leases are granted and compared by the nodes' wall clocks.
  case leaseByWallClock = "lease-by-wall-clock"
  /// A node answers and shows after its lease has ended.
  case answerAfterLease = "answer-after-lease"
  /// A node loads devices as they were when it requested or claimed their shard.
  case readBeforeAcquisition = "read-before-acquisition"
  /// A node that is draining requests the shards that it had.
  case ignoredDraining = "ignored-draining"
  /// The lease counts from the reply to a renewal.
  case leaseFromReply = "lease-from-reply"
  /// The lease counts as renewed although the renewal has failed.
  case leaseWithoutReply = "lease-without-reply"
  /// The lease is renewed once in its time to live.
  case rareRenewal = "rare-renewal"
  /// Shards are handed over before the requests and batches of their devices have ended.
  case handOverBeforeEnd = "hand-over-before-end"
  /// Shards that are handed over count as served.
  case servedAfterHandOver = "served-after-hand-over"
  /// A hand-over without a reply is not resolved.
  case unresolvedHandOver = "unresolved-hand-over"
  /// Shards are served as a copy of the owners says, which may be out of date, before the lane has acquired them.
  case servedBeforeAcquisition = "served-before-acquisition"
}
