import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import Metrics
import Synchronization

/// Passes calls on to the nodes of the cluster that serve their devices, so that clients can call any node.
///
/// Clients that follow redirection make the calls there themselves, if the node has an address for them.
///
/// The first node authenticates and authorizes a call, and names the principal in the metadata of the call that it
/// makes. The second node never passes the call on again: if it does not serve the device either, because the device is
/// on its way between nodes, it says so, and the first node decides again.
final class CallForwarder: Sendable {
  /// The time after which a call whose device no node serves is not attempted again.
  private static let waitMax = Duration.seconds(2)
  /// The time between two attempts.
  private static let pause = Duration.milliseconds(20)

  let state: NodeState
  private let connections: NodeConnections
  private let logger: Logger
  private let forwarded: Counter
  private let redirected: Counter
  /// The nodes that did not accept the last call.
  private let refusals = Mutex<Set<Endpoint>>([])

  init(_ state: NodeState, _ connections: NodeConnections, logger: Logger, metrics: any MetricsFactory) {
    self.state = state
    self.connections = connections
    self.logger = logger
    forwarded = Counter(label: "marquee_forwarded_calls_total", dimensions: [], factory: metrics)
    redirected = Counter(label: "marquee_redirects_total", dimensions: [], factory: metrics)
  }

