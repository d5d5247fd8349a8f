import Synchronization

/// Tells a thread that nobody waits for it any more.
final class Cancellation: Sendable {
  private let isCancelled = Atomic<Bool>(false)

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` once it is cancelled.
  func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }
}
