/// A decoder for the output of ``ByteWriter``.
///
/// Reading never traps, whatever the input: malformed data throws ``BinaryDecodingError``.
public struct ByteReader: Sendable {
  private let bytes: [UInt8]
  /// The number of bytes read so far.
  public private(set) var offset = 0

  /// Creates a reader positioned at the start of `bytes`.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { offset == bytes.count }

  /// Returns an error for invalid data at the current offset.
  public func corrupt(_ reason: String) -> BinaryDecodingError {
    BinaryDecodingError(offset: offset, reason)
  }

  /// Reads one byte.
  public mutating func readTag() throws(BinaryDecodingError) -> UInt8 {
    guard offset < bytes.count else { throw corrupt("unexpected end of data") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads an unsigned LEB128 integer.
  public mutating func readUInt64() throws(BinaryDecodingError) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try readTag()
      guard shift < 63 || byte <= 1 else { throw corrupt("integer exceeds 64 bits") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads a zigzag-encoded signed LEB128 integer.
  public mutating func readInt64() throws(BinaryDecodingError) -> Int64 {
    let number = try readUInt64()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Reads an element count, and throws if it exceeds the number of remaining bytes. Every element takes at least one
  /// byte, so a corrupt count cannot cause a large allocation.
  public mutating func readCount() throws(BinaryDecodingError) -> Int {
    let count = try readUInt64()
    guard count <= UInt64(bytes.count - offset) else { throw corrupt("count \(count) exceeds the remaining bytes") }
    return Int(count)
  }

  /// Reads a non-negative integer, and throws if it does not fit in `Int`.
  public mutating func readInt() throws(BinaryDecodingError) -> Int {
    let number = try readUInt64()
    guard let value = Int(exactly: number) else { throw corrupt("integer out of range: \(number)") }
    return value
  }

  /// Reads a `Double`, preserving its bit pattern.
  public mutating func readDouble() throws(BinaryDecodingError) -> Double {
    Double(bitPattern: try readBits())
  }

  /// Reads a fixed-size 64-bit integer in little-endian order.
  public mutating func readBits() throws(BinaryDecodingError) -> UInt64 {
    guard bytes.count - offset >= 8 else { throw corrupt("unexpected end of data") }
    defer { offset += 8 }
    var pattern: UInt64 = 0
    for index in 0..<8 { pattern |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return pattern
  }

  /// Reads a Boolean.
  public mutating func readBool() throws(BinaryDecodingError) -> Bool {
    switch try readTag() {
    case 0: return false
    case 1: return true
    case let tag: throw corrupt("invalid Boolean: \(tag)")
    }
  }

  /// Reads a length-prefixed byte array.
  public mutating func readBytes() throws(BinaryDecodingError) -> [UInt8] {
    let count = try readCount()
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Reads a length-prefixed UTF-8 string.
  public mutating func readString() throws(BinaryDecodingError) -> String {
    let count = try readCount()
    guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
      throw corrupt("string is not valid UTF-8")
    }
    offset += count
    return text
  }

  /// Reads a value with its ``BinaryCodable/init(from:)``.
  public mutating func read<Value: BinaryCodable>(_ type: Value.Type = Value.self) throws(BinaryDecodingError) -> Value
  {
    try Value(from: &self)
  }

  /// Reads an optional value: a Boolean, and the value if it is `true`.
  public mutating func readOptional<Value: BinaryCodable>(
    _ type: Value.Type = Value.self
  ) throws(BinaryDecodingError) -> Value? {
    try readBool() ? Value(from: &self) : nil
  }

  /// Reads a count, and as many values.
  public mutating func readArray<Value: BinaryCodable>(
    _ type: Value.Type = Value.self
  ) throws(BinaryDecodingError) -> [Value] {
    let count = try readCount()
    var values: [Value] = []
    values.reserveCapacity(min(count, 1_024))
    for _ in 0..<count { values.append(try read()) }
    return values
  }

  /// Calls a throwing initializer, and converts a ``RequestError`` to a decoding error at the current offset.
  public func checked<Value>(_ make: () throws(RequestError) -> Value) throws(BinaryDecodingError) -> Value {
    do { return try make() } catch { throw corrupt(error.description) }
  }
}
