/// Base64 (RFC 4648) in its standard and URL-safe alphabets, as in JSON and in binary metadata.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The values of the characters of both alphabets; 64 for any other byte.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// Decodes text with or without padding.
  ///
  /// - Parameter ignoresUnusedBits: Whether bits beyond the last byte may be set (RFC 4648, section 3.5).
  /// - Returns: The bytes; `nil` if the text is malformed.
  package static func decode(_ text: ArraySlice<UInt8>, ignoresUnusedBits: Bool = false) -> [UInt8]? {
    var text = text
    if text.last == UInt8(ascii: "=") {
      guard text.count % 4 == 0 else { return nil }
      text.removeLast()
      if text.last == UInt8(ascii: "=") { text.removeLast() }
    }
    guard text.count % 4 != 1 else { return nil }
    var (bytes, bits, bitCount) = ([UInt8](), UInt32(0), 0)
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= 1 << UInt32(bitCount) - 1
      }
    }
    return bits == 0 || ignoresUnusedBits ? bytes : nil
  }

  /// Returns the text of bytes in the standard alphabet, without padding.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    append(bytes[...], to: &text)
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    return text
  }

  /// Appends the padded text of bytes in the standard alphabet.
  package static func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let group = bytes[start..<min(start + 3, bytes.endIndex)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let value = Int(bits >> UInt32(18 - 6 * index) & 63)
        text.append(index <= group.count ? alphabet[value] : UInt8(ascii: "="))
      }
      start += 3
    }
  }
}
