/// The result of a claim.
public struct Claim: Hashable, Sendable {
  /// The node that was declared dead, if any.
  public let deadNode: NodeID?
  /// The number of shards that have got another owner.
  public let shardCount: Int

  public init(deadNode: NodeID? = nil, shardCount: Int = 0) {
    self.deadNode = deadNode
    self.shardCount = shardCount
  }
}
