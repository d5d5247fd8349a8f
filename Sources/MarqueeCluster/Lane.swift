import MarqueeJournal

/// A lane of a node: the connection on which one event loop writes its shards' devices, and a row in the database.
///
/// The row has the number of the last batch. The first statement of each batch raises it by one, and fails if the row
/// is gone: it is the fence of a node that has been declared dead, and shows the outcome of a commit without a reply. A
/// lane's batches, and its changes of ownership, are committed in the order in which they are requested.
public protocol Lane: Sendable {
  /// The number of the lane in its node, from 0.
  var number: Int { get }

  /// Returns the shards that the lane owns, once an empty batch is durable.
  ///
  /// The lane may load and write their devices until it hands them over, or is fenced. The batch makes the answer
  /// final: everything that earlier owners have committed precedes it in the write-ahead log.
  ///
  /// - Returns: The shards with their epochs, in the order of their numbers.
  /// - Throws: `JournalError` `fenced` if the node has been declared dead, or `commitFailed` if the outcome is
  ///   unknown, after which ``resolve()`` must be called.
  func acquire() async throws(JournalError) -> [OwnedShard]

  /// Hands those of the shards over whose move has been requested. The lane has written their last batches before.
  ///
  /// - Returns: The shards that the lane no longer owns.
  /// - Throws: As ``acquire()``. After `commitFailed`, ``acquire()`` returns the shards that are left.
  func handOver(_ shards: [ShardID]) async throws(JournalError) -> [ShardID]

  /// Determines whether the batch whose outcome is unknown was committed. The answer is final: a copy of the batch that
  /// is still on its way is refused.
  ///
  /// There must be such a batch. Other writes are refused until this returns.
  ///
  /// - Throws: `JournalError` `fenced`, or `unavailable` or `busy`, after which the call can be repeated.
  func resolve() async throws(JournalError) -> Bool
}
