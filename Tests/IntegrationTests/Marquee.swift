import Foundation
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// Runs the real `marquee` against a server.
struct Marquee: Sendable {
  /// The result of a run.
  struct Outcome {
    let exit: Daemon.Exit
    let output: String
    let errors: String
  }

  let endpoint: Endpoint
  /// The directory for output files.
  let directory: TemporaryDirectory
  var executable = Self.program
  /// Additional environment variables.
  var environment: [String: String] = [:]

  /// The path of the program.
  static let folder = URL(filePath: Daemon.program).deletingLastPathComponent().path
  static let program = "\(folder)/marquee"

  /// Runs a command and returns its result.
  func run(_ arguments: [String]) async throws -> Outcome {
    let file = directory.file("output-\(UUID().uuidString)")
    let process = try start(arguments, output: file)
    let exit = try await process.wait()
    return Outcome(exit: exit, output: try String(contentsOfFile: file, encoding: .utf8), errors: process.log.text)
  }

  /// Runs a command, expects success, and returns the lines of its output.
  func callAsFunction(_ arguments: String...) async throws -> [String] {
    let outcome = try await run(arguments)
    #expect(outcome.exit == .code(0) && outcome.errors.isEmpty, "\(arguments): \(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// Runs a command with `--json`, expects success, and returns the document.
  func json(_ arguments: String...) async throws -> JSONDocument { try await json(arguments) }

  func json(_ arguments: [String]) async throws -> JSONDocument {
    let outcome = try await run(arguments + ["--json"])
    #expect(outcome.exit == .code(0) && outcome.errors.isEmpty, "\(arguments): \(outcome.errors)")
    return JSONDocument(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)))
  }

  /// Starts a command whose output goes to a file, or to its log.
  func start(_ arguments: [String], output: String? = nil) throws -> Daemon {
    let redirection = output.map { ">'\($0)'" } ?? ">&2"
    return try Daemon(
      ["-c", "exec \"$@\" \(redirection)", "bash", executable] + arguments,
      environment: ["MARQUEE_SERVER": "\(endpoint)", "TZ": "UTC", "COLUMNS": "200"].merging(environment) { $1 },
      program: "/bin/bash")
  }

  /// The program `marqueed`, run in the same way.
  var daemon: Marquee {
    var other = self
    other.executable = Daemon.program
    return other
  }

  /// Returns a copy of the program in a folder of its own, next to `marqueed` if `server` is its script.
  func alone(server: String? = nil) throws -> Marquee {
    var copy = self
    let folder = directory.file("bin-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    copy.executable = "\(folder)/marquee"
    try FileManager.default.copyItem(atPath: Self.program, toPath: copy.executable)
    if let server {
      let path = "\(folder)/marqueed"
      try "#!/bin/sh\n\(server)\n".write(toFile: path, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
    return copy
  }
}

/// A JSON document, or a part of one; missing members are `null`.
struct JSONDocument {
  private let value: Any?

  init(_ value: Any?) {
    self.value = value
  }

  subscript(_ name: String) -> JSONDocument { JSONDocument((value as? [String: Any])?[name]) }

  var list: [JSONDocument] { (value as? [Any])?.map { JSONDocument($0) } ?? [] }
  var text: String? { value as? String }
  var number: Double? { (value as? NSNumber)?.doubleValue }
  var flag: Bool? { value as? Bool }
  var isNull: Bool { value == nil || value is NSNull }
}
