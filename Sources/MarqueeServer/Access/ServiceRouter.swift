import MarqueeRPC
import MarqueeTransport

/// A router each of whose methods says who may call it, so that none can be added without.
struct ServiceRouter {
  private(set) var router: Router
  /// Who may call what, by method path.
  private(set) var roles: [String: CallRole] = [:]
  private let streams: OpenStreams

  /// A router without methods, whose streams are kept in `streams`.
  init(
    streams: OpenStreams, tracer: any CallTracer, observer: (@Sendable (String, CallKind) -> any CallObserver)? = nil,
    status: @escaping @Sendable (any Error) -> RPCStatus
  ) {
    router = Router(observer: observer, status: status)
    router.tracer = tracer
    self.streams = streams
  }

  /// The router, with a gate for every connection.
  func router(guardedBy access: Access) -> Router {
    let roles = roles
    var router = router
    router.gate = { peer in ConnectionGate(of: peer, access, roles) }
    return router
  }

  /// The router, for a server whose callers may all do everything.
  var openRouter: Router {
    var router = router
    router.gate = { _ in OpenGate() }
    return router
  }

  /// Adds methods that anybody may call, and that outlive a change of the policy.
  mutating func addOpen(_ add: (inout Router) -> Void) {
    add(&router)
    for path in router.paths where roles[path] == nil { roles[path] = .anyone }
  }

  /// Answers a unary method.
  mutating func unary<Q, S>(
    _ method: RPCMethod<Q, S>, for need: Need<Q>, _ body: @escaping @Sendable (Q) async throws -> S
  ) {
    roles[method.path] = need.role
    router.unary(method) { request, context in
      try context.known.rights.check(need.role, need.scope(request))
      return try await body(request)
    }
  }

  /// Answers a unary method whose answer comes from somebody else: how much of the caller's time is left is of
  /// interest, `nil` where the call has no deadline.
  mutating func asking<Q, S>(
    _ method: RPCMethod<Q, S>, for need: Need<Q>, _ body: @escaping @Sendable (Q, Duration?) async throws -> S
  ) {
    roles[method.path] = need.role
    router.unary(method) { request, context in
      try context.known.rights.check(need.role, need.scope(request))
      return try await body(request, context.timeLeft)
    }
  }

  /// Answers one request with any number of responses, until the stream ends or the caller's right does.
  mutating func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, for need: Need<Q>,
    _ body: @escaping @Sendable (Q, ResponseWriter<S>) async throws -> Void
  ) {
    roles[method.path] = need.role
    let streams = streams
    router.serverStreaming(method) { request, writer, context in
      try await streams.run(context.known, need.role) { stream in
        try stream.hold(need.scope(request))
        try await body(request, writer)
      }
    }
  }

  /// Answers a provider's stream, until it ends or the provider's right does. The stream is to be held for the app and
  /// device that its first message names.
  mutating func provider<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, ResponseWriter<S>, OpenStream) async throws -> Void
  ) {
    roles[method.path] = .provider
    let streams = streams
    router.bidirectional(method) { messages, writer, context in
      try await streams.run(context.known, .provider) { stream in try await body(messages, writer, stream) }
    }
  }

  /// Answers a display's stream, until it ends, or the display's right or its time does. The stream is to be held for
  /// the device that its first message names.
  mutating func display<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, ResponseWriter<S>, OpenStream, Duration?) async throws -> Void
  ) {
    roles[method.path] = .display
    let streams = streams
    router.bidirectional(method) { messages, writer, context in
      try await streams.run(context.known, .display) { stream in
        try await body(messages, writer, stream, context.timeLeft)
      }
    }
  }
}

/// Takes everybody for an operator.
private final class OpenGate: CallGate {
  func admit(_ call: CallContext, at now: MonotonicTime) -> (any Sendable)? {
    Caller(.connection(call.peer), Rights(oversight: .operating), until: nil, generation: 0, rate: nil)
  }
}

extension CallContext {
  /// Who called, as the gate found it before the handler ran.
  fileprivate var known: Caller {
    guard let caller = caller as? Caller else { preconditionFailure("\(method) passed no gate") }
    return caller
  }
}
