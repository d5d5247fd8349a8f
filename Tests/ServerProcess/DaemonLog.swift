import Foundation
import Synchronization

/// Lines as they come, for tests that wait for one.
package final class DaemonLog: Sendable {
  /// What was waited for did not come before the log ended.
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

  /// All that came so far.
  package var text: String { state.withLock(\.text) }

  /// Adds what was read.
  package func append(_ bytes: [UInt8]) {
    // Only words of ASCII are looked for, so that a character cut in two does no harm.
    change { $0.text += String(decoding: bytes, as: UTF8.self) }
  }

  /// Notes how the process ended; nothing is added afterwards.
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

  /// The first whole line that contains `part`, once it is there; throws ``Ended`` when it does not come.
  package func line(with part: String) async throws -> String {
    for await _ in news() {
      let (text, exit) = state.withLock { ($0.text, $0.exit) }
      // A terminal ends lines with two characters, which count as one.
      let whole = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast()
      if let line = whole.first(where: { $0.contains(part) }) { return String(line) }
      if let exit { throw Ended(exit: exit, log: text) }
    }
    throw CancellationError()
  }

  /// All that came, once it contains `part` behind `earlier`; throws ``Ended`` when that does not come.
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

  /// Waits for the end of the process, and gives it.
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
