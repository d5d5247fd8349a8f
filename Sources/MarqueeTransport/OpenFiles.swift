import Glibc

/// How many files this process may have open, sockets included.
package enum OpenFiles {
  /// Files that connections leave to the rest of the process: listeners, event loops, the store, a backup, timers,
  /// and connections that are just being turned away or told why.
  static let reserve = 192

  /// The number in force.
  static var countMax: Int { Int(clamping: limit.rlim_cur) }

  /// Raises the number to the greatest that the process may give itself.
  package static func raiseCountMax() {
    var limit = limit
    limit.rlim_cur = limit.rlim_max
    // Whoever may not raise it goes on with the number in force, which the server asks for itself.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static var limit: rlimit {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
  }
}
