import MarqueeRPC
import Synchronization

/// Streams that are open, and the way to end them from this side: all, or those whose callers have lost their right.
final class OpenStreams: Sendable {
  private struct State {
    var number = 0
    var open: [Int: OpenStream] = [:]
  }

  private let access: Access
  private let state = Mutex(State())

  init(access: Access) {
    self.access = access
  }

  /// Runs the handler of a stream until it ends, or until it is ended: then the handler is cancelled, and the status
  /// thrown.
  func run(
    _ caller: Caller, _ role: CallRole, _ body: @escaping @Sendable (OpenStream) async throws -> Void
  ) async throws {
    let (end, continuation) = AsyncStream<RPCStatus>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let stream = OpenStream(caller, role, continuation)
    let number = state.withLock { state in
      state.number += 1
      state.open[state.number] = stream
      return state.number
    }
    defer { state.withLock { _ = $0.open.removeValue(forKey: number) } }
    // The policy may have changed since the caller was let in, before the stream could be found.
    stream.review(access)
    try await withThrowingTaskGroup { group in
      group.addTask { try await body(stream) }
      group.addTask { for await status in end { throw status } }
      if caller.end != nil { group.addTask { try await caller.untilEnd() } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Ends every stream with that status.
  func endAll(_ status: RPCStatus) {
    for stream in state.withLock({ Array($0.open.values) }) { stream.end(status) }
  }

  /// Ends the streams that their callers might not open again: after the policy has changed.
  func review() {
    for stream in state.withLock({ Array($0.open.values) }) { stream.review(access) }
  }
}

/// One stream, and by whose right it is open.
final class OpenStream: Sendable {
  private let role: CallRole
  private let state: Mutex<(caller: Caller, scope: CallScope?)>
  private let continuation: AsyncStream<RPCStatus>.Continuation

  init(_ caller: Caller, _ role: CallRole, _ continuation: AsyncStream<RPCStatus>.Continuation) {
    self.role = role
    self.continuation = continuation
    state = Mutex((caller, nil))
  }

  /// Says what the stream is about; throws when that is not its caller's. From now on it ends when it no longer is.
  func hold(_ scope: CallScope) throws(RPCStatus) {
    try state.withLock { (state) throws(RPCStatus) in
      try state.caller.rights.check(role, scope)
      state.scope = scope
    }
  }

  /// Ends it from this side.
  func end(_ status: RPCStatus) {
    continuation.yield(status)
    continuation.finish()
  }

  /// Ends it when its caller has no right to it by the policy in force.
  fileprivate func review(_ access: Access) {
    do throws(RPCStatus) {
      try state.withLock { (state) throws(RPCStatus) in
        guard state.caller.generation != access.generation else { return }
        state.caller = try access.caller(again: state.caller)
        let rights = state.caller.rights
        if let scope = state.scope { try rights.check(role, scope) } else { try rights.check(role) }
      }
    } catch {
      end(error)
    }
  }
}
