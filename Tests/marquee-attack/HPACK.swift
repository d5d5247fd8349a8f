/// Encodes header blocks of HTTP/2, without Huffman coding, and also in ways that no client does.
enum HPACK {
  /// The maximum size of a receiver's dynamic table by default.
  static let tableSizeMax = 4_096
  /// The index of the newest entry of the dynamic table.
  static let newestIndex = 62

  /// Returns an integer whose first byte has flags above a prefix of `bits` bits.
  static func integer(_ value: Int, bits: Int, flags: UInt8 = 0) -> [UInt8] {
    let most = 1 << bits - 1
    guard value >= most else { return [flags | UInt8(value)] }
    var (rest, bytes) = (value - most, [flags | UInt8(most)])
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns a field as a literal.
  ///
  /// - Parameter isIndexed: Whether the field is added to the dynamic table.
  static func literal(_ name: String, _ value: String, isIndexed: Bool = false) -> [UInt8] {
    let parts = [name, value].flatMap { integer($0.utf8.count, bits: 7) + Array($0.utf8) }
    return [isIndexed ? 0x40 : 0] + parts
  }

  /// Returns a reference to an entry of a table.
  static func reference(_ index: Int) -> [UInt8] { integer(index, bits: 7, flags: 0x80) }

  /// Returns a change of the dynamic table's size.
  static func tableSize(_ size: Int) -> [UInt8] { integer(size, bits: 5, flags: 0x20) }

  /// Returns the header list of a call, with more fields.
  static func request(_ path: String, _ fields: [(name: String, value: String)] = []) -> [UInt8] {
    let head = [
      (":method", "POST"), (":scheme", "http"), (":path", "/" + path), (":authority", "localhost"),
      ("content-type", "application/grpc"), ("te", "trailers"),
    ]
    return (head + fields).flatMap { literal($0.0, $0.1) }
  }
}
