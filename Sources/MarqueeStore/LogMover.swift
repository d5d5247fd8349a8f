import GRDB
import Synchronization

/// Moves the log into the file over a connection of its own, beside the commits, which only add to the log: nobody who
/// writes waits for it.
///
/// Nobody else may move the log meanwhile, so a pass is begun by the writer's thread alone, and that has to ``wait()``
/// before it moves the log itself. A pass is begun while the log has pages that were not moved; so it cannot begin anew
/// before the pass has ended, which SQLite before 3.51.3 may miss and then lose transactions by.
/// (https://www.sqlite.org/wal.html#walresetbug)
final class LogMover: Sendable {
  private struct State {
    var isMoving = false
    /// Pages of the log that have been moved, unless it has begun anew since.
    var movedCount = 0
  }

  private let queue: DatabaseQueue
  private let state = Mutex(State())

  /// A mover of the log of a database that is open, by another connection to it.
  init(_ queue: DatabaseQueue) {
    self.queue = queue
  }

  /// How many pages of the log, which has so many after a commit, are still to be moved; `nil` while it is being moved
  /// here.
  func restCount(of pageCount: Int) -> Int? {
    state.withLock { state in
      // A log that begins anew has fewer than it had.
      if pageCount < state.movedCount { state.movedCount = 0 }
      return state.isMoving ? nil : pageCount - state.movedCount
    }
  }

  /// Begins to move the log, of which a rest is to be moved; calls `failed` if that goes wrong. For the writer's thread
  /// only.
  func move(failed: @escaping @Sendable (any Error) -> Void) {
    state.withLock { $0.isMoving = true }
    queue.asyncWriteWithoutTransaction { db in
      defer { self.state.withLock { $0.isMoving = false } }
      do {
        self.note(moved: try db.checkpoint(.passive).checkpointedFrameCount)
      } catch {
        failed(error)
      }
    }
  }

  /// Notes how many of the log's pages somebody else has moved.
  func note(moved count: Int) { state.withLock { $0.movedCount = count } }

  /// Returns once nothing is being moved here. For the writer's thread only.
  func wait() { queue.inDatabase { _ in } }

  /// Closes the connection; for when nobody writes any more.
  func close() throws { try queue.close() }
}
