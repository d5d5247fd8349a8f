import Glibc
import Synchronization

/// A child process, and the pipe from its standard error, or its terminal.
///
/// One thread reads until end of file, and then reaps the process.
package final class ChildProcess: Sendable {
  /// The error of starting a process.
  package struct StartFailed: Error {
    let code: Int32
  }

  /// The process ID.
  package let id: pid_t
  private let pipe: CInt
  /// Whether the process has not been reaped, so that its ID is valid.
  private let isOurs = Mutex(true)
  /// Serializes starts, so that no child inherits another's pipe.
  private static let starting = Mutex(())
  /// Children inherit no file descriptors below this number.
  private static let fileCountMax: CInt = 1_024
  /// The flag `POSIX_SPAWN_SETSID`, which Swift does not import.
  private static let startsSession: CInt = 0x80

  /// Starts the program whose path is the first element of `command`. It inherits no open files.
  package init(_ command: [String], environment: [String: String]) throws {
    let variables = environment.map { "\($0.key)=\($0.value)" }
    (id, pipe) = try Self.starting.withLock { _ in
      var ends: [CInt] = [0, 0]
      guard Glibc.pipe(&ends) == 0 else { throw StartFailed(code: errno) }
      defer { close(ends[1]) }
      let writing = ends[1]
      do {
        let id = try Self.spawn(command, variables) { actions in
          posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
          posix_spawn_file_actions_adddup2(&actions, 0, 1)
          posix_spawn_file_actions_adddup2(&actions, writing, 2)
        }
        return (id, ends[0])
      } catch {
        close(ends[0])
        throw error
      }
    }
  }

  /// Starts the program as the leader of a session with the controlling terminal at `terminal`. Its output is read from
  /// `output`, the terminal's other end, which is closed at end of file.
  package init(_ command: [String], environment: [String: String], terminal: String, output: CInt) throws {
    let variables = environment.map { "\($0.key)=\($0.value)" }
    pipe = output
    id = try Self.starting.withLock { _ in
      try Self.spawn(command, variables, flags: Self.startsSession) { actions in
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
      }
    }
  }

  /// Returns the next bytes of standard error; `nil` once it is closed, when the process has exited. Blocks.
  package func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var count = Glibc.read(pipe, &bytes, bytes.count)
    while count < 0, errno == EINTR { count = Glibc.read(pipe, &bytes, bytes.count) }
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Waits for the process to exit, and reaps it. Blocks; call it once.
  package func reap() -> Daemon.Exit {
    close(pipe)
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    var status: CInt = 0
    isOurs.withLock {
      waitpid(id, &status, 0)
      $0 = false
    }
    let signal = status & 0x7F
    return signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
  }

  /// Sends a signal, unless the process was reaped.
  package func send(signal: Int32) {
    isOurs.withLock { if $0 { kill(id, signal) } }
  }

  /// Starts a process with the three file descriptors opened by `open`, and no others.
  private static func spawn(
    _ command: [String], _ environment: [String], flags: CInt = 0,
    _ open: (inout posix_spawn_file_actions_t) -> Void
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    open(&actions)
    for file in 3..<fileCountMax { posix_spawn_file_actions_addclose(&actions, file) }
    // The child must not inherit the signals blocked by this process's threads.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | flags))
    let (arguments, variables) = (command.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, command[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw StartFailed(code: code) }
    return id
  }
}
