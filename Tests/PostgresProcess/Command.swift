import Foundation

/// The command lines of PostgreSQL's programs, which refuse to run as root.
enum Command {
  /// The user and group as which they run instead; `nil` if this process is unprivileged itself.
  static let account: (user: uid_t, group: gid_t)? = {
    guard geteuid() == 0 else { return nil }
    // The package creates the first of these users.
    guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else { return nil }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }()

  /// The environment, without variables of libpq.
  static let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"]

  /// Returns the command line of a program.
  static func of(_ program: String, _ arguments: [String]) -> [String] {
    let command = ["\(PostgresProcess.programs ?? "")/\(program)"] + arguments
    // The programs require a working directory that they can read.
    let start = ["/usr/bin/env", "--chdir=/"]
    guard let account else { return start + command }
    let identity = ["--reuid=\(account.user)", "--regid=\(account.group)", "--clear-groups"]
    return start + ["setpriv"] + identity + command
  }
}
