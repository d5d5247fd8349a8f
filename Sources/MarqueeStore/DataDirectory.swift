import Foundation
import MarqueeFiles
import MarqueeJournal

/// The directory of a store's files. Only its owner, which is the server's user or root, may read or write it.
enum DataDirectory {
  private static let directoryPermissions: mode_t = 0o700
  private static let filePermissions: mode_t = 0o600
  /// The files that a store opens, including SQLite's.
  private static let fileNames = ["lock"] + ["", "-wal", "-shm", "-journal"].map { Store.fileName + $0 }

  /// Creates the directory if it does not exist, checks it and its files, and restricts the files to the owner.
  ///
  /// A directory that other users may write or own is rejected: they could replace the store's files. Symbolic links in
  /// place of the files are rejected.
  ///
  /// - Returns: Warnings for the operator.
  /// - Throws: ``JournalError`` `ioFailed` or `diskFull`.
  static func prepare(_ path: String) throws(JournalError) -> [String] {
    var warnings: [String] = []
    let creation = "creating the data directory \(path)"
    if access(path, F_OK) != 0 {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: Int(directoryPermissions)])
      } catch {
        throw JournalError(error, while: creation)
      }
      guard chmod(path, directoryPermissions) == 0 else { throw .system(errno, while: creation) }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(errno, while: "reading the status of \(path)") }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw JournalError(.ioFailed, "the data directory \(path) is not a directory")
    }
    try checkOwner(status, &warnings)
    try checkPermissions(status, path, &warnings)
    checkParent(of: path, &warnings)
    for name in fileNames { try restrict(path + "/" + name, name, &warnings) }
    return warnings
  }

  private static func checkOwner(_ status: stat, _ warnings: inout [String]) throws(JournalError) {
    guard status.st_uid != geteuid() else { return }
    guard status.st_uid == 0 else {
      throw JournalError(
        .ioFailed,
        "the data directory is owned by another user (uid \(status.st_uid)), who can replace its files; run as that "
          + "user, or change the owner")
    }
    warnings.append("the data directory is owned by root, not by the server's user")
  }

  private static func checkPermissions(
    _ status: stat, _ path: String, _ warnings: inout [String]
  ) throws(JournalError) {
    let mode = String(status.st_mode & 0o7777, radix: 8)
    if status.st_mode & 0o022 != 0 {
      guard isVolume(status) else {
        throw JournalError(
          .ioFailed, "the data directory is writable by other users (mode \(mode)); change its mode to 700")
      }
      let isRestricted = chmod(path, directoryPermissions) == 0
      warnings.append(
        "the data directory is writable by its group (mode \(mode))"
          + (isRestricted ? "; its mode was changed to 700" : ", as is a Kubernetes volume with fsGroup"))
    } else if status.st_mode & 0o055 != 0 {
      warnings.append("the data directory is readable by other users (mode \(mode)); change its mode to 700")
    }
  }

  /// Returns whether a group-writable directory is a Kubernetes volume with `fsGroup`, which has the setgid bit.
  private static func isVolume(_ status: stat) -> Bool {
    status.st_mode & 0o002 == 0 && status.st_mode & S_ISGID != 0
  }

  /// Adds a warning if other users can rename the data directory and replace it.
  private static func checkParent(of path: String, _ warnings: inout [String]) {
    var status = stat()
    // If the path is a symbolic link, this is the parent of its target.
    guard stat(path + "/..", &status) == 0 else { return }
    guard status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 else { return }
    warnings.append(
      "the parent of the data directory is writable by other users (mode "
        + "\(String(status.st_mode & 0o7777, radix: 8))), who can replace the data directory; change its mode to 755")
  }

  private static func restrict(_ path: String, _ name: String, _ warnings: inout [String]) throws(JournalError) {
    let descriptor: Int32
    do {
      descriptor = try CheckedFile.open(path, O_RDONLY | O_NOFOLLOW)
    } catch {
      if error.number == ENOENT { return }
      throw JournalError(.ioFailed, "\(name): \(error)", cause: error)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno, while: "reading the status of \(name)") }
    guard status.st_mode & 0o077 != 0 else { return }
    let mode = String(status.st_mode & 0o7777, radix: 8)
    guard fchmod(descriptor, filePermissions) == 0 else {
      throw JournalError(.ioFailed, "\(name) is readable by other users (mode \(mode)); change its mode to 600")
    }
    warnings.append("\(name) was readable by other users (mode \(mode)); its mode was changed to 600")
  }

  /// Creates an empty database file unless it exists. SQLite gives its other files the same permissions.
  static func createFile(_ path: String) throws(JournalError) {
    do {
      close(try CheckedFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW))
    } catch {
      throw JournalError(.ioFailed, "\(Store.fileName): \(error)", cause: error)
    }
  }
}
