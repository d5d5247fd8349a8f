import Foundation
import Synchronization

/// Shows the progress of a command, from the meter's creation until ``end()``.
///
/// The line is written to standard error, only if that is a terminal and only after ``delay``, and is erased at the
/// end. Other output must go through ``aside(_:)``, which hides the line temporarily. A meter created while another one
/// exists replaces it until it ends.
package final class ProgressMeter: Sendable {
  /// The time before the line appears.
  static let delay = Duration.seconds(1)
  private static let interval = 0.2

  private struct Work {
    let number: Int
    var operation: String
    var amount = ProgressLine.Amount.unknown
  }

  /// The state of the progress line, of which a process has one.
  private struct Line {
    var works: [Work] = []
    var lastNumber = 0
    var began = ContinuousClock.now
    var isDrawing = false
    var shown: String?
  }

  private static let line = Mutex(Line())
  private static let isTerminal = isatty(STDERR_FILENO) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  private let number: Int

  /// Creates a meter for an operation, described in words such as `Reading FILE`.
  package init(_ operation: String) {
    number = Self.line.withLock { line in
      line.lastNumber += 1
      guard Self.isTerminal else { return line.lastNumber }
      if line.works.isEmpty { line.began = .now }
      line.works.append(Work(number: line.lastNumber, operation: operation))
      if !line.isDrawing {
        line.isDrawing = true
        // Commands without a server keep the threads of the task pool busy.
        Thread.detachNewThread {
          repeat { Thread.sleep(forTimeInterval: Self.interval) } while Self.draw()
        }
      }
      return line.lastNumber
    }
  }

  /// Records progress; cheap enough to call for every row.
  package func note(_ amount: ProgressLine.Amount) {
    change { $0.amount = amount }
  }

  /// Starts a new operation with no progress.
  package func begin(_ operation: String) {
    change { ($0.operation, $0.amount) = (operation, .unknown) }
  }

  /// Removes the meter and erases its line.
  package func end() {
    Self.line.withLock { line in
      line.works.removeAll { $0.number == number }
      Self.erase(&line)
    }
  }

  /// Runs `body`, which writes to the terminal, with the line hidden.
  package static func aside(_ body: () -> Void) {
    guard isTerminal else { return body() }
    line.withLock { line in
      erase(&line)
      body()
    }
  }

  private func change(_ body: (inout Work) -> Void) {
    Self.line.withLock { line in
      guard let index = line.works.firstIndex(where: { $0.number == number }) else { return }
      body(&line.works[index])
    }
  }

  /// Draws the line if it is due and has changed. Returns whether any meter is left.
  private static func draw() -> Bool {
    line.withLock { line in
      guard let work = line.works.last else {
        line.isDrawing = false
        return false
      }
      let elapsed = line.began.duration(to: .now)
      guard elapsed >= delay else { return true }
      let progress = ProgressLine(operation: work.operation, amount: work.amount, elapsed: elapsed)
      let text = progress.text(columns: columns - 1)
      if text != line.shown {
        write("\r\(text)\u{1B}[K")
        line.shown = text
      }
      return true
    }
  }

  private static func erase(_ line: inout Line) {
    guard line.shown != nil else { return }
    line.shown = nil
    write("\r\u{1B}[K")
  }

  private static var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) : 80
  }

  private static func write(_ text: String) {
    // Errors are ignored: standard error may be closed.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
