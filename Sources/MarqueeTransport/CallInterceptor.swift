import MarqueeRPC

/// Authorizes the calls of one connection before their requests are read. Called only on the connection's event loop.
public protocol CallInterceptor: AnyObject {
  /// Authorizes a call.
  ///
  /// - Returns: The principal, available to handlers as ``CallContext/principal``; `nil` for a call that needs no
  ///   authentication.
  /// - Throws: The status with which the call is rejected; no handler sees it.
  func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)?
}
