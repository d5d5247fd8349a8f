/// A reader of the fields of an encoded Protocol Buffers message.
struct ProtobufReader {
  /// The value of a field.
  enum Value {
    case varint(UInt64)
    case bytes(ArraySlice<UInt8>)

    /// The value as an integer; 0 if it has another wire type.
    var int: Int {
      if case .varint(let number) = self { Int(truncatingIfNeeded: number) } else { 0 }
    }

    /// The value as a string or an embedded message; empty if it has another wire type.
    var bytes: ArraySlice<UInt8> {
      if case .bytes(let bytes) = self { bytes } else { [] }
    }

    /// The value as a string.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as a packed list of integers.
    var integers: [Int] {
      var reader = ProtobufReader(bytes)
      var integers: [Int] = []
      while let number = reader.varint() { integers.append(Int(truncatingIfNeeded: number)) }
      return integers
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Returns the values of all fields by their numbers, in the order of the message.
  ///
  /// - Precondition: The message is well-formed and has no groups, such as the descriptors that protoc writes.
  static func fields(_ bytes: ArraySlice<UInt8>) -> [Int: [Value]] {
    var reader = ProtobufReader(bytes)
    var fields: [Int: [Value]] = [:]
    while let tag = reader.varint() {
      let value: Value =
        switch tag & 7 {
        case 0: .varint(reader.varint() ?? 0)
        case 1: .bytes(reader.readBytes(8))
        case 2: .bytes(reader.readBytes(Int(reader.varint() ?? 0)))
        case 5: .bytes(reader.readBytes(4))
        default: preconditionFailure("unexpected wire type \(tag & 7)")
        }
      fields[Int(tag >> 3), default: []].append(value)
    }
    return fields
  }

  private mutating func varint() -> UInt64? {
    var (number, shift) = (UInt64(0), UInt64(0))
    while let byte = rest.popFirst() {
      number |= UInt64(byte & 0x7f) << shift
      guard byte & 0x80 != 0 else { return number }
      shift += 7
    }
    return nil
  }

  private mutating func readBytes(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
