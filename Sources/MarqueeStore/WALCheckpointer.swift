import GRDB
import Synchronization

/// Checkpoints the WAL on a dedicated connection, so that commits never wait for a checkpoint.
///
/// No other connection may checkpoint meanwhile: only the writer's thread starts a checkpoint here, and it calls
/// ``wait()`` before it checkpoints itself. A checkpoint is started only while frames of the WAL are pending, so that
/// the WAL cannot restart before the checkpoint has ended; SQLite before 3.51.3 may miss such a restart and then lose
/// transactions. (https://www.sqlite.org/wal.html#walresetbug)
final class WALCheckpointer: Sendable {
  private struct State {
    var isRunning = false
    /// The number of frames that have been checkpointed since the WAL last restarted.
    var checkpointedFrameCount = 0
  }

  private let queue: DatabaseQueue
  private let state = Mutex(State())

  /// Creates a checkpointer that uses `queue`, a connection of its own to an open database.
  init(_ queue: DatabaseQueue) {
    self.queue = queue
  }

  /// Returns the number of frames that are left to checkpoint, or `nil` while a checkpoint is running here.
  ///
  /// - Parameter frameCount: The number of frames in the WAL after the last commit.
  func pendingFrameCount(of frameCount: Int) -> Int? {
    state.withLock { state in
      // A WAL that has restarted has fewer frames than before.
      if frameCount < state.checkpointedFrameCount { state.checkpointedFrameCount = 0 }
      return state.isRunning ? nil : frameCount - state.checkpointedFrameCount
    }
  }

  /// Starts a passive checkpoint. Frames must be pending. For the writer's thread only.
  ///
  /// - Parameter onFailure: Called with the error if the checkpoint fails.
  func start(onFailure: @escaping @Sendable (any Error) -> Void) {
    state.withLock { $0.isRunning = true }
    queue.asyncWriteWithoutTransaction { db in
      defer { self.state.withLock { $0.isRunning = false } }
      do {
        self.recordCheckpoint(frameCount: try db.checkpoint(.passive).checkpointedFrameCount)
      } catch {
        onFailure(error)
      }
    }
  }

  /// Records the number of the WAL's frames that a checkpoint, here or on the writer, has copied to the database.
  func recordCheckpoint(frameCount: Int) { state.withLock { $0.checkpointedFrameCount = frameCount } }

  /// Returns once no checkpoint is running here. For the writer's thread only.
  func wait() { queue.inDatabase { _ in } }

  /// Closes the connection. Call it after the last write.
  func close() throws { try queue.close() }
}
