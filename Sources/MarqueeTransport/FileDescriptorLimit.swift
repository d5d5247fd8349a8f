import Glibc

/// The process' limit of open file descriptors (`RLIMIT_NOFILE`), sockets included.
package enum FileDescriptorLimit {
  /// The division of the free file descriptors.
  struct Shares: Hashable {
    /// The maximum number of served connections.
    var connections: Int
    /// The maximum number of connections of one listener that are being accepted.
    var underWay: Int
    /// The maximum number of rejected connections that are being sent the reason.
    var rejections: Int

    /// Divides the free descriptors, reserving a share for the store, backups, timers and metrics, and one for
    /// connections being accepted, rejected or evicted.
    init(free: Int) {
      let (storage, transit) = (min(64, free / 4), min(128, free / 4))
      connections = free - storage - transit
      underWay = max(1, transit / 8)
      rejections = max(1, transit / 2)
    }
  }

  /// The minimum number of free descriptors: with fewer, no backup is possible while a client is connected.
  static let freeCountMin = 16

  /// The limit in force.
  static var countMax: Int { Int(clamping: limit.rlim_cur) }

  /// The number of descriptors that can still be opened.
  static var freeCount: Int {
    guard let directory = opendir("/proc/self/fd") else { return countMax - 64 }
    defer { closedir(directory) }
    // Excludes `.`, `..` and the descriptor of the directory itself.
    var count = -3
    while readdir(directory) != nil { count += 1 }
    return countMax - count
  }

  /// Raises the soft limit to the hard limit.
  package static func raise() {
    var limit = limit
    limit.rlim_cur = limit.rlim_max
    // If this fails, the current limit stays in force; the server checks it.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static var limit: rlimit {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
  }
}
