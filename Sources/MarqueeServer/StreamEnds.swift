import MarqueeRPC
import Synchronization

/// Streams that are open, and the way to end them from this side.
final class StreamEnds: Sendable {
  private struct State {
    var number = 0
    var open: [Int: AsyncStream<RPCStatus>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// Runs the handler of a stream until it ends, or until all streams are ended: then it is cancelled, and the status
  /// thrown.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let (end, continuation) = AsyncStream<RPCStatus>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let number = state.withLock { state in
      state.number += 1
      state.open[state.number] = continuation
      return state.number
    }
    defer { state.withLock { _ = $0.open.removeValue(forKey: number) } }
    try await withThrowingTaskGroup { group in
      group.addTask { try await body() }
      group.addTask { for await status in end { throw status } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Ends every stream with that status.
  func endAll(_ status: RPCStatus) {
    for continuation in state.withLock({ Array($0.open.values) }) {
      continuation.yield(status)
      continuation.finish()
    }
  }
}
