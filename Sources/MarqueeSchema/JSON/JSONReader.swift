/// A reader of the tokens of a JSON text (RFC 8259).
struct JSONReader {
  let text: [UInt8]
  private(set) var offset = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  /// Skips white space and returns the next byte; `nil` at the end.
  mutating func peek() -> UInt8? {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return text[offset]
      }
    }
    return nil
  }

  /// Reads a character if it is the next one after white space.
  mutating func read(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Reads a character.
  mutating func require(_ character: Unicode.Scalar) throws(JSONTranscodingError) {
    guard read(character) else { throw malformed("expected '\(character)'") }
  }

  /// Returns an error at the current byte.
  func malformed(_ reason: String) -> JSONTranscodingError {
    JSONTranscodingError(.invalid, "malformed JSON at byte \(offset): \(reason)")
  }

  /// Reads `true`, `false` or `null` if it is next.
  mutating func read(word: StaticString) -> Bool {
    guard peek() != nil else { return false }
    let end = offset + word.utf8CodeUnitCount
    guard end <= text.count else { return false }
    let isNext = word.withUTF8Buffer { $0.elementsEqual(text[offset..<end]) }
    if isNext { offset = end }
    return isNext
  }

  // MARK: Numbers

  /// Reads a number.
  mutating func number() throws(JSONTranscodingError) -> JSONNumber {
    _ = peek()
    guard let number = JSONNumber(text[offset...]) else { throw malformed("expected a number") }
    guard number.bytes.count <= JSONTranscoder.numberSizeMax else {
      throw JSONTranscodingError(
        .tooLarge,
        "number of \(number.bytes.count) bytes exceeds the limit (json-number-size-max: "
          + "\(JSONTranscoder.numberSizeMax))")
    }
    offset = number.bytes.endIndex
    return number
  }

  // MARK: Strings

  /// Reads a string and returns its content: valid UTF-8.
  mutating func string() throws(JSONTranscodingError) -> ArraySlice<UInt8> {
    try require("\"")
    let start = offset
    skipPlainASCII()
    var isASCII = true
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: "\""):
        defer { offset += 1 }
        return try valid(text[start..<offset], isASCII: isASCII)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw malformed("unescaped control character in a string")
      case let byte:
        if byte >= 0x80 { isASCII = false }
        offset += 1
      }
    }
    throw malformed("unterminated string")
  }

  /// Skips the characters of a string that need no conversion or check.
  private mutating func skipPlainASCII() {
    offset = text.withUnsafeBufferPointer { JSONString.endOfPlainPart(in: $0, from: offset, isASCII: true) }
  }

  /// Reads the rest of a string at its first escape sequence.
  private mutating func escapedString(from start: Int) throws(JSONTranscodingError) -> ArraySlice<UInt8> {
    var content = Array(text[start..<offset])
    while offset < text.count {
      let byte = text[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return try valid(content[...], isASCII: false)
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20:
        offset -= 1
        throw malformed("unescaped control character in a string")
      default: content.append(byte)
      }
    }
    throw malformed("unterminated string")
  }

  /// Reads the rest of an escape sequence after the backslash.
  private mutating func escape(into content: inout [UInt8]) throws(JSONTranscodingError) {
    guard offset < text.count else { throw malformed("unterminated string") }
    let byte = text[offset]
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content += try escapedScalar().utf8
    default:
      offset -= 1
      throw malformed("unknown escape sequence")
    }
  }

  /// Reads the digits of a `\u` escape sequence, and the second one of a surrogate pair.
  private mutating func escapedScalar() throws(JSONTranscodingError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, offset + 1 < text.count, text[offset] == UInt8(ascii: "\\"),
      text[offset + 1] == UInt8(ascii: "u")
    else { throw malformed("lone surrogate") }
    offset += 2
    let second = try codeUnit()
    guard (0xDC00...0xDFFF).contains(second) else { throw malformed("lone surrogate") }
    let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00
    guard let scalar = Unicode.Scalar(value) else { preconditionFailure("surrogate pair out of range") }
    return scalar
  }

  /// Reads four hexadecimal digits.
  private mutating func codeUnit() throws(JSONTranscodingError) -> UInt16 {
    guard offset + 4 <= text.count else { throw malformed("expected four hexadecimal digits") }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let byte = text[offset]
      let digit: UInt8? =
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
      guard let digit else { throw malformed("expected four hexadecimal digits") }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }

  private func valid(_ content: ArraySlice<UInt8>, isASCII: Bool) throws(JSONTranscodingError) -> ArraySlice<UInt8> {
    // The error has only the position.
    guard isASCII || (try? UTF8Span(validating: content.span)) != nil else {
      throw malformed("string that is not UTF-8")
    }
    return content
  }

  // MARK: Unknown values

  /// Skips a value; its syntax and nesting are checked like those of known ones.
  ///
  /// - Parameter depth: The number of objects and arrays around the value.
  mutating func skipValue(depth: Int) throws(JSONTranscodingError) {
    switch peek() {
    case UInt8(ascii: "{"):
      try Self.checkDepth(depth + 1)
      var keys = UnknownKeys()
      try elements("{", "}") { (reader, _) throws(JSONTranscodingError) in
        try keys.insert(reader.string())
        try reader.require(":")
        try reader.skipValue(depth: depth + 1)
      }
    case UInt8(ascii: "["):
      try Self.checkDepth(depth + 1)
      try elements("[", "]") { (reader, _) throws(JSONTranscodingError) in
        try reader.skipValue(depth: depth + 1)
      }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t") where read(word: "true"), UInt8(ascii: "f") where read(word: "false"): break
    case UInt8(ascii: "n") where read(word: "null"): break
    default: _ = try number()
    }
  }

  static func checkDepth(_ depth: Int) throws(JSONTranscodingError) {
    guard depth <= JSONTranscoder.depthMax else {
      throw JSONTranscodingError(.tooLarge, "nested too deeply (json-depth-max: \(JSONTranscoder.depthMax))")
    }
  }

  /// Reads the elements of an object or an array, which `body` reads with their indices.
  mutating func elements(
    _ start: Unicode.Scalar, _ end: Unicode.Scalar,
    _ body: (inout JSONReader, Int) throws(JSONTranscodingError) -> Void
  ) throws(JSONTranscodingError) {
    try require(start)
    if read(end) { return }
    var index = 0
    repeat {
      try body(&self, index)
      index += 1
    } while read(",")
    try require(end)
  }
}

/// The unknown keys of an object.
struct UnknownKeys {
  private var keys: Set<[UInt8]> = []

  /// Inserts a key; each occurs once.
  mutating func insert(_ key: ArraySlice<UInt8>) throws(JSONTranscodingError) {
    guard keys.insert(Array(key)).inserted else { throw JSONTranscodingError(.invalid, "duplicate key") }
    guard keys.count <= JSONTranscoder.unknownKeyCountMax else {
      throw JSONTranscodingError(
        .tooLarge, "too many unknown keys (json-unknown-key-count-max: \(JSONTranscoder.unknownKeyCountMax))")
    }
  }
}
