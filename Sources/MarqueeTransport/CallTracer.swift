public import MarqueeRPC

/// Starts spans for calls on a server. Called on event loops; it must not block.
public protocol CallTracer: Sendable {
  /// Starts a span for a call whose handler is about to run, or returns `nil` if the call is not traced.
  func span(of call: CallContext) -> (any CallSpan)?
}

/// The span of a call.
public protocol CallSpan: Sendable {
  /// The trace that the span belongs to.
  var parent: TraceParent? { get }

  /// Runs the call's handler with the span as the current one, rethrowing its error.
  func run(_ body: @concurrent @Sendable () async throws -> Void) async throws

  /// Ends the span.
  func end(_ code: StatusCode)
}
