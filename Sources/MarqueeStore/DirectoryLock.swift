import Foundation

/// An advisory lock on a data directory, held as long as the value lives.
///
/// The kernel frees it when the process ends, however it ends. Two locks in one process exclude each other as well.
final class DirectoryLock: Sendable {
  private static let mark = Array("marquee\n".utf8)

  private let descriptor: Int32

  /// Locks the directory at `path`, which exists.
  init(directory path: String) throws(StoreError) {
    let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(errno, while: "opening the lock file") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(descriptor)
      guard number == EWOULDBLOCK else { throw .system(number, while: "locking the data directory") }
      throw StoreError(.directoryLocked, "the data directory is in use by another process")
    }
    self.descriptor = descriptor
  }

  /// Whether the directory has had a store, so that one that is missing or empty now is lost.
  func hasMark() throws(StoreError) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno, while: "reading the lock file") }
    return status.st_size > 0
  }

  /// Notes that the directory has a store; durable when this returns.
  func setMark() throws(StoreError) {
    guard try !hasMark() else { return }
    guard pwrite(descriptor, Self.mark, Self.mark.count, 0) == Self.mark.count, fsync(descriptor) == 0 else {
      throw .system(errno, while: "writing the lock file")
    }
  }

  deinit {
    // Closing alone keeps the lock for as long as a process that is just being started has the descriptor too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

extension StoreError {
  static func system(_ number: Int32, while activity: String) -> StoreError {
    let cause = SystemFailure(origin: .system, number: number)
    let code: Code = number == ENOSPC || number == EDQUOT ? .diskFull : .ioFailed
    let reason = code == .diskFull ? "\(activity) failed: the disk is full" : "\(activity) failed"
    return StoreError(code, "\(reason) (\(cause))", cause: cause)
  }
}
