import Foundation
import Synchronization

/// The processes of a demo and its private directory. They end with the demo, however this process exits.
final class DemoSandbox: Sendable {
  /// The sandbox of this process.
  private static let current = Mutex<DemoSandbox?>(nil)
  /// Held while the sandbox is removed.
  private static let removal = NSLock()

  /// The directory, which only this user can access.
  let directory: URL
  private let processes = Mutex<[ProgramProcess]>([])

  private init() throws(CommandFailure) {
    let parent = FileManager.default.temporaryDirectory.path
    guard let path = strdup("\(parent)/marquee-demo-XXXXXX") else { preconditionFailure("out of memory") }
    defer { free(path) }
    guard mkdtemp(path) != nil else {
      throw CommandFailure(.rejected, "cannot create a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    directory = URL(filePath: String(cString: path))
  }

  /// Runs `body` with a sandbox, and removes the sandbox.
  static func run(_ body: (DemoSandbox) async throws -> Void) async throws {
    let sandbox = try DemoSandbox()
    current.withLock { $0 = sandbox }
    // A closed standard output exits the process directly.
    atexit { DemoSandbox.removeAtExit() }
    defer { removal.withLock { sandbox.remove() } }
    try await body(sandbox)
  }

  /// Starts a program whose only environment variables are `environment`.
  func start(
    _ name: String, _ arguments: [String] = [], environment: [String: String] = [:], errors: FileHandle? = nil
  ) throws(CommandFailure) -> ProgramProcess {
    let process = try InstalledProgram(name).start(arguments, environment: environment, errors: errors)
    processes.withLock { $0.append(process) }
    return process
  }

  /// Removes the sandbox and keeps the lock, so that no task goes on to report the end of the server as a failure.
  private static func removeAtExit() {
    removal.lock()
    current.withLock(\.self)?.remove()
  }

  private func remove() {
    processes.withLock { processes in
      // The last one first: providers end before their server.
      while let process = processes.popLast() { process.end() }
      // Leftover files in the temporary directory are harmless.
      try? FileManager.default.removeItem(at: directory)
    }
  }
}
