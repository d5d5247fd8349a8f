import Foundation

/// A program that echoes, and how it is started.
struct EchoContender {
  let name: String
  let program: URL
  /// What stands before and behind the name of the command.
  var arguments: (before: [String], after: [String]) = ([], [])
  /// What makes both ends quick when one message is under way at a time.
  var aloneOptions: [String] = []

  /// Those of this program.
  static func own(_ echo: OwnEcho, _ name: String) -> EchoContender {
    EchoContender(name: name, program: URL(filePath: CommandLine.arguments[0]), arguments: (["echo"], [echo.rawValue]))
  }

  /// Those that Sources/MarqueeBench/Peers/build.sh has built in that folder.
  static func peers(in folder: String) -> [EchoContender] {
    let folder = URL(filePath: folder)
    return [
      EchoContender(name: "gRPC C++", program: folder.appending(path: "cpp/grpc-cpp-peer")),
      EchoContender(
        name: "grpc-swift-2", program: folder.appending(path: "release/grpc-swift-peer"),
        aloneOptions: ["--flush-at-once"]),
    ]
  }

  /// A server that answers until ``RunningEcho/stop()``.
  func serve(_ endpoint: String, alone: Bool = false) throws -> RunningEcho {
    let (process, output, input) = try start("serve", ["--listen", endpoint], alone, core: 0)
    let words = "listening "
    guard let line = output.line(), line.hasPrefix(words) else {
      process.terminate()
      throw BenchmarkError("\(name) does not listen on \(endpoint)")
    }
    return RunningEcho(process: process, input: input, endpoint: String(line.dropFirst(words.count)))
  }

  /// What its client measured.
  func load(_ options: [String], alone: Bool = false) throws -> LoadMeter.Report {
    let (process, output, _) = try start("load", options, alone, core: 1)
    let line = output.line()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let line else {
      throw BenchmarkError("\(name) did not do \(options.joined(separator: " "))")
    }
    return try JSONDecoder().decode(LoadMeter.Report.self, from: Data(line.utf8))
  }

  /// Starts it on one core: where the system chooses, both ends are now on one and now on two, which makes more of a
  /// difference than all that is compared.
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

/// A server under way.
struct RunningEcho {
  fileprivate let process: Process
  fileprivate let input: FileHandle
  /// Where it listens.
  let endpoint: String

  var pid: Int32 { process.processIdentifier }

  /// Ends it and waits for that.
  func stop() throws {
    try input.close()
    process.waitUntilExit()
  }
}

/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension FileHandle {
  /// The next line, or `nil` at the end.
  fileprivate func line() -> String? {
    var bytes = Data()
    while let byte = readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
