import MarqueeJournal

/// A data directory without a store, of a server whose devices are in another database.
///
/// It is created, checked and locked like that of a ``Store``, and unlocked when the object is released.
public final class ReservedDirectory: Sendable {
  private let lock: DirectoryLock
  /// Warnings for the operator about the directory.
  public let warnings: [String]

  /// Opens the directory at `path`, and creates it if it does not exist.
  ///
  /// - Throws: ``JournalError`` `directoryLocked`, `ioFailed` or `diskFull`, or `refused` if it contains a store.
  public init(_ path: String) throws(JournalError) {
    warnings = try DataDirectory.prepare(path)
    lock = try DirectoryLock(directory: path)
    guard try !lock.hasMark() else {
      throw JournalError(.refused, "the data directory contains an SQLite store, which the server would not use")
    }
  }
}
