public import MarqueeRPC

/// Begins the spans of calls on a server. It is asked on event loops and must not block.
public protocol CallTracer: Sendable {
  /// The span of a call whose handler is about to run; `nil` when the call is not traced.
  func span(of call: CallContext) -> (any CallSpan)?
}

/// One traced call.
public protocol CallSpan: Sendable {
  /// The trace it belongs to.
  var parent: TraceParent? { get }

  /// Runs the call's handler within the trace; throws what that throws.
  func run(_ body: @concurrent @Sendable () async throws -> Void) async throws

  /// The call is over.
  func end(_ code: StatusCode)
}
