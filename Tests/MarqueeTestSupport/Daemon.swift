import Foundation
import MarqueeClient
import MarqueeRPC
import MarqueeTransport

/// The real `marqueed`, or another program, in its own process, with its log.
package final class Daemon: Sendable {
  /// The exit status of a process.
  package enum Exit: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// The program, in the build directory of the tests.
  package static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "marqueed").path

  /// The standard error output.
  package let log = DaemonLog()
  private let process: ChildProcess

  /// Starts the program with arguments, and additions to this process's environment.
  package init(_ arguments: [String], environment: [String: String] = [:], program: String = program) throws {
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MARQUEED_") }
    // A crash must end the process immediately: otherwise a test would wait for the backtracer.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables.merge(environment) { _, new in new }
    process = try ChildProcess([program] + arguments, environment: variables)
    let (process, log) = (process, log)
    // Reading and waiting block, so they have their own thread, which ends with the process.
    Thread.detachNewThread {
      while let bytes = process.read() { log.append(bytes) }
      log.finish(process.reap())
    }
  }

  /// Starts the program, runs `body` once it listens, and kills it if it is still running.
  package static func run<Result>(
    _ arguments: [String], environment: [String: String] = [:],
    _ body: (Daemon, [Endpoint]) async throws -> Result
  ) async throws -> Result {
    let daemon = try Daemon(arguments, environment: environment)
    do {
      let result = try await body(daemon, try await daemon.listening())
      try await daemon.kill()
      return result
    } catch {
      daemon.send(signal: SIGKILL)
      throw error
    }
  }

  /// Waits until it listens, and returns its endpoints.
  ///
  /// - Throws: Its output, if it exited before.
  package func listening() async throws -> [Endpoint] {
    let line = try await log.line(with: "] listening")
    let quoted = line.split(separator: "\"").map(String.init)
    return try quoted.filter { $0.hasPrefix("unix:") || $0.hasPrefix("tcp:") }.map { try Endpoint($0) }
  }

  /// Sends a signal, unless the process has exited.
  package func send(signal: Int32) { process.send(signal: signal) }

  /// Waits for the process to exit. All of its output has been read when this returns.
  package func wait() async throws -> Exit { try await log.end() }

  /// Kills the process and waits for it to exit.
  @discardableResult
  package func kill() async throws -> Exit {
    send(signal: SIGKILL)
    return try await wait()
  }

  /// The resident memory, in KiB.
  package func residentSize() throws -> Int { try size("VmRSS:") }

  /// The peak resident memory since ``resetPeakResidentSize()``, in KiB.
  package func peakResidentSize() throws -> Int { try size("VmHWM:") }

  /// Resets the peak resident memory.
  package func resetPeakResidentSize() throws {
    try "5".write(toFile: "/proc/\(process.id)/clear_refs", atomically: false, encoding: .utf8)
  }

  /// The CPU time used so far.
  package func processorTime() throws -> Duration {
    let status = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
    // The fields after the name in parentheses; the times are the 14th and 15th of all fields.
    let fields = status.split(separator: ") ").last?.split(separator: " ").compactMap { Int($0) } ?? []
    guard fields.count > 11 else { throw Unreadable() }
    return .milliseconds((fields[10] + fields[11]) * 1_000 / sysconf(CInt(_SC_CLK_TCK)))
  }

  /// Process information is missing or malformed.
  private struct Unreadable: Error {}

  private func size(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let size = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
      throw Unreadable()
    }
    return size
  }
}
