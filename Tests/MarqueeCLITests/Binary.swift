import Foundation
import Testing

/// The program as it is built, beside the tests.
enum Binary {
  /// What a run left behind.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs `marquee` to its end, in the time zone UTC and without a server in the environment.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("marquee")
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "COLUMNS": "80"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (try file("output"), try file("errors"))
    defer { for file in [output, errors] { unlink(file.path) } }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// A file of that content, in the temporary directory.
  static func file(_ name: String, _ content: String = "") throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
    try content.write(to: url, atomically: false, encoding: .utf8)
    return url
  }
}
