import Foundation
import MarqueeClient
import MarqueeRPC
import MarqueeTransport

/// The real `marqueed`, or another program, in a process of its own, and what it says.
package final class Daemon: Sendable {
  /// How a process ended.
  package enum Exit: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// The program, which is built beside the tests.
  package static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "marqueed").path

  /// What it has written to standard error.
  package let log = DaemonLog()
  private let process: ChildProcess

  /// Starts it with these arguments, and beside what this process has, that environment.
  package init(_ arguments: [String], environment: [String: String] = [:], program: String = program) throws {
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MARQUEED_") }
    // A crash ends the process at once: a test would wait for the backtracer.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables.merge(environment) { _, new in new }
    process = try ChildProcess([program] + arguments, environment: variables)
    let (process, log) = (process, log)
    // Reading and waiting block, so that they have a thread of their own; both end with the process.
    Thread.detachNewThread {
      while let bytes = process.read() { log.append(bytes) }
      log.finish(process.reap())
    }
  }

  /// Starts it, runs `body` once it listens, and ends it if it still runs.
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

  /// The endpoints, once it listens; throws what it said when it ended before.
  package func listening() async throws -> [Endpoint] {
    let line = try await log.line(with: "] listening")
    let quoted = line.split(separator: "\"").map(String.init)
    return try quoted.filter { $0.hasPrefix("unix:") || $0.hasPrefix("tcp:") }.map { try Endpoint($0) }
  }

  /// Sends a signal, unless it has ended.
  package func send(signal: Int32) { process.send(signal: signal) }

  /// Waits for its end; all that it said has been read then.
  package func wait() async throws -> Exit { try await log.end() }

  /// Ends it as nothing can prevent, and waits for that.
  @discardableResult
  package func kill() async throws -> Exit {
    send(signal: SIGKILL)
    return try await wait()
  }

  /// The memory that it has in use, in KiB.
  package func residentSize() throws -> Int { try size("VmRSS:") }

  /// The most memory that it has had in use since ``forgetGreatestResidentSize()``, in KiB.
  package func greatestResidentSize() throws -> Int { try size("VmHWM:") }

  /// Begins anew to note the most memory in use.
  package func forgetGreatestResidentSize() throws {
    try "5".write(toFile: "/proc/\(process.id)/clear_refs", atomically: false, encoding: .utf8)
  }

  /// The processor time that it has used.
  package func processorTime() throws -> Duration {
    let status = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
    // What follows the name, which is in parentheses; the times are the 14th and 15th field of all.
    let fields = status.split(separator: ") ").last?.split(separator: " ").compactMap { Int($0) } ?? []
    guard fields.count > 11 else { throw Unreadable() }
    return .milliseconds((fields[10] + fields[11]) * 1_000 / sysconf(CInt(_SC_CLK_TCK)))
  }

  /// The system does not tell of the process what it should.
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
