import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// A registry of the open streams, which ends them when the server stops, their principals lose permission, or their
/// device or app is removed.
final class OpenStreams: Sendable {
  private struct State {
    var number = 0
    var open: [Int: OpenStream] = [:]
    /// The status with which all streams end that begin after the server has stopped.
    var end: RPCStatus?
  }

  private let access: AccessController
  private let state = Mutex(State())

  init(access: AccessController) {
    self.access = access
  }

  /// Runs a stream's handler until it returns or the stream is ended by the server.
  ///
  /// In the latter case the handler is cancelled and the status is thrown.
  func run(
    _ call: CallContext, _ role: CallRole,
    _ body: @escaping @Sendable (OpenStream) async throws -> Void
  ) async throws {
    let principal = call.authorizedPrincipal
    let (end, continuation) = AsyncStream<RPCStatus>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let stream = OpenStream(call, role, continuation)
    let (number, lateEnd) = state.withLock { state in
      state.number += 1
      state.open[state.number] = stream
      return (state.number, state.end)
    }
    if let lateEnd { stream.end(lateEnd) }
    defer {
      state.withLock { _ = $0.open.removeValue(forKey: number) }
      stream.handlerReturned()
    }
    // The policy may have changed between the call's authorization and the stream's registration.
    stream.revalidate(access)
    try await withThrowingTaskGroup { group in
      group.addTask {
        defer { continuation.finish() }
        try await body(stream)
      }
      if principal.expiry != nil {
        group.addTask { if let status = await principal.waitForExpiry() { stream.end(status) } }
      }
      // Also ends when the task is cancelled. The error cancels the handler.
      for await status in end { throw status }
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// Ends every stream with a status, also those that begin later: clients of HTTP/2 open streams until they have read
  /// that the server stops.
  func stop(_ status: RPCStatus) {
    state.withLock { $0.end = status }
    endAll(status)
  }

  /// Ends every open stream with a status.
  func endAll(_ status: RPCStatus) {
    for stream in state.withLock({ Array($0.open.values) }) { stream.end(status) }
  }

  /// Returns the open streams in the order in which they were opened, except for those that other nodes have passed on.
  ///
  /// - Parameters:
  ///   - device: The device to return the streams of; `nil` for all.
  ///   - node: The name of this server in its cluster.
  func summaries(of device: DeviceID?, node: String) -> [StreamSummary] {
    let open = state.withLock(\.open)
    return open.sorted { $0.key < $1.key }.compactMap { _, stream in
      guard !stream.call.isForwarded, device == nil || stream.device == device else { return nil }
      return stream.summary(node: node)
    }
  }

  /// Ends the streams that are authorized for a device, or for an app on it, and waits until their handlers have
  /// returned or the task is cancelled.
  ///
  /// A handler that has returned writes nothing more.
  func end(of device: DeviceID, app: AppID? = nil, _ status: RPCStatus) async {
    let ended = state.withLock { $0.open.values.filter { $0.isAuthorized(for: device, app) } }
    for stream in ended { stream.end(status) }
    for stream in ended { await stream.waitForHandler() }
  }

  /// Ends the streams that are authorized for a device of some shards. Does not wait for their handlers.
  func end(of shards: ShardSet, _ status: RPCStatus) {
    let ended = state.withLock { $0.open.values.filter { $0.device.map(shards.contains) ?? false } }
    for stream in ended { stream.end(status) }
  }

  /// Revalidates every stream against the policy in force and ends those that are no longer authorized.
  func revalidate() {
    for stream in state.withLock({ Array($0.open.values) }) { stream.revalidate(access) }
  }
}

/// An open stream, with the principal and the scope that it is authorized for.
final class OpenStream: Sendable {
  private struct State {
    var principal: Principal
    var scope: CallScope?
    /// The status with which a change of the policy ended the stream.
    var revocation: RPCStatus?
    var hasHandlerReturned = false
    /// The continuations of the tasks that wait for the handler to return.
    var waiters: [AsyncStream<Never>.Continuation] = []
  }

  /// The call that opened the stream.
  let call: CallContext
  /// When the stream was opened, in seconds since 1970.
  private let opened = Principal.now
  private let role: CallRole
  private let state: Mutex<State>
  private let continuation: AsyncStream<RPCStatus>.Continuation

  init(_ call: CallContext, _ role: CallRole, _ continuation: AsyncStream<RPCStatus>.Continuation) {
    self.call = call
    self.role = role
    self.continuation = continuation
    state = Mutex(State(principal: call.authorizedPrincipal))
  }

  /// The identity of the principal that opened the stream.
  var identity: Principal.Identity { call.authorizedPrincipal.identity }
  /// The identity that the stream is counted for.
  var account: Principal.Identity { call.authorizedPrincipal.account }
  /// The peer of the stream's connection; each connection has its own instance.
  var connection: Peer { call.peer }

  /// Authorizes the stream for a scope, which is checked again, with the role, whenever the policy changes.
  func authorize(_ scope: CallScope) throws(RPCStatus) {
    try state.withLock { (state) throws(RPCStatus) in
      if let revocation = state.revocation { throw revocation }
      try state.principal.permissions.check(scope, of: role)
      state.scope = scope
    }
  }

  /// Ends the stream from the server's side.
  func end(_ status: RPCStatus) {
    continuation.yield(status)
    continuation.finish()
  }

  /// Returns what the server says of the stream to operators.
  fileprivate func summary(node: String) -> StreamSummary {
    let scope = state.withLock(\.scope)
    return StreamSummary(
      method: call.method, device: scope?.device, app: scope?.app,
      principal: identity.description.visible(sizeMax: 255), address: connection.address,
      callProtocol: call.callProtocol.rawValue, opened: Principal.instant(opened), node: node)
  }

  /// The device that the stream is authorized for, if any.
  fileprivate var device: DeviceID? { state.withLock(\.scope)?.device }

  /// Whether the stream is authorized for the device and, if there is one, the app.
  fileprivate func isAuthorized(for device: DeviceID, _ app: AppID?) -> Bool {
    guard let scope = state.withLock(\.scope) else { return false }
    return scope.device == device && (app == nil || scope.app == app)
  }

  /// Records that the handler has returned.
  fileprivate func handlerReturned() {
    let waiters = state.withLock { state in
      state.hasHandlerReturned = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Waits until the handler has returned or the task is cancelled.
  fileprivate func waitForHandler() async {
    let (end, waiter) = AsyncStream<Never>.makeStream()
    let hasReturned = state.withLock { state in
      if !state.hasHandlerReturned { state.waiters.append(waiter) }
      return state.hasHandlerReturned
    }
    if hasReturned { waiter.finish() }
    for await _ in end {}
  }

  /// Ends the stream unless its principal is authorized by the policy in force.
  fileprivate func revalidate(_ access: AccessController) {
    let revocation = state.withLock { state -> RPCStatus? in
      guard state.principal.generation != access.generation else { return nil }
      do throws(RPCStatus) {
        state.principal = try access.principal(revalidating: state.principal)
        try state.principal.permissions.check(role)
        if let scope = state.scope { try state.principal.permissions.check(scope, of: role) }
      } catch {
        state.revocation = error
      }
      return state.revocation
    }
    if let revocation { end(revocation) }
  }
}
