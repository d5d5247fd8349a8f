/// A reader of the fields of an encoded Protocol Buffers message.
struct WireReader {
  /// The value of a field.
  enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    /// A string, an embedded message, or packed numbers: a range of the bytes.
    case range(Range<Int>)
  }

  let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  /// Creates a reader of a part of an array.
  ///
  /// - Precondition: `range` is within the array.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Whether all bytes have been read.
  var isAtEnd: Bool { offset == end }

  /// Reads the next field; returns `nil` after the last one. Groups are rejected.
  mutating func next() throws(WireFormatError) -> (number: Int, value: Value)? {
    guard !isAtEnd else { return nil }
    let tag = try varint()
    let number = tag >> 3
    guard (1...536_870_911).contains(number) else { throw WireFormatError("field number out of range") }
    return (Int(number), try value(ofType: tag & 7))
  }

  private mutating func value(ofType wireType: UInt64) throws(WireFormatError) -> Value {
    switch wireType {
    case 0: return .varint(try varint())
    case 1: return .fixed64(try fixed64())
    case 2:
      let size = try varint()
      guard size <= UInt64(end - offset) else { throw WireFormatError("truncated field") }
      let start = offset
      offset += Int(size)
      return .range(start..<offset)
    case 5: return .fixed32(UInt32(truncatingIfNeeded: try littleEndian(4)))
    default: throw WireFormatError("unsupported wire type")
    }
  }

  /// Reads a number of one to ten bytes.
  mutating func varint() throws(WireFormatError) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<10 {
      guard offset < end else { throw WireFormatError("truncated number") }
      let byte = bytes[offset]
      offset += 1
      guard index < 9 || byte <= 1 else { throw WireFormatError("number of more than 64 bits") }
      number |= UInt64(byte & 0x7f) << UInt64(7 * index)
      if byte < 0x80 { return number }
    }
    throw WireFormatError("number of more than 64 bits")
  }

  /// Reads eight bytes as a little-endian number.
  mutating func fixed64() throws(WireFormatError) -> UInt64 { try littleEndian(8) }

  private mutating func littleEndian(_ count: Int) throws(WireFormatError) -> UInt64 {
    guard count <= end - offset else { throw WireFormatError("truncated number") }
    var number: UInt64 = 0
    for index in 0..<count { number |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    offset += count
    return number
  }
}

/// Bytes that are not an encoded Protocol Buffers message.
struct WireFormatError: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
