import Logging
import MarqueeRPC
import NIOCore

/// Calls the methods of one server over one connection, which it makes at the first call and again when it is lost.
public final class RPCClient: Sendable {
  @usableFromInline let core: ClientCore

  /// A client that is not connected yet.
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

  /// How the client stands with its server.
  public var connectivity: Connectivity { core.connectivity }

  /// Calls a unary method. Throws ``RPCStatus``; `CANCELLED` when the task is cancelled, which cancels the call.
  ///
  /// Inlinable, so that the type of the call is known where it is made and not looked up with every call.
  @inlinable
  public nonisolated(nonsending) func unary<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, options: CallOptions = CallOptions()
  ) async throws -> S {
    precondition(method.kind == .unary, "\(method.path) is not unary")
    return try await UnaryClientStream(method, request, options, for: core).response(in: core)
  }

  /// Begins a call of one request and many responses; returns once it is open.
  public func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .serverStreaming, "\(method.path) is not server-streaming")
    return try await open(StreamingClientStream(method, only: request, core.traced(options), core.resources))
  }

  /// Begins a call of many requests and one response, ``ClientCall/response()``; returns once it is open.
  public func clientStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .clientStreaming, "\(method.path) is not client-streaming")
    return try await open(StreamingClientStream(method, only: nil, core.traced(options), core.resources))
  }

  /// Begins a call of many requests and many responses; returns once it is open.
  public func bidirectional<Q, S>(
    _ method: RPCMethod<Q, S>, options: CallOptions = CallOptions()
  ) async throws -> ClientCall<Q, S> {
    precondition(method.kind == .bidirectional, "\(method.path) is not bidirectional")
    return try await open(StreamingClientStream(method, only: nil, core.traced(options), core.resources))
  }

  /// Takes no further calls and waits for those under way; cancelling the waiting task cuts them short.
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
