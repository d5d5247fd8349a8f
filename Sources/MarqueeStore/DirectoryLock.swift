import Foundation
import MarqueeFiles
import MarqueeJournal

/// An advisory lock (`flock`) on a data directory, held for the lifetime of the object.
///
/// The kernel releases it when the process exits or crashes. Two locks in one process exclude each other as well.
final class DirectoryLock: Sendable {
  private static let mark = Array("marquee\n".utf8)
  /// Follows the mark after a store has been closed, until the next one is opened.
  private static let closedMark = Array("closed\n".utf8)

  private let descriptor: Int32

  /// Locks the existing directory at `path`.
  ///
  /// - Throws: ``JournalError`` `directoryLocked` if the directory is locked already.
  init(directory path: String) throws(JournalError) {
    let descriptor: Int32
    do {
      descriptor = try CheckedFile.open(path + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW)
    } catch {
      guard let number = error.number else { throw JournalError(.ioFailed, "the lock file: \(error)", cause: error) }
      throw .system(number, while: "opening the lock file of \(path)")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(descriptor)
      guard number == EWOULDBLOCK else { throw .system(number, while: "locking the data directory") }
      throw JournalError(.directoryLocked, "the data directory is in use by another process")
    }
    self.descriptor = descriptor
  }

  /// Returns whether the directory has contained a store: if so, a missing or empty database file is data loss.
  func hasMark() throws(JournalError) -> Bool { try size() > 0 }

  /// Records durably that the directory contains a store.
  func setMark() throws(JournalError) {
    guard try !hasMark() else { return }
    guard pwrite(descriptor, Self.mark, Self.mark.count, 0) == Self.mark.count, fsync(descriptor) == 0 else {
      throw .system(errno, while: "writing the lock file")
    }
  }

  /// Records that the store was closed and that its database file is complete without a WAL.
  func setClosedMark() {
    // A failure does not matter: without the mark, only restoring the database file by itself is rejected.
    _ = pwrite(descriptor, Self.closedMark, Self.closedMark.count, off_t(Self.mark.count))
  }

  /// Durably removes the mark of ``setClosedMark()``, before a store writes to the WAL.
  func removeClosedMark() throws(JournalError) {
    guard try size() > Self.mark.count else { return }
    guard ftruncate(descriptor, off_t(Self.mark.count)) == 0, fsync(descriptor) == 0 else {
      throw .system(errno, while: "writing the lock file")
    }
  }

  /// Returns whether the last store in the directory at `path` was closed with a complete database file.
  static func isClosed(directory path: String) -> Bool {
    // A lock file that is missing or unreadable has no mark.
    let bytes = try? CheckedFile.bytes(of: path + "/lock", sizeMax: mark.count + closedMark.count)
    return bytes == Data(mark + closedMark)
  }

  private func size() throws(JournalError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno, while: "reading the lock file") }
    return Int(status.st_size)
  }

  deinit {
    // Closing alone would not release the lock while a child process that is being spawned has the descriptor too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

extension JournalError {
  static func system(_ number: Int32, while activity: String) -> JournalError {
    let cause = SystemFailure(origin: .system, number: number)
    let code: Code = number == ENOSPC || number == EDQUOT ? .diskFull : .ioFailed
    let reason = code == .diskFull ? "the disk is full" : String(cString: strerror(number))
    return JournalError(code, "\(activity) failed: \(reason) (\(cause))", cause: cause)
  }
}
