import GRDB
import GRDBSQLite
import Synchronization

/// Counts the frames in the WAL since it last restarted, as of a connection's last commit.
///
/// Installs a `sqlite3_wal_hook`, which replaces SQLite's automatic checkpoint: that one runs after a commit and
/// ignores failures. The owner of the counter checkpoints instead.
final class WALFrameCounter: Sendable {
  private let count = Atomic<Int>(0)

  /// The number of frames in the WAL, including those that were checkpointed but not yet overwritten.
  var frameCount: Int { count.load(ordering: .relaxed) }

  /// Installs the hook on a connection, which must not outlive the counter.
  func attach(to db: Database) {
    sqlite3_wal_hook(
      db.sqliteConnection,
      { context, _, _, frameCount in
        guard let context else { preconditionFailure("a WAL hook without its frame counter") }
        Unmanaged<WALFrameCounter>.fromOpaque(context).takeUnretainedValue()
          .count.store(Int(frameCount), ordering: .relaxed)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
