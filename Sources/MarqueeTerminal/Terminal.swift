import Foundation
import MarqueeModel

/// The output of a command: standard output for results, standard error for errors.
///
/// All text is written and escaped here: names from apps, devices and servers cannot send control sequences to the
/// terminal, and a line is always one line. Only ``styled(_:_:)`` and the progress meter write control sequences.
package struct Terminal: Sendable {
  /// A text style.
  package enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
  }

  /// Whether styles are written: only to a terminal, and not if `NO_COLOR` is set (https://no-color.org).
  package let isStyled: Bool
  /// The width in columns.
  package let width: Int

  package init(isStyled: Bool, width: Int) {
    self.isStyled = isStyled
    self.width = width
  }

  /// The terminal of this process.
  package static var standard: Terminal {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) != 0
    var size = winsize()
    let isSized = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let columns = environment["COLUMNS"].flatMap { Int($0) } ?? 80
    return Terminal(
      isStyled: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb",
      width: isSized ? Int(size.ws_col) : min(max(columns, 40), 400))
  }

  /// The prefix of a style within a line before rendering. It is random in each process, so that untrusted text cannot
  /// contain it.
  private static let mark = "\u{FFF9}\(UInt64.random(in: .min ... .max));"

  /// Returns `text` in that style if styles are enabled.
  package func styled(_ text: String, _ style: Style) -> String {
    isStyled ? "\(Self.mark)\(style.rawValue)m\(text)\(Self.mark)0m" : text
  }

  /// Renders a line: styles become terminal sequences, and all other control characters become visible escapes.
  package func rendered(_ line: String) -> String {
    guard isStyled else { return line.visible() }
    let mark = Array(Self.mark.unicodeScalars)
    let parts = line.unicodeScalars.split(separator: mark, omittingEmptySubsequences: false)
    return parts.map(String.UnicodeScalarView.init).enumerated().map { index, part in
      guard index > 0 else { return String(part).visible() }
      let style = part.prefix { $0 != "m" }
      return "\u{1B}[\(String(style))m" + String(part.dropFirst(style.count + 1)).visible()
    }.joined()
  }

  /// Writes lines to standard output, rendered by ``rendered(_:)``.
  ///
  /// If writing fails, the process exits: successfully if the reader has closed the pipe, as with `head`, otherwise
  /// with an error.
  package func write(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    write(exactly: lines.map(rendered).joined(separator: "\n"))
  }

  /// Writes a text that is already escaped, followed by a newline.
  package func write(exactly text: String) {
    ProgressMeter.aside {
      do {
        try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
      } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        guard cause?.code != Int(EPIPE) else { exit(EXIT_SUCCESS) }
        let reason = cause.map { String(cString: strerror(Int32($0.code))) } ?? "\(error)"
        writeError(["\(ProcessInfo.processInfo.processName): the output cannot be written: \(reason)"])
        exit(EX_IOERR)
      }
    }
  }

  /// Writes a JSON document, or one line of a JSON Lines stream.
  package func write(_ value: JSONValue, isPretty: Bool = true) {
    write(exactly: value.text(isPretty: isPretty))
  }

  /// The maximum length of an error line in bytes; it may quote a file or a server.
  private static let errorSizeMax = 4_096

  /// Writes lines to standard error, separate from the command's output.
  package func writeError(_ lines: [String]) {
    writeError(exactly: lines.map { $0.visible(sizeMax: Self.errorSizeMax) + "\n" }.joined())
  }

  /// Writes a JSON document on one line to standard error.
  package func writeError(_ value: JSONValue) {
    writeError(exactly: value.text(isPretty: false) + "\n")
  }

  private func writeError(exactly text: String) {
    ProgressMeter.aside {
      // Errors are ignored: standard error may be closed.
      try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
  }
}
