public import MarqueeRPC

/// Sees the calls of one method end. It is asked on event loops and must not block.
public protocol CallObserver: Sendable {
  /// A call whose request had come, or that streams requests, is over.
  ///
  /// - Parameters:
  ///   - code: What the caller was told, or why the call ended before its handler.
  ///   - duration: Since the one request was there, or since a call that streams requests was opened, until the
  ///     handler's end.
  ///   - trace: The trace that the call belongs to, if it is traced.
  func ended(_ code: StatusCode, after duration: Duration, in trace: TraceParent?)
}
