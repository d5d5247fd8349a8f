import Foundation
import Synchronization

/// Tells the person who waits what a command is doing: from its creation to its ``end()``.
///
/// The line stands on standard error, only where that is a terminal, only once the command has taken ``delay``, and
/// nothing of it stays. Whatever else is written goes through ``aside(_:)``, which takes the line away before. A meter
/// that is made while another one is there is shown in its place until it ends.
final class ProgressMeter: Sendable {
  /// How long a command is waited for without a word.
  static let delay = Duration.seconds(1)
  private static let interval = 0.2

  private struct Work {
    let number: Int
    var doing: String
    var amount = ProgressLine.Amount.unknown
  }

  /// What this process says on standard error, of which it has one.
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

  /// A meter that says what is being done, in words such as `Reading FILE`.
  init(_ doing: String) {
    number = Self.line.withLock { line in
      line.lastNumber += 1
      guard Self.isTerminal else { return line.lastNumber }
      if line.works.isEmpty { line.began = .now }
      line.works.append(Work(number: line.lastNumber, doing: doing))
      if !line.isDrawing {
        line.isDrawing = true
        // Commands that need no server keep the threads of tasks busy.
        Thread.detachNewThread {
          repeat { Thread.sleep(forTimeInterval: Self.interval) } while Self.draw()
        }
      }
      return line.lastNumber
    }
  }

  /// Says how far the work is; cheap enough for every row.
  func note(_ amount: ProgressLine.Amount) {
    change { $0.amount = amount }
  }

  /// Says that something else is being done now, of which nothing is done yet.
  func begin(_ doing: String) {
    change { ($0.doing, $0.amount) = (doing, .unknown) }
  }

  /// Takes the meter away; what follows is written where it stood.
  func end() {
    Self.line.withLock { line in
      line.works.removeAll { $0.number == number }
      Self.erase(&line)
    }
  }

  /// Runs `body`, which writes to the terminal, without the line; it comes back afterwards.
  static func aside(_ body: () -> Void) {
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

  /// Draws the line when it is time and it says anything new. Gives whether there is still anything to be said.
  private static func draw() -> Bool {
    line.withLock { line in
      guard let work = line.works.last else {
        line.isDrawing = false
        return false
      }
      let elapsed = line.began.duration(to: .now)
      guard elapsed >= delay else { return true }
      let text = ProgressLine(doing: work.doing, amount: work.amount, elapsed: elapsed).text(columns: columns - 1)
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
    // Where nobody looks any more, nothing can be shown.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
