import Foundation
import Glibc

/// A program on a terminal of its own, of which this process has the other end: what it shows is read, and keys are
/// pressed.
package final class TerminalProcess: Sendable {
  /// Why there is no terminal.
  package struct NoTerminal: Error {
    let code: Int32
  }

  /// The requests `TIOCSPTLCK` and `TIOCGPTN` of `ioctl`, which Swift does not import.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  /// All that it has shown, with the sequences that steer the terminal.
  package let log = DaemonLog()
  private let process: ChildProcess
  private let terminal: CInt

  /// Starts the program at the path that `command` begins with on a terminal of that size.
  package init(
    _ command: [String], environment: [String: String] = [:], columns: Int = 100, rows: Int = 24
  ) throws {
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (CInt, CUnsignedInt) = (0, 0)
    guard terminal >= 0, ioctl(terminal, Self.setLock, &lock) == 0, ioctl(terminal, Self.getNumber, &number) == 0 else {
      throw NoTerminal(code: errno)
    }
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    let standard = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "TZ": "UTC", "LANG": "C.UTF-8", "HOME": "/nowhere"]
    process = try ChildProcess(
      command, environment: standard.merging(environment) { $1 }, terminal: "/dev/pts/\(number)",
      output: dup(terminal))
    let (process, log) = (process, log)
    // Reading and waiting block, so that they have a thread of their own; both end with the process.
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while let bytes = process.read() {
        rest += bytes
        // A character may come in two parts.
        let whole = rest.count - Self.unfinishedCount(of: rest)
        log.append(Array(rest[..<whole]))
        rest.removeFirst(whole)
      }
      log.finish(process.reap())
    }
  }

  deinit {
    // Whoever was not waited for goes with its terminal.
    process.send(signal: SIGKILL)
    close(terminal)
  }

  /// Presses keys.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  /// Makes the terminal another size, of which its programs hear.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// How the terminal is set: its flags for input, output, control and the rest.
  package var settings: [UInt32] {
    var settings = termios()
    guard tcgetattr(terminal, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }

  /// Ends it as nothing can prevent, and waits for that.
  package func kill() async throws {
    process.send(signal: SIGKILL)
    _ = try await log.end()
  }

  /// How many bytes at the end begin a character whose other bytes are missing.
  private static func unfinishedCount(of bytes: [UInt8]) -> Int {
    for (count, byte) in bytes.suffix(3).reversed().enumerated() {
      if byte < 0x80 { return 0 }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0
      if length > 0 { return length > count + 1 ? count + 1 : 0 }
    }
    return 0
  }
}
