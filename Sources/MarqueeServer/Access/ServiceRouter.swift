import MarqueeRPC
import MarqueeTransport

/// A router in which every method declares its required authorization.
struct ServiceRouter {
  private(set) var router: Router
  /// The required roles by method path.
  private(set) var roles: [String: CallRole] = [:]
  private let streams: OpenStreams
  /// Passes calls on to other nodes; `nil` on a server that has all devices.
  private let forwarder: CallForwarder?

  /// Creates a router without methods that registers its open streams in `streams`.
  init(
    streams: OpenStreams, forwarder: CallForwarder? = nil, tracer: any CallTracer,
    observer: (@Sendable (String, CallKind) -> any CallObserver)? = nil,
    status: @escaping @Sendable (any Error) -> RPCStatus
  ) {
    router = Router(observer: observer, status: status)
    router.tracer = tracer
    self.forwarder = forwarder
    self.streams = streams
  }

  /// Returns the router with a ``CallAuthorizer`` for every connection.
  func router(authorizedBy access: AccessController) -> Router {
    let roles = roles
    var router = router
    router.anonymousCallLimit = CallAuthorizer.anonymousCallLimit
    let acceptsForwarded = forwarder != nil
    router.interceptor = { peer in CallAuthorizer(of: peer, access, roles, acceptsForwarded: acceptsForwarded) }
    return router
  }

  /// The router of a server on which every client is an operator.
  var unrestrictedRouter: Router {
    var router = router
    router.interceptor = { _ in AllowAllAuthorizer() }
    return router
  }

  /// Adds methods that require no credentials and whose streams survive a policy change.
  mutating func addAnonymous(_ add: (inout Router) -> Void) {
    add(&router)
    for path in router.paths where roles[path] == nil { roles[path] = .anyone }
  }

  /// Adds a handler for a unary method.
  mutating func unary<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q) async throws -> S
  ) {
    unaryWithContext(method, for: authorization) { request, _ in try await body(request) }
  }

  /// Adds a handler for a unary method that also receives the principal.
  mutating func unary<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, Principal) async throws -> S
  ) {
    unaryWithContext(method, for: authorization) { try await body($0, $1.authorizedPrincipal) }
  }

  /// Adds a handler for a unary method that also receives the time left until the call's deadline, if it has one.
  mutating func unaryWithDeadline<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, Duration?) async throws -> S
  ) {
    unaryWithContext(method, for: authorization) { try await body($0, $1.timeLeft) }
  }

  private mutating func unaryWithContext<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, CallContext) async throws -> S
  ) {
    roles[method.path] = authorization.role
    let (forwarder, isLocal) = (forwarder, authorization.isLocal)
    router.unary(method) { request, context in
      guard !isLocal || !context.isForwarded else {
        throw RPCStatus(.permissionDenied, "permission denied: servers of a cluster do not pass this method on")
      }
      let scope = authorization.scope(request)
      try context.authorizedPrincipal.permissions.check(scope, of: authorization.role)
      guard let forwarder, !isLocal, let device = scope.device else { return try await body(request, context) }
      return try await forwarder.unary(method, request, context, about: device) { try await body(request, context) }
    }
  }

  /// Adds a handler for a unary method that also receives the responses of the other nodes of a cluster, each for its
  /// own devices; `nil` if one of them has passed the call on.
  mutating func unaryOnAllNodes<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, [S]?) async throws -> S
  ) {
    let forwarder = forwarder
    unaryWithContext(method, for: authorization) { request, context in
      guard !context.isForwarded else { return try await body(request, nil) }
      return try await body(request, try await forwarder?.allOthers(method, request, context) ?? [])
    }
  }

  /// Adds a handler for a server-streaming method that also receives the stream, which it can end at any time. The
  /// stream ends when the principal loses permission.
  mutating func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, ResponseWriter<S>, OpenStream) async throws -> Void
  ) {
    serverStreaming(method, for: authorization) { request, writer, stream, _ in
      try await body(request, writer, stream)
    }
  }

  /// Adds a handler for a server-streaming method that also receives the time left until the call's deadline.
  mutating func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, ResponseWriter<S>, OpenStream, Duration?) async throws -> Void
  ) {
    roles[method.path] = authorization.role
    let (streams, forwarder) = (streams, forwarder)
    router.serverStreaming(method) { request, writer, context in
      try await streams.run(context.authorizedPrincipal, authorization.role, on: context.peer) { stream in
        let scope = authorization.scope(request)
        try stream.authorize(scope)
        guard let forwarder, let device = scope.device else {
          return try await body(request, writer, stream, context.timeLeft)
        }
        try await forwarder.serverStreaming(method, request, writer, context, about: device) {
          try await body(request, writer, stream, context.timeLeft)
        }
      }
    }
  }

  /// Adds a handler for a provider's bidirectional method, which receives the first message and the stream of the
  /// others. The stream ends when the principal loses permission.
  mutating func provider<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (Q, MessageStream<Q>, ResponseWriter<S>, OpenStream) async throws -> Void
  ) {
    bidirectional(method, .provider) { first, messages, writer, stream, _ in
      try await body(first, messages, writer, stream)
    }
  }

  /// Adds a handler for a display's bidirectional method, which also receives the time left until the call's deadline,
  /// if it has one. The stream ends when the principal loses permission.
  mutating func display<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (Q, MessageStream<Q>, ResponseWriter<S>, OpenStream, Duration?) async throws -> Void
  ) {
    bidirectional(method, .display, body)
  }

  private mutating func bidirectional<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>, _ role: CallRole,
    _ body: @escaping @Sendable (Q, MessageStream<Q>, ResponseWriter<S>, OpenStream, Duration?) async throws -> Void
  ) {
    roles[method.path] = role
    let (streams, forwarder) = (streams, forwarder)
    router.bidirectional(method) { messages, writer, context in
      try await streams.run(context.authorizedPrincipal, role, on: context.peer) { stream in
        var iterator = messages.makeAsyncIterator()
        guard let first = try await iterator.next() else { return }
        // The handler rejects other first messages.
        if let scope = first.scope { try stream.authorize(scope) }
        guard let forwarder, let device = first.scope?.device else {
          return try await body(first, messages, writer, stream, context.timeLeft)
        }
        try await forwarder.bidirectional(method, first, messages, writer, context, about: device) {
          try await body(first, messages, writer, stream, context.timeLeft)
        }
      }
    }
  }
}

/// An interceptor that admits every call with the operator role.
private final class AllowAllAuthorizer: CallInterceptor {
  func admit(_ call: CallContext, at now: MonotonicTime) -> (any Sendable)? {
    Principal(
      .loopback, .connection(call.peer), Permissions(adminAccess: .full), until: nil, generation: 0, rate: nil)
  }
}

extension CallContext {
  /// The principal that the interceptor admitted the call for, after checking the method's role.
  var authorizedPrincipal: Principal {
    guard let principal = self.principal as? Principal else { preconditionFailure("\(method) was not authorized") }
    return principal
  }
}
