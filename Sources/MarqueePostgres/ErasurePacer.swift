import MarqueeJournal
import Synchronization

/// Admits erasures to the writer one at a time, each after a pause as long as the one before it took.
///
/// An erasure seals all rows of a device again, and all other batches wait meanwhile. So they wait for at most one
/// erasure, and have half of the writer's time, however much is deleted and on however many devices.
final class ErasurePacer: Sendable {
  /// The maximum pause, after an erasure that took longer because the database could not be reached.
  private static let pauseMax = Duration.seconds(10)

  private struct State {
    var isOccupied = false
    /// The erasures that wait, in order.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The end of the pause after the last erasure.
    var pauseEnd = ContinuousClock.now
  }

  private let state = Mutex(State())

  /// Calls `erasure` once no other one runs, and the pause has ended.
  ///
  /// - Throws: The error of `erasure`, or `JournalError` `unavailable` if the task is cancelled before, as when the
  ///   server stops.
  func run(_ erasure: () async throws(JournalError) -> Void) async throws(JournalError) {
    await occupy()
    defer { release() }
    // A cancellation ends the pause, and is thrown below.
    try? await Task.sleep(until: state.withLock(\.pauseEnd), clock: .continuous)
    guard !Task.isCancelled else { throw JournalError(.unavailable, "the server stops") }
    let start = ContinuousClock.now
    defer {
      let end = ContinuousClock.now
      state.withLock { $0.pauseEnd = end + min(end - start, Self.pauseMax) }
    }
    try await erasure()
  }

  private func occupy() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isOccupied { state.waiting.append(continuation) }
        defer { state.isOccupied = true }
        return !state.isOccupied
      }
      if isFree { continuation.resume() }
    }
  }

  /// Admits the next erasure.
  private func release() {
    let next = state.withLock { state in
      state.isOccupied = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
