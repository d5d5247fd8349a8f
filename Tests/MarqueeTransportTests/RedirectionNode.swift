import MarqueeRPC
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeTransport

/// A server that handles calls, or refuses them as a node of a cluster does.
final class RedirectionNode: Sendable {
  /// A call that the server has received.
  struct Call: Hashable, Sendable {
    let method: String
    let isForwarded: Bool
    let authorization: String?
  }

  let endpoint: Endpoint
  let server: RPCServer
  /// Recorded when a handler has begun.
  let begun = EventRecorder<Void>()
  /// Recorded when a handler is cancelled.
  let cancellations = EventRecorder<Void>()
  private let state = Mutex(State())

  private struct State {
    var calls: [Call] = []
    var answer: @Sendable (CallContext) throws -> Void = { _ in }
  }

  /// The calls that were received, also those that were refused.
  var calls: [Call] { state.withLock(\.calls) }
  /// The number of received calls.
  var callCount: Int { calls.count }
  /// The number of received calls that were to be passed on.
  var forwardedCount: Int { calls.count(where: \.isForwarded) }

  init(_ endpoint: Endpoint, tls: TLSPair? = nil) async throws {
    let (state, begun, cancellations) = (SharedState(), begun, cancellations)
    server = RPCServer(router: Self.router(state, begun, cancellations), logger: .silent)
    self.endpoint = try await server.start([endpoint], tls: tls?.server)[0]
    state.node.withLock { $0 = self }
  }

  /// The node of a router, which is created before it.
  private final class SharedState: Sendable {
    let node = Mutex<RedirectionNode?>(nil)

    func receive(_ call: CallContext) throws { try node.withLock(\.self)?.receive(call) }
  }

  private func receive(_ call: CallContext) throws {
    let answer = state.withLock { state in
      state.calls.append(
        Call(
          method: call.method, isForwarded: call.metadata.bytes(for: CallContext.forwardKey) != nil,
          authorization: call.metadata["authorization"]))
      return state.answer
    }
    try answer(call)
  }

  /// Sets what happens to a call before it is handled.
  func answer(_ answer: @escaping @Sendable (CallContext) throws -> Void) { state.withLock { $0.answer = answer } }

  /// Redirects clients that accept it to an endpoint, and handles all other calls.
  func redirect(to endpoint: String) {
    answer { call in if call.acceptsMoved(to: endpoint) { throw Self.moved(to: endpoint) } }
  }

  /// Handles all calls.
  func handle() { answer { _ in } }

  static func moved(to endpoint: String) -> RPCStatus {
    RPCStatus(.unavailable, "elsewhere", details: [Moved(endpoint: endpoint, node: "b").detail], isRefusal: true)
  }

  private static func router(
    _ node: SharedState, _ begun: EventRecorder<Void>, _ cancellations: EventRecorder<Void>
  ) -> Router {
    var router = Router(status: EchoServer.status)
    router.unary(Methods.echo) { request, call in
      try node.receive(call)
      return request
    }
    router.unary(Methods.wait) { request, call in
      try node.receive(call)
      begun.record()
      do { try await Forever().wait() } catch { cancellations.record() }
      return request
    }
    router.serverStreaming(Methods.count) { request, writer, call in
      try node.receive(call)
      for number in 0..<(request.first ?? 0) { try await writer.send([number]) }
    }
    router.serverStreaming(Methods.breakOff) { request, writer, call in
      try await writer.send(request)
      try node.receive(call)
    }
    router.clientStreaming(Methods.sum) { requests, call in
      var sum: UInt8 = 0
      for try await request in requests { sum = request.reduce(sum, &+) }
      try node.receive(call)
      return [sum]
    }
    router.bidirectional(Methods.chat) { requests, writer, call in
      var requests = requests.makeAsyncIterator()
      let first = try await requests.next()
      try node.receive(call)
      if let first { try await writer.send(first) }
      while let request = try await requests.next() { try await writer.send(request) }
    }
    return router
  }

  func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> RPCClient {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    change(&configuration)
    return RPCClient(endpoint, configuration: configuration)
  }

  func shutDown() async { await server.shutDown(grace: .zero) }

  /// Runs `body` with two servers on Unix sockets, of which the first redirects to the second.
  static func withTwo(_ body: (_ a: RedirectionNode, _ b: RedirectionNode) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let a = try await RedirectionNode(.unix(path: directory.file("a.sock")))
    let b = try await RedirectionNode(.unix(path: directory.file("b.sock")))
    a.redirect(to: b.endpoint.description)
    try await body(a, b)
    await a.shutDown()
    await b.shutDown()
  }
}

extension CallOptions {
  /// Options of a call about a device.
  static func about(_ device: String, timeout: Duration? = .seconds(20)) -> CallOptions {
    CallOptions(timeout: timeout, affinity: device)
  }
}
