import Foundation
import GRDB

/// Copies of everything: made while the store is in use, and put in place of one that is lost.
extension Store {
  /// What the names of files begin with that are backups on their way, in the data directory.
  public static let backupPrefix = "backup-"
  /// Pages that are copied between two looks at whether the task has been cancelled.
  private static let backupStepPageCount: CInt = 1_024

  /// Copies all that is durable at one moment during the call to a new file at `path`: a store's file by itself, which
  /// ``restore(_:to:)`` takes. It is whole and on the disk when this returns; otherwise there is none.
  ///
  /// Writes go on meanwhile. But a deletion of donations waits for the end, and with it all writes after it: until its
  /// reader is gone, what was deleted is in the log. The file has what is deleted later; who promises that something is
  /// gone sees to old backups, too.
  ///
  /// Throws `conflict` when there is such a file, `diskFull`, `ioFailed`, `corrupt`, `closed`, or `ioFailed` with a
  /// `CancellationError` as its cause.
  public func backup(to path: String) async throws(StoreError) {
    let (pool, committer) = (pool, committer)
    let cancellation = Cancellation()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Copying blocks, so it has a thread of its own.
        Thread.detachNewThread {
          committer.beginBackup()
          let outcome = Result { try Self.copy(pool, to: path, unless: cancellation) }
          committer.endBackup()
          continuation.resume(returning: outcome.mapError { StoreError($0, while: "making a backup") })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    try outcome.get()
  }

  private static func copy(_ pool: DatabasePool, to path: String, unless cancellation: Cancellation) throws {
    try cancellation.check()
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw StoreError.system(errno, while: "making the backup's file") }
      throw StoreError(.conflict, "there is a file of the backup's name")
    }
    Foundation.close(descriptor)
    do {
      let copy = try DatabaseQueue(path: path)
      try pool.backup(to: copy, pagesPerStep: backupStepPageCount) { _ in try cancellation.check() }
      try cancellation.check()
      // As one file: the source's log stays where it is.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
      try synchronise(path)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Makes a data directory at `directory`, which has no store yet, of a backup; durable when this returns.
  ///
  /// The backup is looked through first, as ``verify(_:progress:)`` does: a damaged one is refused. Throws `conflict`
  /// when there is a store already, `directoryLocked`, `corrupt`, `schemaTooNew`, `diskFull` or `ioFailed`. `progress`
  /// hears of the devices that have been looked through, and of all of them before the copy is made.
  public static func restore(
    _ backup: String, to directory: String, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StoreError) {
    let verification = try verify(backup, progress: progress)
    if let finding = verification.findings.first {
      throw StoreError(.corrupt, "the backup is damaged: \(finding)")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let lock = try DirectoryLock(directory: directory)
      let file = directory + "/" + fileName
      guard !FileManager.default.fileExists(atPath: file), try !lock.hasMark() else {
        throw StoreError(.conflict, "the directory has, or had, a store; give another, or move it aside")
      }
      let copy = directory + "/" + backupPrefix + "restored"
      // Left by a restoration that did not end.
      unlink(copy)
      try FileManager.default.copyItem(atPath: backup, toPath: copy)
      try synchronise(copy)
      guard rename(copy, file) == 0 else { throw StoreError.system(errno, while: "naming the restored file") }
      try synchronise(directory)
    } catch {
      throw StoreError(error, while: "restoring a backup")
    }
  }

  /// Removes backups that a process did not get to the end of.
  static func removeUnfinishedBackups(in directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasPrefix(backupPrefix) {
      try FileManager.default.removeItem(atPath: directory + "/" + name)
    }
  }

  private static func synchronise(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, while: "opening what was written") }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(errno, while: "flushing what was written") }
  }
}
