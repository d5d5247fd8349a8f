/// An unfolded line of an iCalendar stream with its line number.
struct ContentLine: Sendable {
  let text: String
  /// The first line in the file, counted from 1.
  let number: Int
  /// The text before the first colon or semicolon.
  let name: String
  /// The text after the first colon outside of quotes, or an empty string.
  let value: String
  /// The number of parameters before the value.
  let parameterCount: Int
  /// Whether the line has a name of letters, digits, hyphens, dots and underscores, and a colon.
  let isWellFormed: Bool

  init(_ text: String, number: Int) {
    (self.text, self.number) = (text, number)
    let isDelimiter: (UInt8) -> Bool = { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    name = String(decoding: text.utf8.prefix { !isDelimiter($0) }, as: UTF8.self)
    var (isQuoted, parameterCount) = (false, 0)
    let colon = text.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ";"), !isQuoted { parameterCount += 1 }
      return byte == UInt8(ascii: ":") && !isQuoted
    }
    self.parameterCount = parameterCount
    value = colon.map { String(decoding: text.utf8[text.utf8.index(after: $0)...], as: UTF8.self) } ?? ""
    let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) }
    isWellFormed = colon != nil && !name.isEmpty && isName
  }

  /// The text after the name, including the delimiter.
  var afterName: String {
    String(decoding: text.utf8.dropFirst(name.utf8.count), as: UTF8.self)
  }

  /// Returns the content lines of a stream. Invalid UTF-8 is replaced by U+FFFD; empty lines are omitted.
  ///
  /// A line that begins with a space or a tab continues the previous one, also across empty lines. Lines end with LF or
  /// CRLF.
  static func unfolded(_ bytes: [UInt8]) throws(FeedError) -> [ContentLine] {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var lines: [ContentLine] = []
    var (current, number): ([UInt8], Int) = ([], 0)
    func flush() {
      // NUL terminates a string for libical, so it is replaced like invalid UTF-8.
      let text = String(decoding: current, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
      if !current.isEmpty { lines.append(ContentLine(text, number: number)) }
    }
    var lineNumber = 0
    for var line in bytes[(hasMark ? 3 : 0)...].split(separator: 10, omittingEmptySubsequences: false) {
      lineNumber += 1
      if line.last == 13 { line = line.dropLast() }
      if line.isEmpty { continue }
      if line.first == 32 || line.first == 9, !lines.isEmpty || !current.isEmpty {
        current += line.dropFirst()
      } else {
        flush()
        (current, number) = (Array(line.drop { $0 == 32 || $0 == 9 }), lineNumber)
      }
      guard current.count <= CalendarReader.lineSizeMax, lines.count < CalendarReader.lineCountMax else {
        throw FeedError(
          .limitExceeded,
          "more than \(CalendarReader.lineSizeMax) bytes in a line or \(CalendarReader.lineCountMax) lines",
          line: lineNumber)
      }
    }
    flush()
    return lines
  }
}

extension String {
  /// The unescaped TEXT value: `\n` and `\N` are line breaks, a backslash before `\ , ; :` is removed, others are kept.
  var withoutEscapes: String {
    var result = UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, rest.first) {
      case ("\\", "n"), ("\\", "N"):
        result.append("\n")
        rest.removeFirst()
      case ("\\", let next?) where "\\,;:".unicodeScalars.contains(next):
        result.append(next)
        rest.removeFirst()
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
