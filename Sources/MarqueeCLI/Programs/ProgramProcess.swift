import Foundation

/// A process that was started by this one. It must be ended or have exited before this process exits.
///
/// It is in a process group of its own, so a terminal's Ctrl-C signals only this process.
final class ProgramProcess: Sendable {
  private let process: Process
  private let statuses = AsyncStream<Int32>.makeStream()

  /// Starts a process.
  init(starting process: Process) throws {
    self.process = process
    let status = statuses.continuation
    process.terminationHandler = {
      status.yield($0.terminationStatus)
      status.finish()
    }
    try process.run()
  }

  /// Waits until the process exits, and returns its exit status, or the signal that ended it. Call it once.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func exitStatus() async throws -> Int32 {
    for await status in statuses.stream { return status }
    throw CancellationError()
  }

  /// Kills the process if it is running, and waits until it has exited.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
