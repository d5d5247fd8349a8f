/// The strings of JSON texts (RFC 8259).
package enum JSONString {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a string, in quotes.
  package static func append(_ content: String, to text: inout [UInt8]) {
    append(Array(content.utf8)[...], to: &text)
  }

  /// Appends a string of valid UTF-8, in quotes.
  package static func append(_ content: ArraySlice<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    content.withUnsafeBufferPointer { content in
      var start = 0
      while case let end = endOfPlainPart(in: content, from: start, isASCII: false), end < content.count {
        text += content[start..<end]
        appendEscaped(content[end], to: &text)
        start = end + 1
      }
      text += content[start...]
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Returns the offset of the first byte that is escaped in strings, or that is not ASCII if the part must be; the
  /// number of bytes if there is none.
  ///
  /// Eight bytes are searched at a time (Warren, Hacker's Delight, 6-1): the expressions set the high bit of a byte of
  /// `escaped` only if one is a control character, a quotation mark or a backslash.
  static func endOfPlainPart(in text: UnsafeBufferPointer<UInt8>, from start: Int, isASCII: Bool) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var offset = start
    while text.count - offset >= 8 {
      let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let (quotes, slashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
      let escaped = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
      guard (escaped | (isASCII ? word : 0)) & highs == 0 else { break }
      offset += 8
    }
    while offset < text.count, !isEscaped(text[offset]), !isASCII || text[offset] < 0x80 { offset += 1 }
    return offset
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendEscaped(_ byte: UInt8, to text: inout [UInt8]) {
    switch byte {
    case 0x0A: text += "\\n".utf8
    case 0x0D: text += "\\r".utf8
    case 0x09: text += "\\t".utf8
    case 0..<0x20:
      text += "\\u00".utf8
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    default: text += [UInt8(ascii: "\\"), byte]
    }
  }
}
