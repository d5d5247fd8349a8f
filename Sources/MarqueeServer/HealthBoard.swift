import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Whether the services can be called, as gRPC's health protocol tells it.
final class HealthBoard: Sendable {
  private struct State {
    var isServing = true
    var watchers: [Int: AsyncStream<Bool>.Continuation] = [:]
    var watcherCount = 0
  }

  /// The services that are known; the empty name stands for the server as a whole.
  private let services: Set<String>
  private let state = Mutex(State())

  init(services: Set<String>) {
    self.services = services.union([""])
  }

  /// Turns to NOT_SERVING, for good: the server drains.
  func stopServing() {
    state.withLock { state in
      state.isServing = false
      for watcher in state.watchers.values {
        watcher.yield(false)
        watcher.finish()
      }
      state.watchers = [:]
    }
  }

  func check(_ request: HealthCheckRequest) throws(RPCStatus) -> HealthCheckResponse {
    guard services.contains(request.service) else { throw RPCStatus(.notFound, "no service of this name") }
    return Self.response(state.withLock { $0.isServing })
  }

  /// Sends the state and every change of it until the server has drained or the caller goes.
  func watch(_ request: HealthCheckRequest, _ writer: ResponseWriter<HealthCheckResponse>) async throws {
    guard services.contains(request.service) else {
      try await writer.send(HealthCheckResponse(status: .serviceUnknown))
      return
    }
    let (changes, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.watcherCount += 1
      continuation.yield(state.isServing)
      if state.isServing { state.watchers[state.watcherCount] = continuation } else { continuation.finish() }
      return state.watcherCount
    }
    defer { state.withLock { $0.watchers[number] = nil } }
    for await isServing in changes { try await writer.send(Self.response(isServing)) }
  }

  private static func response(_ isServing: Bool) -> HealthCheckResponse {
    HealthCheckResponse(status: isServing ? .serving : .notServing)
  }
}
