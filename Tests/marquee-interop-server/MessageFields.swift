import MarqueeRPC

/// The fields of an encoded Protocol Buffers message with the wire types of the test service's messages: numbers, and
/// bytes with their length.
struct MessageFields {
  private var numbers: [UInt64: UInt64] = [:]
  private var values: [UInt64: [ArraySlice<UInt8>]] = [:]

  /// Creates fields without values, as of an absent message.
  init() {}

  /// Decodes a message.
  ///
  /// - Throws: `INVALID_ARGUMENT` if the bytes are malformed or have another wire type.
  init(_ bytes: ArraySlice<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      switch tag & 7 {
      case 0:
        numbers[tag >> 3] = try Self.varint(&rest)
      case 2:
        let size = try Self.varint(&rest)
        guard size <= UInt64(rest.count) else { throw Self.malformed }
        values[tag >> 3, default: []].append(rest.prefix(Int(size)))
        rest = rest.dropFirst(Int(size))
      default:
        throw Self.malformed
      }
    }
  }

  /// Returns a field of type `int32` or `enum`; 0 if it is absent.
  func int32(_ field: UInt64) -> Int { Int(Int32(truncatingIfNeeded: numbers[field] ?? 0)) }

  /// Returns the bytes of a field; empty if it is absent.
  func bytes(_ field: UInt64) -> ArraySlice<UInt8> { values[field]?.last ?? [] }

  /// Returns the message in a field; `nil` if it is absent.
  func message(_ field: UInt64) throws -> MessageFields? { try values[field]?.last.map { try MessageFields($0) } }

  /// Returns the messages in a repeated field.
  func messages(_ field: UInt64) throws -> [MessageFields] { try (values[field] ?? []).map { try MessageFields($0) } }

  private static let malformed = RPCStatus(.invalidArgument, "malformed message")

  private static func varint(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { throw malformed }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw malformed
  }
}

extension [UInt8] {
  /// Appends a field with a number.
  mutating func append(field: UInt64, number: UInt64) {
    append(varint: field << 3)
    append(varint: number)
  }

  /// Appends a field with bytes or an encoded message.
  mutating func append(field: UInt64, bytes: [UInt8]) {
    append(varint: field << 3 | 2)
    append(varint: UInt64(bytes.count))
    self += bytes
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
