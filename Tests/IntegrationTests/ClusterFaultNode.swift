import Foundation
import MarqueeTestSupport
import Synchronization

/// A node of a cluster under faults: the real `marqueed`, which is started again whenever it has ended.
final class ClusterFaultNode: Sendable {
  let name: String
  private let arguments: [String]
  private let daemon = Mutex<Daemon?>(nil)
  private let isOver = Mutex(false)

  init(_ name: String, _ arguments: [String]) {
    self.arguments = arguments
    self.name = name
  }

  /// Runs the program until ``end()``.
  ///
  /// - Parameter pause: Returns the time until the next start.
  /// - Throws: `RequirementFailure` if it crashes, or refuses its settings.
  func run(_ pause: () -> Duration) async throws {
    while !isOver.withLock(\.self) {
      let daemon = try Daemon(arguments)
      self.daemon.withLock { $0 = daemon }
      if isOver.withLock(\.self) { daemon.send(signal: SIGTERM) }
      let exit = try await daemon.wait()
      self.daemon.withLock { $0 = nil }
      // A node that has been declared dead, or whose database is out of reach at its start, ends with 1. SIGTERM can
      // come before the program handles it.
      guard [.code(0), .code(1), .signal(SIGKILL), .signal(SIGTERM)].contains(exit) else {
        throw RequirementFailure("\(name) ended with \(exit): \(daemon.log.text.suffix(2_000))")
      }
      if !isOver.withLock(\.self) { try await Task.sleep(for: pause()) }
    }
  }

  /// Sends a signal, if the program runs.
  func send(_ signal: Int32) { daemon.withLock(\.self)?.send(signal: signal) }

  /// Shuts the node down for good.
  func end() {
    isOver.withLock { $0 = true }
    send(SIGCONT)
    send(SIGTERM)
  }

  /// Ends the node at once, after a failure.
  func kill() {
    isOver.withLock { $0 = true }
    send(SIGKILL)
  }
}
