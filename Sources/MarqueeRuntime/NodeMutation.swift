/// A mistake in a ``NodeController``, with which the simulation of clusters is tested by mutation.
///
/// It has an effect only if the module is compiled with the condition `MUTATION_NODE`, as debug builds are.
package enum NodeMutation: String, CaseIterable, Sendable {
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
