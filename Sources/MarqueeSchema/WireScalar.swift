/// The encoded value of a scalar field.
enum WireScalar {
  case varint(UInt64)
  case fixed64(UInt64)
  case bytes(ArraySlice<UInt8>)

  /// Whether the value is the default of its field: 0, false, or empty. Negative zero is not.
  var isDefault: Bool {
    switch self {
    case .varint(let number), .fixed64(let number): number == 0
    case .bytes(let bytes): bytes.isEmpty
    }
  }

  var wireType: UInt64 {
    switch self {
    case .varint: 0
    case .fixed64: 1
    case .bytes: 2
    }
  }
}

extension [UInt8] {
  /// Creates a field's tag.
  init(tag number: Int, _ wireType: UInt64) {
    self.init()
    append(tag: number, wireType)
  }

  /// Appends a field's tag.
  mutating func append(tag number: Int, _ wireType: UInt64) {
    append(varint: UInt64(number) << 3 | wireType)
  }

  /// Appends a number of one to ten bytes.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a scalar, and its size if it has no fixed one.
  mutating func append(_ scalar: WireScalar) {
    switch scalar {
    case .varint(let number): append(varint: number)
    case .fixed64(let number):
      for index in 0..<8 { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    case .bytes(let bytes):
      append(varint: UInt64(bytes.count))
      append(contentsOf: bytes)
    }
  }

  /// Inserts the size of the bytes from `start` before them.
  mutating func insertSize(at start: Int) {
    var size: [UInt8] = []
    size.append(varint: UInt64(count - start))
    insert(contentsOf: size, at: start)
  }
}
