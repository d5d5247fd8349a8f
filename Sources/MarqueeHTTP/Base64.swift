/// Base64 as gRPC uses it for the values of binary metadata: sent without padding, accepted with or without it.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each character; 255 for others.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Returns the encoding of the bytes, without padding.
  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 0x3F)])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
    return text
  }

  /// Returns the decoded bytes, or `nil` if the text is not base64. The unused bits of the last character are ignored.
  static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    var end = text.endIndex
    var paddingCount = 0
    while end > text.startIndex, paddingCount < 2, text[text.index(before: end)] == UInt8(ascii: "=") {
      end = text.index(before: end)
      paddingCount += 1
    }
    let characters = text[..<end]
    let rest = characters.count % 4
    guard rest != 1, paddingCount == 0 || rest + paddingCount == 4 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for character in characters {
      let value = values[Int(character)]
      guard value != 255 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= (1 << count) - 1
    }
    return bytes
  }
}
