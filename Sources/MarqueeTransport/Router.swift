import MarqueeRPC

/// The handlers of a server, by method path.
///
/// Handlers run on the event loop of their connection and must not block it. When their call ends early — the client
/// cancels or is gone, time is over, a limit is met — their task is cancelled.
public struct Router: Sendable {
  /// How a call of one method is begun. On the loop.
  enum Route: Sendable {
    /// The one request is there.
    case single(begin: @Sendable (ServerCall, UnsafeRawBufferPointer) throws -> Void)
    /// The call is open; requests go to the inbox.
    case streaming(begin: @Sendable (ServerCall) -> Inbox)
  }

  /// A method's handler, and who sees its calls end. Every call holds it.
  final class Registration: Sendable {
    let path: String
    let requestSizeMax: Int
    let route: Route
    let observer: (any CallObserver)?
    let isObserved: Bool

    init(path: String, requestSizeMax: Int, route: Route, observer: (any CallObserver)?) {
      self.path = path
      self.requestSizeMax = requestSizeMax
      self.route = route
      self.observer = observer
      isObserved = observer != nil
    }
  }

  private(set) var routes: [String: Registration] = [:]
  private let observer: (@Sendable (_ path: String, _ kind: CallKind) -> any CallObserver)?
  /// What a client reads when a handler throws.
  let status: @Sendable (any Error) -> RPCStatus
  /// Begins the spans of calls; without one, no call is traced.
  public var tracer: (any CallTracer)?
  /// Makes the gate of a connection from that peer; without one, every call may begin.
  public var gate: (@Sendable (Peer) -> any CallGate)?

  /// A router without methods.
  ///
  /// - Parameters:
  ///   - observer: Asked once for each method that is added.
  ///   - status: Maps every error that handlers throw; an ``RPCStatus`` is passed to it too.
  public init(
    observer: (@Sendable (_ path: String, _ kind: CallKind) -> any CallObserver)? = nil,
    status: @escaping @Sendable (any Error) -> RPCStatus
  ) {
    self.observer = observer
    self.status = status
  }

  /// The paths of all methods, sorted.
  public var paths: [String] { routes.keys.sorted() }

  /// Answers a unary method with a task.
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

  /// Answers a unary method at once, on the event loop, without a task: for short work that waits for nothing.
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

  /// Answers one request with any number of responses.
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

  /// Answers any number of requests with one response.
  public mutating func clientStreaming<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, CallContext) async throws -> S
  ) {
    add(
      method, .clientStreaming,
      .streaming { call in
        let inbox = call.openInbox()
        call.run {
          call.answer(try await body(MessageStream(method.request, inbox: inbox), call.context), method)
        }
        return inbox
      })
  }

  /// Answers any number of requests with any number of responses.
  public mutating func bidirectional<Q, S>(
    _ method: RPCMethod<Q, S>,
    _ body: @escaping @Sendable (MessageStream<Q>, ResponseWriter<S>, CallContext) async throws -> Void
  ) {
    add(
      method, .bidirectional,
      .streaming { call in
        let inbox = call.openInbox()
        call.run {
          try await body(
            MessageStream(method.request, inbox: inbox), ResponseWriter(call: call, method: method), call.context)
        }
        return inbox
      })
  }

  private mutating func add<Q, S>(_ method: RPCMethod<Q, S>, _ kind: CallKind, _ route: Route) {
    precondition(method.kind == kind, "\(method.path) is \(method.kind), not \(kind)")
    precondition(routes[method.path] == nil, "\(method.path) has two handlers")
    routes[method.path] = Registration(
      path: method.path, requestSizeMax: method.requestSizeMax, route: route, observer: observer?(method.path, kind))
  }
}
