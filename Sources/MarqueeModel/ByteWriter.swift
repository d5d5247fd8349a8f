/// A compact, canonical, platform-independent binary encoder, used for the journal and snapshots.
///
/// Integers are LEB128-encoded (signed ones zigzag-encoded first), doubles take 8 bytes in little-endian order, and
/// strings and byte arrays are prefixed with their length.
public struct ByteWriter: Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  public init() {}

  /// Writes an unsigned integer as LEB128, in 1 to 10 bytes.
  public mutating func write(_ number: UInt64) {
    var remaining = number
    while remaining >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: remaining) | 0x80)
      remaining >>= 7
    }
    bytes.append(UInt8(remaining))
  }

  /// Writes a signed integer as zigzag-encoded LEB128.
  public mutating func write(_ number: Int64) {
    write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Writes a non-negative integer, such as a count or an index, as LEB128.
  public mutating func write(_ count: Int) {
    write(UInt64(count))
  }

  /// Writes one byte, such as the tag of an enum case.
  public mutating func write(tag: UInt8) {
    bytes.append(tag)
  }

  /// Writes the bit pattern of a `Double` in 8 bytes.
  public mutating func write(_ number: Double) {
    write(bits: number.bitPattern)
  }

  /// Writes a 64-bit integer in 8 bytes. Use it for uniformly distributed values, for which LEB128 is longer.
  public mutating func write(bits: UInt64) {
    withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a Boolean as one byte, 0 or 1.
  public mutating func write(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// Writes a string as length-prefixed UTF-8.
  public mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a length-prefixed byte array.
  public mutating func write(_ array: [UInt8]) {
    write(array.count)
    bytes.append(contentsOf: array)
  }

  /// Writes a value with its ``BinaryCodable/write(to:)``.
  public mutating func write(_ value: some BinaryCodable) {
    value.write(to: &self)
  }

  /// Writes an optional value: a Boolean, and the value if there is one.
  public mutating func write(_ value: (some BinaryCodable)?) {
    write(value != nil)
    if let value { write(value) }
  }

  /// Writes the number of values, and each value.
  public mutating func write<Value: BinaryCodable>(_ values: [Value]) {
    write(values.count)
    for value in values { write(value) }
  }
}

/// A value with one canonical binary encoding.
///
/// Equal values have equal encodings, and decoding an encoding returns an equal value. An encoding that has been stored
/// never changes: a new version gets a new tag.
public protocol BinaryCodable {
  /// Appends the value's encoding.
  func write(to writer: inout ByteWriter)

  /// Decodes a value that ``write(to:)`` encoded.
  ///
  /// - Throws: ``BinaryDecodingError`` if the data is malformed.
  init(from reader: inout ByteReader) throws(BinaryDecodingError)
}

extension BinaryCodable {
  /// The value's encoding.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Decodes a value from all of `bytes`.
  ///
  /// - Throws: ``BinaryDecodingError`` if the data is malformed, or if bytes remain after the value.
  public init(decoding bytes: [UInt8]) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    guard reader.isAtEnd else { throw BinaryDecodingError(offset: reader.offset, "unexpected bytes after the value") }
  }
}

/// Stored data that cannot be decoded: it is damaged, or was written by another version.
public struct BinaryDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset of the invalid data, in bytes from the start of the encoding.
  public let offset: Int
  /// A description of the problem.
  public let reason: String

  /// Creates an error for the data at `offset`.
  public init(offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }

  public var description: String { "corrupt stored data at offset \(offset): \(reason)" }
}
