import Foundation

/// A program that serves and makes echo calls, with its arguments.
struct EchoSystem {
  let name: String
  let program: URL
  /// The arguments before and after the command's name.
  var arguments: (before: [String], after: [String]) = ([], [])
  /// The options that minimize latency with one message in flight.
  var aloneOptions: [String] = []

  /// Returns an echo implementation of this program.
  static func own(_ echo: OwnEcho, _ name: String) -> EchoSystem {
    EchoSystem(name: name, program: URL(filePath: CommandLine.arguments[0]), arguments: (["echo"], [echo.rawValue]))
  }

  /// Returns the peers built by Tests/Benchmarks/Peers/build.sh in a folder.
  static func peers(in folder: String) -> [EchoSystem] {
    let folder = URL(filePath: folder)
    return [
      EchoSystem(name: "gRPC C++", program: folder.appending(path: "cpp/grpc-cpp-peer")),
      EchoSystem(
        name: "grpc-swift-2", program: folder.appending(path: "release/grpc-swift-peer"),
        aloneOptions: ["--flush-at-once"]),
    ]
  }

  /// Starts a server that runs until ``RunningEcho/stop()``.
  func serve(_ endpoint: String, alone: Bool = false) throws -> RunningEcho {
    let (process, output, input) = try start("serve", ["--listen", endpoint], alone, core: 0)
    let words = "listening "
    guard let line = output.line(), line.hasPrefix(words) else {
      process.terminate()
      throw BenchmarkError("\(name) failed to listen on \(endpoint)")
    }
    return RunningEcho(process: process, input: input, endpoint: String(line.dropFirst(words.count)))
  }

  /// Runs the client and returns its measurement.
  func load(_ options: [String], alone: Bool = false) throws -> LoadMeter.Report {
    let (process, output, _) = try start("load", options, alone, core: 1)
    let line = output.line()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let line else {
      throw BenchmarkError("\(name) failed: \(options.joined(separator: " "))")
    }
    return try JSONDecoder().decode(LoadMeter.Report.self, from: Data(line.utf8))
  }

  /// Starts the program pinned to a core: otherwise the scheduler's choice of cores has more effect than the
  /// differences to be measured.
  private func start(
    _ command: String, _ options: [String], _ alone: Bool, core: Int
  ) throws -> (Process, FileHandle, FileHandle) {
    let process = Process()
    let (output, input) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/taskset")
    process.arguments =
      ["-c", "\(core)", program.path] + arguments.before + [command] + arguments.after + options
      + (alone ? aloneOptions : [])
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    return (process, output.fileHandleForReading, input.fileHandleForWriting)
  }
}

/// A running server.
struct RunningEcho {
  fileprivate let process: Process
  fileprivate let input: FileHandle
  /// The endpoint on which the server listens.
  let endpoint: String

  var pid: Int32 { process.processIdentifier }

  /// Stops the server and waits for it to exit.
  func stop() throws {
    try input.close()
    process.waitUntilExit()
  }
}

/// The reason for a failed measurement.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension FileHandle {
  /// Returns the next line; `nil` at the end.
  fileprivate func line() -> String? {
    var bytes = Data()
    while let byte = readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
