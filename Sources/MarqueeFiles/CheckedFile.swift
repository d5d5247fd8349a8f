public import Foundation

/// Opens files that are named by settings and command lines.
///
/// Opening a named pipe or a device can block forever, so files are opened with `O_NONBLOCK`, and anything but a
/// regular file is rejected.
public enum CheckedFile {
  private static let inheritedPrefixes = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr"]

  /// Opens a regular file without blocking. A file that is created is accessible only to its owner.
  ///
  /// - Parameters:
  ///   - path: The file's path. Symbolic links are followed unless `flags` contains `O_NOFOLLOW`.
  ///   - flags: The flags for `open`. With `O_CREAT`, the file's mode is set to 600, even if the umask denies its owner
  ///     access.
  ///   - acceptsInherited: Whether the path may name an open file descriptor of this process, such as a shell's
  ///     `<(command)`, which may be a pipe.
  /// - Returns: A file descriptor, which the caller must close.
  /// - Throws: ``FileError`` if the file cannot be opened or is not a regular file.
  public static func open(
    _ path: String, _ flags: Int32 = O_RDONLY, acceptsInherited: Bool = false
  ) throws(FileError) -> Int32 {
    let descriptor = Foundation.open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // A named pipe without a reader, or a socket.
      guard errno != ENXIO else { throw FileError("not a regular file") }
      guard errno != ELOOP || flags & O_NOFOLLOW == 0 else { throw FileError("a symbolic link, not a regular file") }
      throw .system("the file cannot be opened")
    }
    do throws(FileError) {
      let isInherited = acceptsInherited && inheritedPrefixes.contains(where: path.hasPrefix)
      if isInherited {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
      } else {
        let found = try status(descriptor)
        try check(found)
        if flags & O_CREAT != 0, found.st_mode & 0o7777 != 0o600, fchmod(descriptor, 0o600) != 0 {
          throw .system("the file's mode cannot be changed to 600")
        }
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Checks that there is a regular, readable file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - flags: The flags for `open`, as for ``open(_:_:acceptsInherited:)``.
  /// - Throws: ``FileError`` otherwise.
  public static func check(_ path: String, _ flags: Int32 = O_RDONLY) throws(FileError) {
    close(try open(path, flags))
  }

  /// Returns the contents of a regular file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - sizeMax: The maximum number of bytes. Reading stops there, whatever size the file reports.
  ///   - limit: The name of the limit for the error message, or `nil`.
  ///   - acceptsInherited: Whether the path may name an open file descriptor of this process.
  /// - Throws: ``FileError`` if the file cannot be read or is larger than `sizeMax`.
  public static func bytes(
    of path: String, sizeMax: Int, limit: String? = nil, acceptsInherited: Bool = false
  ) throws(FileError) -> Data {
    let descriptor = try open(path, acceptsInherited: acceptsInherited)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let data: Data
    do {
      data = try handle.read(upToCount: sizeMax + 1) ?? Data()
    } catch {
      throw FileError("the file cannot be read")
    }
    guard data.count <= sizeMax else {
      throw FileError("the file exceeds \(limit ?? "the maximum size") (\(sizeMax) bytes)")
    }
    return data
  }

  /// Writes a file atomically and durably, with permissions for its owner only.
  ///
  /// A path that names an open file descriptor of this process, such as `/dev/stdout`, is written directly.
  ///
  /// - Throws: ``FileError`` if the file cannot be written; an existing file is unchanged then.
  public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    if inheritedPrefixes.contains(where: path.hasPrefix) {
      let descriptor = try open(path, O_WRONLY, acceptsInherited: true)
      defer { close(descriptor) }
      return try write(bytes, to: descriptor)
    }
    let target: String
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      target = String(cString: resolved)
      try check(target)
    } else {
      var found = stat()
      guard lstat(path, &found) != 0 else { throw FileError("dangling symbolic link") }
      target = path
    }
    var name = Array("\(target).XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw .system("the file cannot be created") }
    defer { close(descriptor) }
    do throws(FileError) {
      guard fchmod(descriptor, 0o600) == 0 else { throw .system("the file cannot be created") }
      try write(bytes, to: descriptor)
      guard fsync(descriptor) == 0 else { throw .system("the file cannot be written") }
      guard rename(name, target) == 0 else { throw .system("the file cannot be renamed") }
      try synchronizeDirectory(of: target)
    } catch {
      unlink(name)
      throw error
    }
  }

  /// Makes the names in a file's directory durable.
  public static func synchronizeDirectory(of path: String) throws(FileError) {
    let directory = Foundation.open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { throw .system("the directory cannot be opened") }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw .system("the directory cannot be written") }
  }

  /// Writes all bytes to a file descriptor.
  ///
  /// - Throws: ``FileError`` if a write fails.
  public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw .system("the file cannot be written") }
      remaining = remaining.dropFirst(max(count, 0))
    }
  }

  /// Returns the mode of a file that other users may read, such as 0o644, or `nil` if only its owner may.
  public static func openPermissions(of path: String) -> mode_t? {
    var found = stat()
    guard stat(path, &found) == 0, found.st_mode & 0o044 != 0 else { return nil }
    return found.st_mode & 0o7777
  }

  private static func status(_ descriptor: Int32) throws(FileError) -> stat {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw .system("the file's status cannot be read") }
    return found
  }

  private static func check(_ status: stat) throws(FileError) {
    let kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil as String?
      case S_IFDIR: "a directory"
      case S_IFIFO: "a named pipe"
      case S_IFCHR, S_IFBLK: "a device"
      default: "a file of unknown type"
      }
    if let kind { throw FileError("\(kind), not a regular file") }
  }
}

/// The reason why a file cannot be used.
public struct FileError: Error, Sendable, CustomStringConvertible {
  /// The reason, without the file's path.
  public let description: String
  /// The `errno` of a failed system call, if any.
  public let number: Int32?

  public init(_ description: String, number: Int32? = nil) {
    self.description = description
    self.number = number
  }

  /// Returns the error of the system call that has just failed.
  public static func system(_ condition: String) -> FileError {
    FileError("\(condition): \(String(cString: strerror(errno)))", number: errno)
  }
}
