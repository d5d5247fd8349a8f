/// A hand-written protobuf encoder, independent of the library that decodes.
struct ProtoBytes: ExpressibleByArrayLiteral {
  var bytes: [UInt8] = []

  init(arrayLiteral parts: ProtoBytes...) {
    bytes = parts.flatMap(\.bytes)
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A number as a varint.
  static func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, remaining): ([UInt8], UInt64) = ([], number)
    while remaining >= 0x80 {
      bytes.append(UInt8(remaining & 0x7F) | 0x80)
      remaining >>= 7
    }
    return bytes + [UInt8(remaining)]
  }

  /// The tag of a field: its number and its wire type.
  static func tag(_ field: UInt64, _ wireType: UInt64) -> [UInt8] { varint(field << 3 | wireType) }

  /// A field of integer, flag or enum type.
  static func number(_ field: UInt64, _ number: Int64) -> ProtoBytes {
    ProtoBytes(tag(field, 0) + varint(UInt64(bitPattern: number)))
  }

  /// A field of type double.
  static func double(_ field: UInt64, _ number: Double) -> ProtoBytes {
    ProtoBytes(tag(field, 1) + (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) })
  }

  /// A bytes field, with valid or invalid content.
  static func raw(_ field: UInt64, _ bytes: [UInt8]) -> ProtoBytes {
    ProtoBytes(tag(field, 2) + varint(UInt64(bytes.count)) + bytes)
  }

  /// A string field.
  static func text(_ field: UInt64, _ text: String) -> ProtoBytes { raw(field, Array(text.utf8)) }

  /// A message field.
  static func message(_ field: UInt64, _ message: ProtoBytes) -> ProtoBytes { raw(field, message.bytes) }
}
