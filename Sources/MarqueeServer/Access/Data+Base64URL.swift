import Foundation

extension Data {
  /// Decodes canonical unpadded base64url (RFC 4648, section 5): returns `nil` for padding and for unused bits that are
  /// not 0, so that no two texts decode to the same bytes.
  init?(base64URL text: ArraySlice<UInt8>) {
    var text = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      // Not in the unpadded base64url alphabet; mapped to an invalid character.
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): UInt8(ascii: "*")
      default: byte
      }
    }
    text += repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    self.init(base64Encoded: Data(text))
    guard base64EncodedData().elementsEqual(text) else { return nil }
  }
  /// The bytes in unpadded base64url.
  var base64URL: String {
    String(
      base64EncodedString().filter { $0 != "=" }.map { character in
        switch character {
        case "+": "-"
        case "/": "_"
        default: character
        }
      })
  }
}
