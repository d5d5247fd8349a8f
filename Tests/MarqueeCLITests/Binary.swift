import Foundation
import Testing

/// The built `marquee` binary, next to the tests.
enum Binary {
  /// The result of a run.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs `marquee` to completion, in the time zone UTC and without a server in the environment.
  static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
    let (output, errors) = (try file("output"), try file("errors"))
    defer { for file in [output, errors] { unlink(file.path) } }
    let process = process(arguments, environment)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    let status = try await end(of: process) {}
    return Outcome(
      status: status, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// Runs `marquee` until its first output, sends SIGINT, and returns its exit status.
  static func interrupt(_ arguments: [String], environment: [String: String] = [:]) async throws -> Int32 {
    let process = process(arguments, environment)
    let pipe = Pipe()
    process.standardOutput = pipe
    let (lines, line) = AsyncStream.makeStream(of: Void.self)
    return try await end(of: process) {
      // A dedicated thread can block; a dispatch source of the pipe would outlive it.
      Thread.detachNewThread {
        if !pipe.fileHandleForReading.availableData.isEmpty { line.yield() }
        line.finish()
      }
      var iterator = lines.makeAsyncIterator()
      _ = await iterator.next()
      process.interrupt()
    }
  }

  private static func process(_ arguments: [String], _ environment: [String: String]) -> Process {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("marquee")
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "COLUMNS": "80"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs a process without blocking a thread that servers in this process may need.
  private static func end(of process: Process, _ meanwhile: () async -> Void) async throws -> Int32 {
    let (statuses, status) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { status.yield($0.terminationStatus) }
    try process.run()
    await meanwhile()
    var iterator = statuses.makeAsyncIterator()
    guard let end = await iterator.next() else {
      process.terminate()
      throw CancellationError()
    }
    return end
  }

  /// Creates a file with that content in the temporary directory.
  static func file(_ name: String, _ content: String = "") throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
    try content.write(to: url, atomically: false, encoding: .utf8)
    return url
  }
}
