/// The percent-encoding of `grpc-message`.
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns the text's UTF-8 with `%` and all bytes outside of 0x20 to 0x7E as `%XX`.
  static func encode(_ text: String) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return encoded
  }
}
