import Logging
import MarqueeRPC
import NIOCore

/// A client that calls the methods of one server over one connection.
///
/// It connects at the first call, and again after it loses the connection. A server of a cluster may redirect calls to
/// other ones: the client has a connection to each of them, with the same credentials.
public final class RPCClient: Sendable {
  @usableFromInline let core: ClientCore

  /// Creates a client that is not connected yet.
  public init(
    _ endpoint: Endpoint, configuration: ClientConfiguration = ClientConfiguration(),
    logger: Logger = Logger(label: "marquee.client", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    core = ClientCore(endpoint, configuration, logger)
  }

  deinit {
    let core = core
    core.resources.loop.execute { core.beginClosing() }
  }

  /// The state of the connection.
  public var connectivity: Connectivity { core.connectivity }

  /// Calls a unary method.
  ///
  /// Inlinable, so that the generic call type is known at compile time rather than looked up for every call.
  ///
  /// - Returns: The response.
  /// - Throws: ``RPCStatus``; `CANCELLED` if the task is cancelled, which cancels the call.
  @inlinable
  public nonisolated(nonsending) func unary<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, options: CallOptions = CallOptions()
  ) async throws -> S {
    precondition(method.kind == .unary, "\(method.path) is not unary")
    return try await UnaryClientStream(method, request, options, for: core).response(in: core)
  }

  /// Opens a call with one request and many responses, and returns once it is open.
  public func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .serverStreaming, "\(method.path) is not server-streaming")
    return try await open(StreamingClientStream(method, only: request, core.traced(options), core.resources))
  }

  /// Opens a call with many requests and one response, ``ClientCall/response()``, and returns once it is open.
  public func clientStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .clientStreaming, "\(method.path) is not client-streaming")
    let stream = StreamingClientStream(method, only: nil, core.traced(options), core.resources)
    // Requests are kept only if the call is about a device.
    if core.acceptsMoved, options.affinity == nil {
      stream.redirection = Redirection(rejecting: Redirection.anyEndpoint)
    }
    return try await open(stream)
  }

  /// Opens a call with many requests and many responses, and returns once it is open.
  public func bidirectional<Q, S>(
    _ method: RPCMethod<Q, S>, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .bidirectional, "\(method.path) is not bidirectional")
    let stream = StreamingClientStream(method, only: nil, core.traced(options), core.resources)
    // Requests are kept only if the call is about a device.
    if core.acceptsMoved, options.affinity == nil {
      stream.redirection = Redirection(rejecting: Redirection.anyEndpoint)
    }
    return try await open(stream)
  }

  /// Stops accepting calls and waits until the open ones have ended. Cancelling the waiting task aborts them.
  public func close() async {
    await core.close()
  }

  private func open<Q, S>(_ stream: StreamingClientStream<Q, S>) async throws -> ClientCall<Q, S> {
    let core = core
    core.resources.loop.run { core.submit(stream) }
    do {
      try await stream.openedPromise.value()
    } catch is CancellationError {
      core.resources.loop.run {
        core.withdraw(stream)
        stream.cancel()
      }
      throw RPCStatus(.cancelled, "cancelled by the caller")
    }
    return ClientCall(stream)
  }
}