  /// Handles a unary call, here or on the node that serves the device.
  ///
  /// - Parameters:
  ///   - device: The device of the request.
  ///   - handler: The handler of this node. It is called again if it fails because the device moves, so that what
  ///     follows a change must be run by ``afterChange(_:)``.
  func unary<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ call: CallContext, about device: DeviceID,
    _ handler: () async throws -> S
  ) async throws -> S {
    try await atOwner(of: device, call) {
      try await handler()
    } remotely: { connection, options in
      try await connection.unary(method, request, options: options)
    }
  }

  /// Handles a server-streaming call, here or on the node that serves the device. The stream ends if its device moves.
  func serverStreaming<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ writer: ResponseWriter<S>, _ call: CallContext, about device: DeviceID,
    _ handler: () async throws -> Void
  ) async throws {
    try await atOwner(of: device, call) {
      try await Self.afterChange(handler)
    } remotely: { connection, options in
      let remote = try await connection.serverStreaming(method, request, options: options)
      var responses = remote.responses.makeAsyncIterator()
      guard let response = try await responses.next() else { return }
      try await begun {
        try await writer.send(response)
        while let response = try await responses.next() { try await writer.send(response) }
      }
    }
  }

  /// Handles a bidirectional call, here or on the node that serves the device of its first message. The stream ends if
  /// its device moves.
  func bidirectional<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ first: FirstMessage<Q>, _ messages: MessageStream<Q>, _ writer: ResponseWriter<S>,
    _ call: CallContext, about device: DeviceID, _ handler: () async throws -> Void
  ) async throws {
    try await atOwner(of: device, call) {
      try await Self.afterChange(handler)
    } remotely: { connection, options in
      let remote = try await connection.bidirectional(method, options: options)
      try await remote.send(first.value)
      // Other messages follow the first response, so that the call can be made elsewhere until then.
      var responses = remote.responses.makeAsyncIterator()
      guard let response = try await responses.next() else { return }
      try await begun {
        try await writer.send(response)
        try await withThrowingTaskGroup { group in
          group.addTask {
            for try await message in messages {
              // The responses end with the reason.
              do { try await remote.send(message) } catch is RPCStatus { return false }
            }
            remote.finish()
            return false
          }
          group.addTask { [responses] in
            var responses = responses
            while let response = try await responses.next() { try await writer.send(response) }
            return true
          }
          defer { group.cancelAll() }
          while let isOver = try await group.next() { if isOver { return } }
        }
      }
    }
  }

  /// Runs the rest of a handler that has changed something, so that it is not called again if the device moves.
  static func afterChange<Value>(_ rest: () async throws -> Value) async throws -> Value {
    do { return try await rest() } catch let error as RuntimeError where error.code == .moved {
      throw RPCStatus(.unavailable, error.message)
    }
  }

  /// Passes on the rest of a call that has begun on another node, and which is not made again however it ends.
  func begun(_ rest: () async throws -> Void) async throws {
    do { try await rest() } catch var status as RPCStatus {
      status.isRefusal = false
      if status.metadata[RPCStatus.movedKey] != nil { status.metadata = Metadata() }
      throw status
    }
  }

  /// Performs a call here if this node serves the device, and otherwise on the node that does.
  private func atOwner<Value>(
    of device: DeviceID, _ call: CallContext, locally: () async throws -> Value,
    remotely: (RPCClient, CallOptions) async throws -> Value
  ) async throws -> Value {
    let start = ContinuousClock.now
    while true {
      let moved: RuntimeError
      var failure: RPCStatus?
      if let error = state.error(of: device) {
        moved = error
      } else {
        do { return try await locally() } catch let error as RuntimeError where error.code == .moved { moved = error }
      }
      guard !call.isForwarded, !state.isLeaseOver else { throw moved }
      if let owner = moved.owner {
        if let status = redirection(of: call, to: owner) { throw status }
        guard let endpoint = owner.endpoint else { throw moved }
        do {
          return try await self.remotely(owner, endpoint, call, remotely)
        } catch let status as RPCStatus where status.isRefusal || status.metadata[RPCStatus.movedKey] != nil {
          // The other node cannot be reached, shuts down, or does not serve the device.
          if status.metadata[RPCStatus.movedKey] == nil { failure = status }
        }
      }
      guard start.duration(to: .now) < Self.waitMax else { throw failure ?? moved }
      try await Task.sleep(for: Self.pause)
    }
  }

  /// Returns the status with which a client is redirected to the node of its device; `nil` if the call is passed on.
  ///
  /// Calls of sessions are passed on, because the other node may not have read a new session yet.
  private func redirection(of call: CallContext, to owner: NodeRecord) -> RPCStatus? {
    guard let address = owner.advertisedAddress, call.acceptsMoved(to: address) else { return nil }
    if case .session = call.authorizedPrincipal.identity { return nil }
    redirected.increment()
    return RPCStatus(
      .unavailable, RuntimeError.moved(to: owner).message,
      details: [Moved(endpoint: address, node: owner.name).detail], isRefusal: true)
  }

  func remotely<Value>(
    _ owner: NodeRecord, _ endpoint: Endpoint, _ call: CallContext,
    _ body: (RPCClient, CallOptions) async throws -> Value
  ) async throws -> Value {
    var options = CallOptions(timeout: call.timeLeft)
    options.metadata.append(CallContext.principalKey, call.authorizedPrincipal.encoded)
    forwarded.increment()
    do {
      let value = try await connections.withConnection(to: endpoint) { try await body($0, options) }
      refusals.withLock { _ = $0.remove(endpoint) }
      return value
    } catch let status as RPCStatus where [.unauthenticated, .permissionDenied].contains(status.code) {
      // This node has authorized the principal.
      throw refused(by: owner, endpoint, status)
    } catch let error as CredentialsError {
      throw refused(by: owner, endpoint, error)
    } catch var status as RPCStatus where status.code == .unavailable {
      // The client knows only the name of this node.
      status.message = "the server \(owner.name) is not available: \(status.message)"
      throw status
    }
  }

  /// Returns the status of a call that another node does not accept. The reason is logged once.
  private func refused(by owner: NodeRecord, _ endpoint: Endpoint, _ reason: any Error) -> RPCStatus {
    if refusals.withLock({ $0.insert(endpoint).inserted }) {
      logger.error(
        "another node does not accept the credentials of this node",
        metadata: ["node": "\(owner.name)", "error": "\(reason)"])
    }
    return RPCStatus(.unavailable, "the server \(owner.name) does not accept calls of the other servers of the cluster")
  }
}

extension NodeRecord {
  /// The address of the server. Its node has checked it.
  var endpoint: Endpoint? { address.flatMap { try? Endpoint($0) } }
}

extension CallContext {
  /// The key of the metadata with the principal of a call that another node has passed on.
  static let principalKey = "marquee-forwarded-for"

  /// Whether another node has passed the call on. The metadata of other clients does not matter.
  var isForwarded: Bool { (principal as? Principal)?.isForwarded ?? false }
}

extension RPCStatus {
  /// The key of the metadata of a status that says that the server does not serve the device, and that the call had no
  /// effect.
  static let movedKey = "marquee-moved"
}
