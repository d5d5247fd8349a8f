import Foundation
import Glibc

/// A program on a pseudoterminal, whose output is read and to which keys are sent.
package final class TerminalProcess: Sendable {
  /// The error of opening a pseudoterminal.
  package struct NoTerminal: Error {
    let code: Int32
  }

  /// The requests `TIOCSPTLCK` and `TIOCGPTN` of `ioctl`, which Swift does not import.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  /// All output, including escape sequences.
  package let log = DaemonLog()
  private let process: ChildProcess
  private let terminal: CInt

  /// Starts the program whose path is the first element of `command`, on a terminal of a given size.
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
    let defaults = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "TZ": "UTC", "LANG": "C.UTF-8", "HOME": "/nowhere"]
    process = try ChildProcess(
      command, environment: defaults.merging(environment) { $1 }, terminal: "/dev/pts/\(number)",
      output: dup(terminal))
    let (process, log) = (process, log)
    // Reading and waiting block, so they have their own thread, which ends with the process.
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while let bytes = process.read() {
        rest += bytes
        // A character can be split between reads.
        let whole = rest.count - Self.unfinishedCount(of: rest)
        log.append(Array(rest[..<whole]))
        rest.removeFirst(whole)
      }
      log.finish(process.reap())
    }
  }

  deinit {
    // A process that was not waited for is killed with its terminal.
    process.send(signal: SIGKILL)
    close(terminal)
  }

  /// Sends keys.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  /// Resizes the terminal, which signals its programs.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// The terminal's flags: input, output, control and local.
  package var settings: [UInt32] {
    var settings = termios()
    guard tcgetattr(terminal, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }

  /// Kills the process and waits for it to exit.
  package func kill() async throws {
    process.send(signal: SIGKILL)
    _ = try await log.end()
  }

  /// The number of bytes at the end that begin an incomplete character.
  private static func unfinishedCount(of bytes: [UInt8]) -> Int {
    for (count, byte) in bytes.suffix(3).reversed().enumerated() {
      if byte < 0x80 { return 0 }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0
      if length > 0 { return length > count + 1 ? count + 1 : 0 }
    }
    return 0
  }
}
