import MarqueeRPC
import MarqueeSchema

/// Decodes the body of a request of gRPC-Web in its text form: one or more pieces of base64, each with its padding.
struct Base64Decoder: Sendable {
  /// The characters of an incomplete group of four.
  private var rest: [UInt8] = []

  /// Whether the body ends here within a group.
  var isInsideGroup: Bool { !rest.isEmpty }

  /// Returns the bytes of received characters.
  ///
  /// - Throws: `INVALID_ARGUMENT` for other characters, or padding within a group.
  mutating func decode(_ chunk: UnsafeRawBufferPointer) throws(RPCStatus) -> [UInt8] {
    let characters = rest + chunk
    let end = characters.count & ~3
    rest = Array(characters[end...])
    var bytes: [UInt8] = []
    var start = 0
    for index in stride(from: 0, to: end, by: 4) where index + 4 == end || characters[index + 3] == UInt8(ascii: "=") {
      guard let piece = Base64.decode(characters[start..<index + 4]) else {
        throw RPCStatus(.invalidArgument, "the body is not base64")
      }
      bytes += piece
      start = index + 4
    }
    return bytes
  }
}
