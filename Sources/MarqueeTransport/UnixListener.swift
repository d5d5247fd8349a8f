import Glibc

/// A bound Unix socket and the lock that makes its path ours.
///
/// The lock file `PATH.lock` stays behind: removing it would let two servers hold two locks of one name.
struct UnixListener: Sendable {
  /// Bound, not listening yet; the caller closes it.
  let socket: CInt
  private let lock: CInt
  private let path: String
  private let device: UInt64
  private let inode: UInt64

  /// Binds a socket at `path` with that mode. A socket left there by a dead server of the same user is replaced;
  /// anything else there is an error.
  init(path: String, mode: UInt32) throws(EndpointError) {
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
      let code = errno
      close(socket)
      close(lock)
      throw EndpointError("the Unix socket vanished: error \(code)")
    }
    self.path = path
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Removes the socket's path if it is still the one that was bound, and lets the lock go.
  func remove() {
    var status = stat()
    if lstat(path, &status) == 0, UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode { unlink(path) }
    releaseLock()
  }

  /// Lets the lock go and leaves the socket's path as it is.
  func releaseLock() {
    // Closing alone keeps the lock for as long as a process that is just being started has the descriptor too.
    flock(lock, LOCK_UN)
    close(lock)
  }

  private static func lock(_ path: String) throws(EndpointError) -> CInt {
    let lock = open(path + ".lock", O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw EndpointError("the Unix socket's lock file cannot be opened: error \(errno)") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(lock)
      throw EndpointError(
        code == EWOULDBLOCK ? "another server listens on this Unix socket" : "the lock file: error \(code)")
    }
    return lock
  }

  private static func removeStale(_ path: String) throws(EndpointError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw EndpointError("the Unix socket's path cannot be looked at: error \(errno)")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw EndpointError("what is at the Unix socket's path is not a socket")
    }
    guard status.st_uid == geteuid() else {
      throw EndpointError("the socket at this path belongs to user \(status.st_uid), not \(geteuid())")
    }
    guard unlink(path) == 0 else { throw EndpointError("the old Unix socket cannot be removed: error \(errno)") }
  }

  private static func bind(_ path: String, mode: UInt32) throws(EndpointError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let socket = Glibc.socket(AF_UNIX, type, 0)
    guard socket >= 0 else { throw EndpointError("no Unix socket: error \(errno)") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { space in
      space.copyBytes(from: Array(path.utf8.prefix(space.count - 1)))
    }
    // On Linux the socket's own mode, set before it is bound, is that of its file: at no time is it more open.
    let isBound =
      fchmod(socket, mode_t(mode)) == 0
      && withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      } && chmod(path, mode_t(mode)) == 0
    guard isBound else {
      let code = errno
      close(socket)
      throw EndpointError("the Unix socket cannot be bound: error \(code)")
    }
    return socket
  }
}
