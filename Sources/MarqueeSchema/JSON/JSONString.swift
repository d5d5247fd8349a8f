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
      for index in content.indices where isEscaped(content[index]) {
        text += content[start..<index]
        appendEscaped(content[index], to: &text)
        start = index + 1
      }
      text += content[start...]
    }
    text.append(UInt8(ascii: "\""))
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
