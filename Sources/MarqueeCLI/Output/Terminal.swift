import Foundation

/// Where a command writes: standard output for what it found, standard error for what went wrong.
struct Terminal: Sendable {
  /// How a line stands out.
  enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
  }

  /// Whether styles are written: only to a terminal, and not when `NO_COLOR` is set (https://no-color.org).
  let isStyled: Bool
  /// Columns.
  let width: Int

  /// This process's own.
  static var standard: Terminal {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) != 0
    var size = winsize()
    let isSized = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let columns = environment["COLUMNS"].flatMap { Int($0) } ?? 80
    return Terminal(
      isStyled: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb",
      width: isSized ? Int(size.ws_col) : min(max(columns, 40), 400))
  }

  /// `text` in that style, if styles are written.
  func styled(_ text: String, _ style: Style) -> String {
    isStyled ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes lines to standard output at once. The process ends when it cannot: well when nobody reads any more, as
  /// with `head`, otherwise with a fault.
  func write(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    ProgressMeter.aside {
      do {
        try FileHandle.standardOutput.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
      } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        exit(cause?.code == Int(EPIPE) ? EXIT_SUCCESS : ExitStatus.internalError.rawValue)
      }
    }
  }

  /// Writes a JSON document, or one line of a stream of them.
  func write(_ value: JSONValue, isPretty: Bool = true) {
    write([value.text(isPretty: isPretty)])
  }

  /// Writes a line to standard error.
  func warn(_ text: String) {
    ProgressMeter.aside {
      // Where nobody listens, nothing can be said.
      try? FileHandle.standardError.write(contentsOf: Data("marquee: \(Self.printable(text))\n".utf8))
    }
  }

  /// Says what went wrong, and ends the process.
  func fail(_ failure: CommandFailure) -> Never {
    warn(failure.description)
    exit(failure.status.rawValue)
  }

  /// The text without control characters other than the ends of lines: a server's words must not steer a terminal.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0 == "\n" || $0.properties.generalCategory != .control ? $0 : "?" }))
  }
}
