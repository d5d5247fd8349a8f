import GRDB
import GRDBSQLite
import Synchronization

/// How many pages SQLite's write-ahead log has had since it last began anew, as of a connection's last commit.
///
/// By itself SQLite moves the log into the file after a commit, and tells nobody when that fails. With a gauge
/// attached, it leaves that to whoever reads the gauge.
final class LogGauge: Sendable {
  private let count = Atomic<Int>(0)

  /// Pages in the log, those that were moved but not overwritten among them.
  var pageCount: Int { count.load(ordering: .relaxed) }

  /// Follows a connection, which must not outlive the gauge.
  func attach(to db: Database) {
    sqlite3_wal_hook(
      db.sqliteConnection,
      { context, _, _, pageCount in
        guard let context else { preconditionFailure("a log without its gauge") }
        Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().count.store(Int(pageCount), ordering: .relaxed)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
