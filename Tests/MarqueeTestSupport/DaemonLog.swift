import Foundation
import Synchronization

/// The output of a process, for tests that wait for a line.
package final class DaemonLog: Sendable {
  /// The log ended before the expected text.
  package struct Ended: Error {
    package let exit: Daemon.Exit
    package let log: String
  }

  private struct State {
    var text = ""
    var exit: Daemon.Exit?
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var waiterCount = 0
  }

  private let state = Mutex(State())

  /// All output so far.
  package var text: String { state.withLock(\.text) }

  /// Appends output.
  package func append(_ bytes: [UInt8]) {
    // Tests search only for ASCII, so a split character is harmless.
    change { $0.text += String(decoding: bytes, as: UTF8.self) }
  }

  /// Records the exit status. Nothing is appended afterwards.
  package func finish(_ exit: Daemon.Exit) {
    change { $0.exit = exit }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiters = state.withLock { state in
      body(&state)
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.yield() }
  }

  /// Waits for the first complete line that contains `part`.
  ///
  /// - Throws: ``Ended`` if the log ends before.
  package func line(with part: String) async throws -> String {
    for await _ in news() {
      let (text, exit) = state.withLock { ($0.text, $0.exit) }
      // A terminal ends lines with CR LF, which is one `Character`.
      let whole = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast()
      if let line = whole.first(where: { $0.contains(part) }) { return String(line) }
      if let exit { throw Ended(exit: exit, log: text) }
    }
    throw CancellationError()
  }

  /// Waits until the log contains `part` after `earlier`, and returns the log.
  ///
  /// - Throws: ``Ended`` if the log ends before.
  @discardableResult
  package func text(with part: String, after earlier: String = "") async throws -> String {
    for await _ in news() {
      let (text, exit) = state.withLock { ($0.text, $0.exit) }
      let start = earlier.isEmpty ? text.startIndex : text.range(of: earlier)?.upperBound
      if let start, text[start...].contains(part) { return text }
      if let exit { throw Ended(exit: exit, log: text) }
    }
    throw CancellationError()
  }

  /// Waits for the process to exit, and returns its status.
  package func end() async throws -> Daemon.Exit {
    for await _ in news() {
      if let exit = state.withLock(\.exit) { return exit }
    }
    throw CancellationError()
  }

  /// An element now and after each change.
  private func news() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.waiterCount += 1
      state.waiters[state.waiterCount] = continuation
      return state.waiterCount
    }
    continuation.onTermination = { _ in
      _ = self.state.withLock { $0.waiters.removeValue(forKey: number) }
    }
    continuation.yield()
    return stream
  }
}
