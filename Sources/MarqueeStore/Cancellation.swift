import Synchronization

/// A cancellation flag for work on a thread of its own.
final class Cancellation: Sendable {
  private let isCancelled = Atomic<Bool>(false)

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` after ``cancel()``.
  func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }
}
