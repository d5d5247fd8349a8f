import MarqueeRPC

/// The handlers of a server, by method path.
///
/// Handlers run on the event loop of their connection and must not block it. A handler's task is cancelled when its
/// call ends early: because the client cancels or disconnects, the deadline passes, or a limit is exceeded.
public struct Router: Sendable {
  /// How a handler is started. On the loop.
  enum Route: Sendable {
    /// Started when the single request has been received.
    case single(begin: @Sendable (ServerCall, UnsafeRawBufferPointer) throws -> Void)
    /// Started when the call is opened; requests are appended to the queue.
    case streaming(begin: @Sendable (ServerCall) -> InboundMessageQueue)
  }

  /// A method's handler and observer. A class, because every call references it.
  final class Registration: Sendable {
    let path: String
    let kind: CallKind
    let requestSizeMax: Int
    let route: Route
    let observer: (any CallObserver)?
    let isObserved: Bool

    init(
      path: String, kind: CallKind, requestSizeMax: Int, route: Route, observer: (any CallObserver)?
    ) {
      self.path = path
      self.kind = kind
      self.requestSizeMax = requestSizeMax
      self.route = route
      self.observer = observer
      isObserved = observer != nil
    }
  }

  private(set) var routes: [String: Registration] = [:]
  /// The kinds of the methods, by path.
  private(set) var kinds: [String: CallKind] = [:]
  private let observer: (@Sendable (_ path: String, _ kind: CallKind) -> any CallObserver)?
  /// Maps errors of handlers to statuses.
  let status: @Sendable (any Error) -> RPCStatus
  /// Starts the spans of calls; `nil` disables tracing.
  public var tracer: (any CallTracer)?
  /// Creates the interceptor of a connection from the peer; `nil` admits every call.
  public var interceptor: (@Sendable (Peer) -> any CallInterceptor)?
  /// Converts messages to and from JSON; `nil` to serve no JSON.
  public var transcoder: (any MessageTranscoder)?
  /// The limit of concurrent calls without a principal on one connection; `nil` for no limit.
  public var anonymousCallLimit: CallCountLimit?

  /// Creates a router without methods.
  ///
  /// - Parameters:
  ///   - observer: Called once for each method that is added.
  ///   - status: Maps every error that a handler throws, including ``RPCStatus``, to the status of the call.
  public init(
    observer: (@Sendable (_ path: String, _ kind: CallKind) -> any CallObserver)? = nil,
    status: @escaping @Sendable (any Error) -> RPCStatus
  ) {
    self.observer = observer
    self.status = status
  }

  /// The paths of all methods, sorted.
  public var paths: [String] { routes.keys.sorted() }

  /// Adds a unary method whose handler runs in a task.
  public mutating func unary<Q, S>(
    _ method: RPCMethod<Q, S>, _ body: @escaping @Sendable (Q, CallContext) async throws -> S
  ) {
    add(
      method, .unary,
      .single { call, bytes in
        let request = try method.request.decode(bytes, call.resources.arena)
        call.run {
          call.answer(try await body(request, call.context), method)
        }
      })
  }

  /// Adds a unary method whose handler runs in a task, and responds with metadata.
  package mutating func unaryWithMetadata<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (Q, CallContext) async throws -> UnaryResponse<S>
  ) {
    add(
      method, .unary,
      .single { call, bytes in
        let request = try method.request.decode(bytes, call.resources.arena)
        call.run {
          let response = try await body(request, call.context)
          call.answer(response.message, method, header: response.header, trailer: response.trailer)
        }
      })
  }

  /// Adds a unary method whose handler runs synchronously on the event loop. It must be short and must not block.
  public mutating func synchronous<Q, S>(
    _ method: RPCMethod<Q, S>, _ body: @escaping @Sendable (Q, CallContext) throws -> S
  ) {
    add(
      method, .unary,
      .single { call, bytes in
        let request = try method.request.decode(bytes, call.resources.arena)
        let response = try body(request, call.context)
        call.finish(answering: method.responseSizeMax) { method.response.encode(response, &$0) }
      })
  }

  /// Adds a server-streaming method.
  public mutating func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (Q, ResponseWriter<S>, CallContext) async throws -> Void
  ) {
    add(
      method, .serverStreaming,
      .single { call, bytes in
        let request = try method.request.decode(bytes, call.resources.arena)
        call.run {
          try await body(request, ResponseWriter(call: call, method: method), call.context)
        }
      })
  }

  /// Adds a client-streaming method.
  public mutating func clientStreaming<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, CallContext) async throws -> S
  ) {
    add(
      method, .clientStreaming,
      .streaming { call in
        let requests = call.openRequestQueue()
        call.run {
          call.answer(try await body(MessageStream(method.request, queue: requests), call.context), method)
        }
        return requests
      })
  }

  /// Adds a bidirectional streaming method.
  public mutating func bidirectional<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, ResponseWriter<S>, CallContext) async throws -> Void
  ) {
    add(
      method, .bidirectional,
      .streaming { call in
        let requests = call.openRequestQueue()
        call.run {
          try await body(
            MessageStream(method.request, queue: requests), ResponseWriter(call: call, method: method), call.context)
        }
        return requests
      })
  }

  private mutating func add<Q, S>(_ method: RPCMethod<Q, S>, _ kind: CallKind, _ route: Route) {
    precondition(method.kind == kind, "\(method.path) is \(method.kind), not \(kind)")
    precondition(routes[method.path] == nil, "\(method.path) has two handlers")
    kinds[method.path] = kind
    routes[method.path] = Registration(
      path: method.path, kind: kind, requestSizeMax: method.requestSizeMax, route: route,
      observer: observer?(method.path, kind))
  }
}
