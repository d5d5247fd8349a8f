import Foundation

/// The terminal while a program has all of it: another screen, no cursor, and keys as they are pressed.
///
/// To be used by one task at a time. Whoever calls ``enter()`` calls ``leave()``, however that goes.
final class FullScreen {
  /// What brings the other screen: without a cursor, and without going on at the next line where one is full.
  private static let entrance = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let exit = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// How the terminal was set before; `nil` while it is as it was.
  private var settings: termios?
  private var shown: [String] = []

  /// Why there is no screen for this process to have; `nil` when there is one.
  static var obstacle: String? {
    if isatty(STDOUT_FILENO) == 0 { return "standard output is no terminal" }
    if isatty(STDIN_FILENO) == 0 { return "standard input is no terminal, so that no keys can be read" }
    let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return name.isEmpty || name == "dumb" ? "the terminal cannot draw a screen (TERM is \"\(name)\")" : nil
  }

  /// Columns and rows.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Whether the terminal is taken.
  var isEntered: Bool { settings != nil }

  /// Takes the terminal. Ctrl-C still interrupts.
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

  /// Gives the terminal back as it was. Does nothing if that is done.
  func leave() {
    guard var settings else { return }
    self.settings = nil
    // A terminal that is gone needs nothing.
    try? write(Self.exit)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  /// Shows these lines from the top, and nothing else. Throws when the terminal is gone.
  func show(_ lines: [String]) throws {
    guard lines != shown else { return }
    let isWhole = shown.count != lines.count
    var text = "\u{1B}[?2026h" + (isWhole ? "\u{1B}[2J" : "")
    for (row, line) in lines.enumerated() where isWhole || shown[row] != line {
      // Emptied first: behind a line as wide as the screen, its last character would go.
      text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
    }
    shown = lines
    try write(text + "\u{1B}[?2026l")
  }

  /// Forgets what is shown, so that all of it is written next time.
  func forget() { shown = [] }

  private func write(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
