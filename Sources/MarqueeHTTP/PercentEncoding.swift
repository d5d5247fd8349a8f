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

  /// Returns the decoded text. A `%` without two hexadecimal digits is preserved, and invalid UTF-8 is replaced.
  static func decode(_ encoded: some Collection<UInt8>) -> String {
    let encoded = Array(encoded)
    var (bytes, index): ([UInt8], Int) = ([], 0)
    while index < encoded.count {
      if encoded[index] == UInt8(ascii: "%"), index + 2 < encoded.count, let high = digit(encoded[index + 1]),
        let low = digit(encoded[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(encoded[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
