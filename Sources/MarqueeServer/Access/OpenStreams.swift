import MarqueeRPC
import MarqueeTransport
import Synchronization

/// A registry of the open streams, which ends them when the server stops or their principals lose permission.
final class OpenStreams: Sendable {
  private struct State {
    var number = 0
    var open: [Int: OpenStream] = [:]
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
    _ principal: Principal, _ role: CallRole, on connection: Peer,
    _ body: @escaping @Sendable (OpenStream) async throws -> Void
  ) async throws {
    let (end, continuation) = AsyncStream<RPCStatus>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let stream = OpenStream(principal, role, on: connection, continuation)
    let number = state.withLock { state in
      state.number += 1
      state.open[state.number] = stream
      return state.number
    }
    defer { state.withLock { _ = $0.open.removeValue(forKey: number) } }
    // The policy may have changed between the call's authorization and the stream's registration.
    stream.revalidate(access)
    try await withThrowingTaskGroup { group in
      group.addTask { try await body(stream) }
      group.addTask { for await status in end { throw status } }
      if principal.expiry != nil { group.addTask { try await principal.waitUntilExpiry() } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Ends every stream with a status.
  func endAll(_ status: RPCStatus) {
    for stream in state.withLock({ Array($0.open.values) }) { stream.end(status) }
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
  }

  /// The identity of the principal that opened the stream.
  let identity: Principal.Identity
  /// The peer of the stream's connection; each connection has its own instance.
  let connection: Peer
  private let role: CallRole
  private let state: Mutex<State>
  private let continuation: AsyncStream<RPCStatus>.Continuation

  init(
    _ principal: Principal, _ role: CallRole, on connection: Peer, _ continuation: AsyncStream<RPCStatus>.Continuation
  ) {
    identity = principal.identity
    self.connection = connection
    self.role = role
    self.continuation = continuation
    state = Mutex(State(principal: principal))
  }

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
