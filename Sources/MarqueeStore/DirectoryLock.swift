import Foundation

/// An advisory lock on a data directory, held as long as the value lives.
///
/// The kernel frees it when the process ends, however it ends. Two locks in one process exclude each other as well.
final class DirectoryLock: Sendable {
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
    return StoreError(code, "\(activity) failed with \(cause)", cause: cause)
  }
}
