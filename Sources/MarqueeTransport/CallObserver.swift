public import MarqueeRPC

/// Observes the completion of a method's calls. Called on event loops; it must not block.
public protocol CallObserver: Sendable {
  /// Called when a call ends whose request was received, or that streams requests.
  ///
  /// - Parameters:
  ///   - code: The status sent to the caller, or the reason why the call ended before its handler.
  ///   - duration: The time from the request (or, if requests are streamed, from the opening of the call) to the end of
  ///     the handler.
  ///   - callProtocol: The protocol of the connection.
  ///   - trace: The trace of the call, if it is traced.
  func ended(
    _ code: StatusCode, after duration: Duration, over callProtocol: CallProtocol, in trace: TraceParent?)
}
