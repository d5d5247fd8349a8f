import MarqueeRPC

/// Decides for one connection who its calls come from, and whether they may begin, before anything else of them is
/// read. On the connection's event loop alone.
public protocol CallGate: AnyObject {
  /// Who calls, as handlers find it in ``CallContext/caller``; `nil` for a call that anybody may make. Throws the
  /// status that the call ends with when it may not begin; no handler sees it then.
  func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)?
}
