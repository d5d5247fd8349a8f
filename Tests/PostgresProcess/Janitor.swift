import Foundation
import Synchronization

/// A process that waits for the end of this one, and then stops a server and removes its files.
final class Janitor: Sendable {
  private let process: Process
  /// The pipe that is closed when this process ends.
  private let pipe = Pipe()
  private let isRunning = Mutex(true)

  init(_ directory: String) throws {
    let stop = Command.of("pg_ctl", ["stop", "-w", "-m", "immediate", "-D", "\(directory)/data"])
    process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // An interrupt of the tests reaches this process, too.
    let script = #"trap '' HUP INT TERM; read -r line; "$@"; rm -rf "$0""#
    process.arguments = ["-c", script, directory] + stop
    process.environment = Command.environment
    process.currentDirectoryURL = URL(filePath: "/")
    process.standardInput = pipe.fileHandleForReading
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // Children that the tests start must not keep it open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
  }

  /// Stops the server, and waits until its files are removed.
  func stop() {
    isRunning.withLock { isRunning in
      guard isRunning else { return }
      isRunning = false
      // A pipe that cannot be closed would be closed by the end of this process.
      try? pipe.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }
}
