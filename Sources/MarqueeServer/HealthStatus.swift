import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The health of the services, as reported by the gRPC health checking protocol.
///
/// A service that writes is NOT_SERVING from a failed write until a write succeeds or ``recoveryInterval`` passes
/// without a failed write, since clients would not retry otherwise. The server as a whole has the health of its writing
/// services.
final class HealthStatus: Sendable {
  /// The time without failed writes after which writing services are SERVING again.
  static let recoveryInterval = Duration.seconds(10)

  private struct State {
    var isServing = true
    var canWrite = true
    var failureCount = 0
    /// Whether a task is waiting for ``recoveryInterval`` to pass.
    var isRecovering = false
    var watchers: [Int: (service: String, states: AsyncStream<Bool>.Continuation)] = [:]
    var watcherCount = 0
  }

  /// The names of the services, with the empty name for the server as a whole.
  private let services: Set<String>
  private let writing: Set<String>
  private let recoveryInterval: Duration
  private let state = Mutex(State())
  /// Whether the last write failed, readable without the lock, so that successful writes do not contend for it.
  private let hasFailed = Atomic(false)

  init(services: Set<String>, writing: Set<String>, recoveryInterval: Duration = recoveryInterval) {
    self.services = services.union([""])
    self.writing = writing.union([""])
    self.recoveryInterval = recoveryInterval
  }

  /// Sets every service to NOT_SERVING permanently, while the server drains.
  func stopServing() {
    let watchers = state.withLock { state in
      state.isServing = false
      defer { state.watchers = [:] }
      return Array(state.watchers.values)
    }
    for watcher in watchers {
      watcher.states.yield(false)
      watcher.states.finish()
    }
  }

  /// Records whether a write succeeded.
  func recordWrite(_ isWritten: Bool) {
    if isWritten {
      if hasFailed.load(ordering: .relaxed) { setCanWrite(true) }
      return
    }
    setCanWrite(false)
    let isFirst = state.withLock { state in
      state.failureCount += 1
      defer { state.isRecovering = true }
      return !state.isRecovering
    }
    if isFirst { Task { await recover() } }
  }

  /// Waits until no write has failed for ``recoveryInterval``.
  private func recover() async {
    var seen: Int?
    while seen != state.withLock(\.failureCount) {
      seen = state.withLock(\.failureCount)
      // The task is never cancelled.
      try? await Task.sleep(for: recoveryInterval)
    }
    state.withLock { $0.isRecovering = false }
    setCanWrite(true)
  }

  private func setCanWrite(_ canWrite: Bool) {
    state.withLock { state in
      hasFailed.store(!canWrite, ordering: .relaxed)
      guard state.canWrite != canWrite else { return }
      state.canWrite = canWrite
      for watcher in state.watchers.values where writing.contains(watcher.service) { watcher.states.yield(canWrite) }
    }
  }

  func check(_ request: HealthCheckRequest) throws(RPCStatus) -> HealthCheckResponse {
    guard services.contains(where: request.service.hasBytes) else {
      throw RPCStatus(.notFound, "unknown service name")
    }
    return Self.response(state.withLock { isServing(request.service, $0) })
  }

  private func isServing(_ service: String, _ state: State) -> Bool {
    state.isServing && (state.canWrite || !writing.contains(service))
  }

  func list() -> HealthListResponse {
    let entries = state.withLock { state in
      services.sorted().map { service in
        HealthListResponse.Entry(service: service, status: Self.response(isServing(service, state)).status)
      }
    }
    return HealthListResponse(entries: entries)
  }

  /// Sends a service's health and every change of it, until the server drains or the client cancels. The stream of an
  /// unknown service stays open, since clients would call again if it ended.
  func watch(_ request: HealthCheckRequest, _ writer: ResponseWriter<HealthCheckResponse>) async throws {
    guard services.contains(where: request.service.hasBytes) else {
      try await writer.send(HealthCheckResponse(status: .serviceUnknown))
      return await waitUntilDraining()
    }
    for await isServing in states(of: request.service) { try await writer.send(Self.response(isServing)) }
  }

  /// Waits until the server drains or the task is cancelled.
  func waitUntilDraining() async {
    for await _ in states(of: "") {}
  }

  /// Returns a stream of a known service's health: the current one and every change. Unread changes are replaced by the
  /// latest one. The stream finishes when the server drains.
  func states(of service: String) -> AsyncStream<Bool> {
    let (states, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.watcherCount += 1
      continuation.yield(isServing(service, state))
      if state.isServing {
        state.watchers[state.watcherCount] = (service, continuation)
      } else {
        continuation.finish()
      }
      return state.watcherCount
    }
    continuation.onTermination = { [weak self] _ in self?.removeWatcher(number) }
    return states
  }

  private func removeWatcher(_ number: Int) {
    // The continuation is released outside the lock, since its termination handler may call this again.
    _ = state.withLock { $0.watchers.removeValue(forKey: number) }
  }

  private static func response(_ isServing: Bool) -> HealthCheckResponse {
    HealthCheckResponse(status: isServing ? .serving : .notServing)
  }
}

extension RPCStatus {
  /// The status of streams that the server ends when it drains.
  static let shuttingDown = RPCStatus(.unavailable, "the server is shutting down; retry later")
}
