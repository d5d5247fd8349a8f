import Foundation

/// A program installed next to `marquee`.
struct InstalledProgram {
  private let executable: URL

  /// Finds a program by its name.
  ///
  /// - Throws: ``CommandFailure`` if it is not installed.
  init(_ name: String) throws(CommandFailure) {
    let here = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    executable = here.appending(path: name)
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw CommandFailure(.unavailable, "cannot run \(name), which must be installed next to marquee")
    }
  }

  /// Starts the program without standard input.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: All environment variables; `nil` for those of this process.
  ///   - output: The pipe of standard output; `nil` to discard it.
  ///   - errors: The file of standard error; `nil` for that of this process.
  /// - Throws: ``CommandFailure`` if the program cannot be started.
  func start(
    _ arguments: [String] = [], environment: [String: String]? = nil, output: Pipe? = nil, errors: FileHandle? = nil
  ) throws(CommandFailure) -> ProgramProcess {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let environment { process.environment = environment }
    process.standardInput = FileHandle.nullDevice
    if let output { process.standardOutput = output } else { process.standardOutput = FileHandle.nullDevice }
    if let errors { process.standardError = errors }
    do {
      return try ProgramProcess(starting: process)
    } catch {
      throw CommandFailure(.unavailable, "cannot run \(executable.path): \(error.localizedDescription)")
    }
  }
}
