/// A memory budget that several connections share.
///
/// A connection reserves the bytes of incomplete and of unsent messages in addition to enforcing its own
/// ``RPCLimits/assemblySizeMax`` and ``RPCLimits/backlogSizeMax``, and releases them when the messages are consumed or
/// sent, or when their calls end.
public protocol ByteAccount: AnyObject {
  /// Reserves `size` bytes.
  ///
  /// - Throws: ``RPCStatus`` `RESOURCE_EXHAUSTED` with the limit's name if the budget would be exceeded; nothing is
  ///   reserved then.
  func reserve(_ size: Int) throws(RPCStatus)
  /// Releases `size` bytes that were reserved before.
  func release(_ size: Int)
}
