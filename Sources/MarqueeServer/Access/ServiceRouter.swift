import Logging
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A router in which every method declares its required authorization.
struct ServiceRouter {
  /// The methods whose calls are logged with their principals: they erase data, grant or withdraw access, or copy all
  /// data.
  private static let auditedPaths: Set<String> = [
    AdminService.backup.path, AdminService.createSession.path, AdminService.deleteAllDonations.path,
    AdminService.removeDevice.path, AdminService.resetDeviceClock.path, AdminService.revokeSession.path,
    DisplayService.removeApp.path, ProviderService.deleteDonations.path, ProviderService.removeIntentTypes.path,
    ProviderService.removeKinds.path,
  ]

  private(set) var router: Router
  /// The required roles by method path.
  private(set) var roles: [String: CallRole] = [:]
  private let streams: OpenStreams
  /// Passes calls on to other nodes; `nil` on a server that has all devices.
  private let forwarder: CallForwarder?
  private let logger: Logger

  /// Creates a router without methods that registers its open streams in `streams`.
  init(
    streams: OpenStreams, forwarder: CallForwarder? = nil, logger: Logger, tracer: any CallTracer,
    observer: (@Sendable (String, CallKind) -> any CallObserver)? = nil,
    status: @escaping @Sendable (any Error) -> RPCStatus
  ) {
    router = Router(observer: observer, status: status)
    router.tracer = tracer
    self.forwarder = forwarder
    self.logger = logger
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

  /// Adds a handler for a unary method that also receives the call.
  mutating func unaryWithContext<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, CallContext) async throws -> S
  ) {
    roles[method.path] = authorization.role
    let (forwarder, isLocal) = (forwarder, authorization.isLocal)
    let body = recorded(method.path, body)
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

  /// Returns a handler that also logs the calls that succeed, if the method is one whose calls are logged.
  private func recorded<Q, S>(
    _ path: String, _ body: @escaping @Sendable (Q, CallContext) async throws -> S
  ) -> @Sendable (Q, CallContext) async throws -> S {
    guard let logger = auditLogger(path) else { return body }
    return { request, context in
      let response = try await body(request, context)
      Self.record(context, in: logger)
      return response
    }
  }

  /// Returns the logger of the calls of a method; `nil` if they are not logged.
  private func auditLogger(_ path: String) -> Logger? { Self.auditedPaths.contains(path) ? logger : nil }

  /// Logs a call without the names in its request.
  private static func record(_ call: CallContext, in logger: Logger) {
    let principal = call.authorizedPrincipal.identity.description.visible(sizeMax: 255)
    logger.info("audited call", metadata: ["method": "\(call.method)", "principal": "\(principal)"])
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

  /// Adds a handler for a unary method about a device that also changes something at each node of a cluster.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - authorization: The required authorization.
  ///   - change: Runs at each node before the call is handled by the node that has the device. It can be repeated.
  ///   - body: The handler.
  mutating func unaryChangingAllNodes<Q: DeviceRequest, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ change: @escaping @Sendable (Q) async throws -> Void, _ body: @escaping @Sendable (Q) async throws -> S
  ) {
    roles[method.path] = authorization.role
    let forwarder = forwarder
    let body = recorded(method.path) { request, _ in try await body(request) }
    router.unary(method) { request, context in
      try context.authorizedPrincipal.permissions.check(authorization.scope(request), of: authorization.role)
      try await change(request)
      guard let forwarder else { return try await body(request, context) }
      if !context.isForwarded, let response = try await forwarder.allOthersAboutDevice(method, request, context) {
        return response
      }
      return try await forwarder.unary(method, request, context, about: request.device) {
        try await body(request, context)
      }
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
    let (streams, forwarder, logger) = (streams, forwarder, auditLogger(method.path))
    router.serverStreaming(method) { request, writer, context in
      try await streams.run(context, authorization.role) { stream in
        let request = authorization.restricted(request, context.authorizedPrincipal.permissions)
        let scope = authorization.scope(request)
        try stream.authorize(scope)
        if let logger { Self.record(context, in: logger) }
        guard let forwarder, let device = scope.device else {
          return try await body(request, writer, stream, context.timeLeft)
        }
        try await forwarder.serverStreaming(method, request, writer, context, about: device) {
          try await body(request, writer, stream, context.timeLeft)
        }
      }
    }
  }

  /// Adds a handler for a server-streaming method about all devices that also receives the stream, and a function that
  /// follows the streams of the other nodes of a cluster; `nil` if there are none, or one of them has passed the call
  /// on.
  mutating func serverStreamingOnAllNodes<Q, S>(
    _ method: RPCMethod<Q, S>, for authorization: MethodAuthorization<Q>,
    _ body: @escaping @Sendable (Q, ResponseWriter<S>, OpenStream, FollowOthers<Q, S>?) async throws -> Void
  ) {
    roles[method.path] = authorization.role
    let (streams, forwarder) = (streams, forwarder)
    router.serverStreaming(method) { request, writer, context in
      try await streams.run(context, authorization.role) { stream in
        try stream.authorize(authorization.scope(request))
        guard let forwarder, !context.isForwarded else { return try await body(request, writer, stream, nil) }
        try await body(request, writer, stream) { request, started, receive in
          try await forwarder.followAllOthers(method, request, context, started, receive)
        }
      }
    }
  }

  /// A function that follows the streams of all other nodes until one of them ends, which it reports as an error. It
  /// calls its second argument when each of them has sent a first message, and its third one with later messages.
  typealias FollowOthers<Q, S> =
    @Sendable (
      Q, _ started: @escaping @Sendable () -> Void, _ receive: @escaping @Sendable (S) -> Void
    ) async throws -> Void

  /// Adds a handler for a provider's bidirectional method, which receives the first message and the stream of the
  /// others. The stream ends when the principal loses permission.
  mutating func provider<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (FirstMessage<Q>, MessageStream<Q>, ResponseWriter<S>, OpenStream) async throws -> Void
  ) {
    bidirectional(method, .provider) { first, messages, writer, stream, _ in
      try await body(first, messages, writer, stream)
    }
  }

  /// Adds a handler for a display's bidirectional method, which also receives the time left until the call's deadline,
  /// if it has one. The stream ends when the principal loses permission.
  mutating func display<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping StreamHandler<Q, S>
  ) {
    bidirectional(method, .display, body)
  }

  private mutating func bidirectional<Q: StreamRequest, S>(
    _ method: RPCMethod<Q, S>, _ role: CallRole,
    _ body: @escaping StreamHandler<Q, S>
  ) {
    roles[method.path] = role
    let (streams, forwarder) = (streams, forwarder)
    router.bidirectional(method) { messages, writer, context in
      try await streams.run(context, role) { stream in
        guard let first = try await FirstMessage.read(from: messages) else { return }
        let scope = first.value.scope
        // The handler rejects other first messages.
        if let scope { try stream.authorize(scope) }
        guard let forwarder, let device = scope?.device else {
          return try await body(first, messages, writer, stream, context.timeLeft)
        }
        try await forwarder.bidirectional(method, first, messages, writer, context, about: device) {
          try await body(first, messages, writer, stream, context.timeLeft)
        }
      }
    }
  }
}

/// A handler of a bidirectional method: of the first message, the stream of the others, and the time left until the
/// call's deadline, if it has one.
typealias StreamHandler<Q: StreamRequest, S: Sendable> =
  @Sendable (FirstMessage<Q>, MessageStream<Q>, ResponseWriter<S>, OpenStream, Duration?) async throws -> Void

/// The first message of a stream, stored outside the frames of the handlers, which keep what they hold while the stream
/// is open.
final class FirstMessage<Message: Sendable>: Sendable {
  let value: Message

  private init(_ value: Message) { self.value = value }

  /// Returns the next message of a stream; `nil` after the last one.
  static func read(from messages: MessageStream<Message>) async throws -> FirstMessage? {
    var iterator = messages.makeAsyncIterator()
    return try await iterator.next().map { FirstMessage($0) }
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
