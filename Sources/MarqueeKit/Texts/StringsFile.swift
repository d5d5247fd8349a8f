import MarqueeModel

/// The syntax of a `.strings` file: comments and pairs such as `"key" = "text";`.
///
/// Keys and texts without special characters need no quotation marks; `"key";` has the key as its text. A backslash
/// introduces `\n`, `\t`, `\r`, a UTF-16 code unit (`\U00e4`), an octal number, or a literal character. If a key occurs
/// several times, its last text counts.
struct StringsFile {
  /// A violation of the syntax.
  struct SyntaxError: Error {
    let line: Int
    let reason: String
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var line = 1

  private init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// Returns the texts of a file by their keys.
  static func table(of text: String) throws(SyntaxError) -> [String: String] {
    var file = StringsFile(text)
    var table: [String: String] = [:]
    try file.skipSpace()
    while file.next != nil {
      let key = try file.readString("a key")
      try file.skipSpace()
      var value = key
      if file.skip("=") {
        try file.skipSpace()
        value = try file.readString("a text")
        try file.skipSpace()
      }
      guard file.skip(";") else { throw file.error("expected ';' after the text of \"\(key.visible(sizeMax: 64))\"") }
      table[key] = value
      try file.skipSpace()
    }
    return table
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func error(_ reason: String) -> SyntaxError { SyntaxError(line: line, reason: reason) }

  private mutating func read() -> Unicode.Scalar? {
    guard let scalar = next else { return nil }
    position += 1
    // A carriage return and a line feed are one line end.
    if scalar == "\n" || scalar == "\r" && next != "\n" { line += 1 }
    return scalar
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    _ = read()
    return true
  }

  /// Skips white space and comments.
  private mutating func skipSpace() throws(SyntaxError) {
    while let scalar = next {
      if scalar.properties.isWhitespace {
        _ = read()
      } else if scalar == "/", position + 1 < scalars.count, "/*".unicodeScalars.contains(scalars[position + 1]) {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(SyntaxError) {
    let start = error("the comment is not closed")
    _ = read()
    guard read() == "*" else {
      while let scalar = next, scalar != "\n", scalar != "\r" { _ = read() }
      return
    }
    while let scalar = read() {
      if scalar == "*", skip("/") { return }
    }
    throw start
  }

  private mutating func readString(_ noun: String) throws(SyntaxError) -> String {
    guard let quote = next, quote == "\"" || quote == "'" else { return try readWord(noun) }
    let start = error("the string is not closed")
    _ = read()
    var units: [UInt16] = []
    while let scalar = read() {
      if scalar == quote { return String(decoding: units, as: UTF16.self) }
      if scalar == "\\" { try readEscape(&units) } else { units += Array(UTF16.encode(scalar) ?? .init()) }
    }
    throw start
  }

  /// Reads a string without quotation marks.
  private mutating func readWord(_ noun: String) throws(SyntaxError) -> String {
    var word = String.UnicodeScalarView()
    while let scalar = next, scalar.properties.isAlphabetic || "0123456789_$/:.-".unicodeScalars.contains(scalar) {
      word.append(scalar)
      _ = read()
    }
    guard !word.isEmpty else { throw error("expected \(noun)") }
    return String(word)
  }

  private mutating func readEscape(_ units: inout [UInt16]) throws(SyntaxError) {
    guard let scalar = read() else { throw error("the string is not closed") }
    switch scalar {
    case "n": units.append(0x0A)
    case "t": units.append(0x09)
    case "r": units.append(0x0D)
    case "U", "u": units.append(try readUnit(digits: 4, radix: 16))
    case "0"..."7":
      position -= 1
      units.append(try readUnit(digits: 3, radix: 8))
    default: units += Array(UTF16.encode(scalar) ?? .init())
    }
  }

  /// Reads the digits of a UTF-16 code unit, at least one.
  private mutating func readUnit(digits: Int, radix: Int) throws(SyntaxError) -> UInt16 {
    var text = ""
    while text.unicodeScalars.count < digits, let scalar = next, Int(String(scalar), radix: radix) != nil {
      text.unicodeScalars.append(scalar)
      _ = read()
    }
    guard let unit = UInt16(text, radix: radix) else { throw error("invalid escape sequence") }
    return unit
  }
}
