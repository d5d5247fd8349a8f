/// A mistake in a simulated cluster, with which its checks are tested: a seed must detect it.
///
/// Those of `NodeMutation` are in the product's control loops, if they are compiled with the condition `MUTATION_NODE`,
/// as debug builds are. The others are in the test's own database or nodes.
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

  #if MUTATION_NODE
    case leaseFromReply = "lease-from-reply"
    case leaseWithoutReply = "lease-without-reply"
    case rareRenewal = "rare-renewal"
    case handOverBeforeEnd = "hand-over-before-end"
    case servedAfterHandOver = "served-after-hand-over"
    case unresolvedHandOver = "unresolved-hand-over"
    case servedBeforeAcquisition = "served-before-acquisition"
  #endif
}
