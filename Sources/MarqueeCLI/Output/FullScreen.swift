import Foundation

/// Full-screen mode of the terminal: the alternate screen, a hidden cursor, and unbuffered key input.
///
/// For use by one task at a time. Each call of ``enter()`` must be balanced by a call of ``leave()``.
final class FullScreen {
  /// Switches to the alternate screen, hides the cursor and disables line wrapping.
  private static let entrance = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let exit = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// The original terminal settings, or `nil` outside full-screen mode.
  private var settings: termios?
  private var shown: [String] = []

  /// The reason why full-screen mode is unavailable, or `nil` if it is available.
  static var obstacle: String? {
    if isatty(STDOUT_FILENO) == 0 { return "standard output is not a terminal" }
    if isatty(STDIN_FILENO) == 0 { return "standard input is not a terminal" }
    let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return name.isEmpty || name == "dumb" ? "the terminal cannot draw a screen (TERM is \"\(name)\")" : nil
  }

  /// The terminal size.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Whether full-screen mode is active.
  var isEntered: Bool { settings != nil }

  /// Enters full-screen mode. Ctrl-C still sends SIGINT.
  func enter() throws {
    var current = termios()
    guard settings == nil, tcgetattr(STDIN_FILENO, &current) == 0 else { return }
    settings = current
    current.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &current.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &current)
    shown = []
    try write(Self.entrance)
  }

  /// Restores the terminal. Does nothing outside full-screen mode.
  func leave() {
    guard var settings else { return }
    self.settings = nil
    // Errors are ignored: the terminal may no longer exist.
    try? write(Self.exit)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  /// Replaces the screen's contents with these lines. Throws if the terminal no longer exists.
  func show(_ lines: [String]) throws {
    guard lines != shown else { return }
    let isWhole = shown.count != lines.count
    var text = "\u{1B}[?2026h" + (isWhole ? "\u{1B}[2J" : "")
    for (row, line) in lines.enumerated() where isWhole || shown[row] != line {
      // Erased first: erasing after a full-width line would remove its last character.
      text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
    }
    shown = lines
    try write(text + "\u{1B}[?2026l")
  }

  /// Discards the record of the screen's contents, so that the next call redraws all lines.
  func invalidate() { shown = [] }

  private func write(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
