import Foundation
import MarqueeFiles

/// A file that gets its name when it is complete, and replaces no other.
///
/// Until then it is called `NAME.part`. A partial file that an earlier process has left is overwritten.
struct BackupFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  private static func partialPath(_ path: String) -> String { path + ".part" }

  /// Creates the partial file.
  ///
  /// - Throws: ``FileError`` if `path` exists, or the partial file cannot be created or is being written by another
  ///   process.
  init(path: String) throws(FileError) {
    self.path = path
    var found = stat()
    guard lstat(path, &found) != 0 else { throw FileError(String(cString: strerror(EEXIST)), number: EEXIST) }
    descriptor = try Self.create(Self.partialPath(path))
  }

  /// Creates and locks a partial file, after removing one that no process is writing.
  private static func create(_ partial: String) throws(FileError) -> Int32 {
    let stale = open(partial, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    // It stays locked until the new file is, so that other processes find one of them locked.
    defer { if stale >= 0 { close(stale) } }
    if stale >= 0 { try remove(partial, stale) }
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("\(partial) cannot be created") }
    guard lock(descriptor) else {
      close(descriptor)
      throw inUse(partial)
    }
    return descriptor
  }

  /// Removes a partial file unless another process is writing it, or has just renamed or removed it.
  private static func remove(_ partial: String, _ descriptor: Int32) throws(FileError) {
    var (opened, named) = (stat(), stat())
    guard lock(descriptor), fstat(descriptor, &opened) == 0, lstat(partial, &named) == 0,
      opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
    else { throw inUse(partial) }
    guard opened.st_mode & S_IFMT == S_IFREG, unlink(partial) == 0 else {
      throw FileError("\(partial) cannot be removed")
    }
  }

  /// Returns whether no other process has locked the file. Some network file systems have no locks.
  private static func lock(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  private static func inUse(_ partial: String) -> FileError { FileError("another process is writing \(partial)") }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(FileError) { try CheckedFile.write(bytes, to: descriptor) }

  /// Makes the file durable, and gives it its name.
  ///
  /// - Throws: ``FileError``; the partial file is removed then.
  consuming func publish() throws(FileError) {
    let partial = Self.partialPath(path)
    do throws(FileError) {
      guard fsync(descriptor) == 0 else { throw .system("the file cannot be written") }
      try Self.rename(partial, to: path)
    } catch {
      unlink(partial)
      close(descriptor)
      throw error
    }
    close(descriptor)
    try CheckedFile.synchronizeDirectory(of: path)
  }

  /// Removes the partial file.
  consuming func discard() {
    unlink(Self.partialPath(path))
    close(descriptor)
  }

  private static func rename(_ partial: String, to path: String) throws(FileError) {
    // Unlike `rename`, `link` fails if the target exists.
    guard link(partial, path) != 0 else {
      unlink(partial)
      return
    }
    // The errors of a file system without hard links, such as FAT.
    guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw .system("the file cannot be renamed") }
    try reserveAndRename(partial, to: path)
  }

  /// Renames a file without a hard link: an empty file reserves the name, and is replaced.
  static func reserveAndRename(_ partial: String, to path: String) throws(FileError) {
    let reservation = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard reservation >= 0 else { throw .system("the file cannot be created") }
    close(reservation)
    guard Foundation.rename(partial, path) == 0 else {
      let error = FileError.system("the file cannot be renamed")
      unlink(path)
      throw error
    }
  }
}
