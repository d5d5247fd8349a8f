import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Whether the services can be called, as gRPC's health protocol tells it.
///
/// A service that writes cannot while the store refuses that: from a failed write until one succeeds, or until
/// ``pause`` has passed without any, since nobody would try again otherwise. The server as a whole is as its services
/// that write.
final class HealthBoard: Sendable {
  /// How long after a failed write, if none is tried, writing is taken to be worth another attempt.
  static let pause = Duration.seconds(10)

  private struct State {
    var isServing = true
    var canWrite = true
    var failureCount = 0
    /// Whether somebody waits for a pause without failures.
    var isPausing = false
    var watchers: [Int: (service: String, states: AsyncStream<Bool>.Continuation)] = [:]
    var watcherCount = 0
  }

  /// The services that are known; the empty name stands for the server as a whole.
  private let services: Set<String>
  private let writing: Set<String>
  private let pause: Duration
  private let state = Mutex(State())
  /// Whether the last write failed; so that the many that succeed need no lock.
  private let hasFailed = Atomic(false)

  init(services: Set<String>, writing: Set<String>, pause: Duration = pause) {
    self.services = services.union([""])
    self.writing = writing.union([""])
    self.pause = pause
  }

  /// Turns to NOT_SERVING, for good: the server drains.
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

  /// Notes whether something could be written.
  func noteWrite(_ isWritten: Bool) {
    if isWritten {
      if hasFailed.load(ordering: .relaxed) { setCanWrite(true) }
      return
    }
    setCanWrite(false)
    let isFirst = state.withLock { state in
      state.failureCount += 1
      defer { state.isPausing = true }
      return !state.isPausing
    }
    if isFirst { Task { await endPause() } }
  }

  /// Waits until no write has failed for a while.
  private func endPause() async {
    var seen: Int?
    while seen != state.withLock(\.failureCount) {
      seen = state.withLock(\.failureCount)
      // It is never cancelled.
      try? await Task.sleep(for: pause)
    }
    state.withLock { $0.isPausing = false }
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
    guard services.contains(request.service) else { throw RPCStatus(.notFound, "no service of this name") }
    return Self.response(state.withLock { isServing(request.service, $0) })
  }

  private func isServing(_ service: String, _ state: State) -> Bool {
    state.isServing && (state.canWrite || !writing.contains(service))
  }

  /// Sends the state and every change of it until the server has drained or the caller goes.
  func watch(_ request: HealthCheckRequest, _ writer: ResponseWriter<HealthCheckResponse>) async throws {
    guard services.contains(request.service) else {
      try await writer.send(HealthCheckResponse(status: .serviceUnknown))
      return
    }
    for await isServing in states(of: request.service) { try await writer.send(Self.response(isServing)) }
  }

  /// Whether a service that is known can be called, now and whenever that changes; of changes that nobody has taken
  /// the last. It ends when the server drains.
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
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return states
  }

  private func forget(_ number: Int) {
    // The continuation goes after the lock is free: its end may call this again.
    _ = state.withLock { $0.watchers.removeValue(forKey: number) }
  }

  private static func response(_ isServing: Bool) -> HealthCheckResponse {
    HealthCheckResponse(status: isServing ? .serving : .notServing)
  }
}
