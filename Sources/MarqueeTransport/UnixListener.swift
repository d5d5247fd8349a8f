import Glibc

/// A bound Unix socket and the lock file that protects its path.
///
/// The lock file `PATH.lock` is never removed: otherwise two servers could hold locks on different files of that name.
struct UnixListener: Sendable {
  /// The bound socket, not listening yet; the caller closes it.
  let socket: CInt
  private let lock: CInt
  private let path: String
  private let device: UInt64
  private let inode: UInt64

  /// Binds a socket at `path` with the given mode.
  ///
  /// A socket left behind by a terminated server of the same user is replaced; any other file at the path is an error.
  /// The socket's directory is created if it is missing: for the user alone, unless others may use the socket.
  init(path: String, mode: UInt32) throws(EndpointError) {
    try Self.createDirectory(of: path, mode: mode & 0o077 == 0 ? 0o700 : 0o755)
    lock = try Self.lock(path)
    do {
      try Self.removeStale(path)
      socket = try Self.bind(path, mode: mode)
    } catch {
      close(lock)
      throw error
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let error = Self.failure("cannot stat the bound Unix socket")
      close(socket)
      close(lock)
      throw error
    }
    self.path = path
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Removes the socket file if it is still the bound one, and releases the lock.
  func remove() {
    var status = stat()
    if lstat(path, &status) == 0, UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode { unlink(path) }
    releaseLock()
  }

  /// Releases the lock and leaves the socket file in place.
  func releaseLock() {
    // Closing is not enough: a child process that has not called `exec` yet may share the descriptor.
    flock(lock, LOCK_UN)
    close(lock)
  }

  private static func createDirectory(of path: String, mode: UInt32) throws(EndpointError) {
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
    let directory = String(path[..<end])
    guard mkdir(directory, mode) != 0, errno != EEXIST else { return }
    throw failure("cannot create the Unix socket's directory")
  }

  /// Returns the error of the system call that has just failed.
  private static func failure(_ condition: String) -> EndpointError {
    EndpointError("\(condition): \(String(cString: strerror(errno)))")
  }

  private static func lock(_ path: String) throws(EndpointError) -> CInt {
    let lock = open(path + ".lock", O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw failure("cannot open the Unix socket's lock file") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let error = failure("cannot lock the Unix socket's lock file")
      close(lock)
      throw isHeld ? EndpointError("another server is listening on this Unix socket") : error
    }
    return lock
  }

  private static func removeStale(_ path: String) throws(EndpointError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw failure("cannot stat the Unix socket's path")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw EndpointError("the file at the Unix socket's path is not a socket")
    }
    guard status.st_uid == geteuid() else {
      throw EndpointError("the Unix socket belongs to user \(status.st_uid), not to user \(geteuid())")
    }
    guard unlink(path) == 0 else { throw failure("cannot remove the stale Unix socket") }
  }

  private static func bind(_ path: String, mode: UInt32) throws(EndpointError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let socket = Glibc.socket(AF_UNIX, type, 0)
    guard socket >= 0 else { throw failure("cannot create a Unix socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { space in
      space.copyBytes(from: Array(path.utf8.prefix(space.count - 1)))
    }
    // On Linux, the mode set on the socket before `bind` applies to its file, which is therefore never more accessible.
    let isBound =
      fchmod(socket, mode_t(mode)) == 0
      && withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      } && chmod(path, mode_t(mode)) == 0
    guard isBound else {
      let error = failure("cannot bind the Unix socket")
      close(socket)
      throw error
    }
    return socket
  }
}
