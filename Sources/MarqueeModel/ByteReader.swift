/// Reads what ``ByteWriter`` wrote. Never traps, whatever the bytes are.
public struct ByteReader: Sendable {
  private let bytes: [UInt8]
  /// How many bytes have been read.
  public private(set) var offset = 0

  /// A reader at the start of `bytes`.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether everything has been read.
  public var isAtEnd: Bool { offset == bytes.count }

  /// The error to throw for a value that cannot be, at the present offset.
  public func corrupt(_ reason: String) -> CorruptBytes {
    CorruptBytes(offset: offset, reason)
  }

  /// Reads one byte.
  public mutating func readTag() throws(CorruptBytes) -> UInt8 {
    guard offset < bytes.count else { throw corrupt("the bytes end early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads an unsigned number.
  public mutating func readUInt64() throws(CorruptBytes) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try readTag()
      guard shift < 63 || byte <= 1 else { throw corrupt("a number of more than 64 bits") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads a signed number.
  public mutating func readInt64() throws(CorruptBytes) -> Int64 {
    let number = try readUInt64()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Reads a count of things of which each takes at least one byte.
  public mutating func readCount() throws(CorruptBytes) -> Int {
    let count = try readUInt64()
    guard count <= UInt64(bytes.count - offset) else { throw corrupt("a count of \(count) with fewer bytes left") }
    return Int(count)
  }

  /// Reads an index or a small number.
  public mutating func readInt() throws(CorruptBytes) -> Int {
    let number = try readUInt64()
    guard let value = Int(exactly: number) else { throw corrupt("\(number) is too large") }
    return value
  }

  /// Reads a double, bit for bit.
  public mutating func readDouble() throws(CorruptBytes) -> Double {
    Double(bitPattern: try readBits())
  }

  /// Reads 8 bytes.
  public mutating func readBits() throws(CorruptBytes) -> UInt64 {
    guard bytes.count - offset >= 8 else { throw corrupt("the bytes end early") }
    defer { offset += 8 }
    var pattern: UInt64 = 0
    for index in 0..<8 { pattern |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return pattern
  }

  /// Reads a flag.
  public mutating func readBool() throws(CorruptBytes) -> Bool {
    switch try readTag() {
    case 0: return false
    case 1: return true
    case let tag: throw corrupt("\(tag) is no flag")
    }
  }

  /// Reads a byte array.
  public mutating func readBytes() throws(CorruptBytes) -> [UInt8] {
    let count = try readCount()
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Reads a string.
  public mutating func readString() throws(CorruptBytes) -> String {
    let count = try readCount()
    guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
      throw corrupt("a string that is not UTF-8")
    }
    offset += count
    return text
  }

  /// Reads a value in its own form.
  public mutating func read<Value: ByteCodable>(_ type: Value.Type = Value.self) throws(CorruptBytes) -> Value {
    try Value(from: &self)
  }

  /// Reads a value that may be absent.
  public mutating func readOptional<Value: ByteCodable>(
    _ type: Value.Type = Value.self
  ) throws(CorruptBytes) -> Value? {
    try readBool() ? Value(from: &self) : nil
  }

  /// Reads an array of values.
  public mutating func readArray<Value: ByteCodable>(
    _ type: Value.Type = Value.self
  ) throws(CorruptBytes) -> [Value] {
    let count = try readCount()
    var values: [Value] = []
    values.reserveCapacity(min(count, 1_024))
    for _ in 0..<count { values.append(try read()) }
    return values
  }

  /// Runs a checked initialiser; what it refuses is corrupt here.
  public func checked<Value>(_ make: () throws(Refusal) -> Value) throws(CorruptBytes) -> Value {
    do { return try make() } catch { throw corrupt(error.description) }
  }
}
