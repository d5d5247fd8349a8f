/// Writes values as bytes for the journal and snapshots: compact, canonical, the same on every machine.
///
/// Integers are LEB128 (signed ones zigzag first), doubles their 8 bytes in little-endian order, strings and
/// byte arrays their length and then their bytes.
public struct ByteWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// A writer that has written nothing.
  public init() {}

  /// Writes a number in 1 to 10 bytes, small ones in fewer.
  public mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a signed number; those near zero in fewer bytes.
  public mutating func write(_ number: Int64) {
    write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Writes a count or an index.
  public mutating func write(_ count: Int) {
    write(UInt64(count))
  }

  /// Writes one byte, for a tag.
  public mutating func write(tag: UInt8) {
    bytes.append(tag)
  }

  /// Writes 8 bytes that keep every bit.
  public mutating func write(_ number: Double) {
    write(bits: number.bitPattern)
  }

  /// Writes 8 bytes, for a number that is as likely to be large as small.
  public mutating func write(bits: UInt64) {
    withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes one byte, 0 or 1.
  public mutating func write(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// Writes a string's UTF-8.
  public mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a byte array.
  public mutating func write(_ array: [UInt8]) {
    write(array.count)
    bytes.append(contentsOf: array)
  }

  /// Writes a value in its own form.
  public mutating func write(_ value: some ByteCodable) {
    value.write(to: &self)
  }

  /// Writes whether there is a value, and the value.
  public mutating func write(_ value: (some ByteCodable)?) {
    write(value != nil)
    if let value { write(value) }
  }

  /// Writes the number of values, and each.
  public mutating func write<Value: ByteCodable>(_ values: [Value]) {
    write(values.count)
    for value in values { write(value) }
  }
}

/// A value with one canonical form as bytes: equal values give equal bytes, and reading gives an equal value back.
public protocol ByteCodable {
  /// Appends the value's form.
  func write(to writer: inout ByteWriter)

  /// Reads what ``write(to:)`` wrote, or throws when the bytes are not that.
  init(from reader: inout ByteReader) throws(CorruptBytes)
}

extension ByteCodable {
  /// The value's form.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The value whose form `bytes` is, all of it.
  public init(decoding bytes: [UInt8]) throws(CorruptBytes) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    guard reader.isAtEnd else { throw CorruptBytes(offset: reader.offset, "bytes after the value's end") }
  }
}

/// Stored bytes that are not what they should be: the file is damaged or of another version.
public struct CorruptBytes: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in the value the reader stood.
  public let offset: Int
  /// What was expected or wrong.
  public let reason: String

  /// A finding at `offset`.
  public init(offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }

  public var description: String { "stored bytes are corrupt at offset \(offset): \(reason)" }
}
