import CNGHTTP2

/// A list of header fields, stored in one buffer.
struct HeaderList: Equatable {
  /// The offsets of a field: its name begins at the end of the preceding field.
  private struct Field: Equatable {
    var nameEnd: Int
    var valueEnd: Int
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []

  /// The number of fields.
  var count: Int { fields.count }
  /// The number of bytes of names and values.
  var byteCount: Int { bytes.count }
  /// The size as RFC 9113 defines it.
  var size: Int { bytes.count + fields.count * Self.fieldOverhead }
  static let fieldOverhead = 32

  init() {}

  /// Creates a list of text fields.
  init(_ fields: KeyValuePairs<String, String>) {
    for (name, value) in fields { append(name, value.utf8) }
  }

  mutating func append(_ name: String, _ value: some Sequence<UInt8>) {
    bytes.append(contentsOf: name.utf8)
    let nameEnd = bytes.count
    bytes.append(contentsOf: value)
    fields.append(Field(nameEnd: nameEnd, valueEnd: bytes.count))
  }

  mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: name)
    let nameEnd = bytes.count
    bytes.append(contentsOf: value)
    fields.append(Field(nameEnd: nameEnd, valueEnd: bytes.count))
  }

  mutating func append(contentsOf other: HeaderList) {
    let start = bytes.count
    bytes += other.bytes
    fields += other.fields.map { Field(nameEnd: $0.nameEnd + start, valueEnd: $0.valueEnd + start) }
  }

  mutating func removeAll() {
    if fields.isEmpty { return }
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4_096)
    fields.removeAll(keepingCapacity: fields.capacity <= 64)
  }

  subscript(index: Int) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
    let start = index == 0 ? 0 : fields[index - 1].valueEnd
    let field = fields[index]
    return (bytes[start..<field.nameEnd], bytes[field.nameEnd..<field.valueEnd])
  }

  /// Whether there is a field at an index, and it has this name and value.
  func contains(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard index < fields.count else { return false }
    let start = index == 0 ? 0 : fields[index - 1].valueEnd
    let field = fields[index]
    guard name.count == field.nameEnd - start, value.count == field.valueEnd - field.nameEnd else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return true }
      return name.equals(UnsafeRawBufferPointer(start: base + start, count: name.count))
        && value.equals(UnsafeRawBufferPointer(start: base + field.nameEnd, count: value.count))
    }
  }

  /// Calls `body` with each field.
  func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for field in fields {
        body(
          UnsafeRawBufferPointer(rebasing: bytes[start..<field.nameEnd]),
          UnsafeRawBufferPointer(rebasing: bytes[field.nameEnd..<field.valueEnd]))
        start = field.valueEnd
      }
    }
  }

  /// Removes all fields but the first `count`.
  mutating func truncate(to count: Int) {
    guard count < fields.count else { return }
    bytes.removeLast(bytes.count - (count == 0 ? 0 : fields[count - 1].valueEnd))
    fields.removeLast(fields.count - count)
  }

  /// Calls `body` with the fields in nghttp2's form, which is valid during the call.
  func withFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: max(1, fields.count)) { list in
        guard let base = UnsafeMutablePointer(mutating: bytes.baseAddress) else { return body(nil, 0) }
        var start = 0
        for (index, field) in fields.enumerated() {
          // The type of the pointers is not `const`, but nghttp2 copies the bytes and does not change them.
          list.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: base + start, value: base + field.nameEnd, namelen: field.nameEnd - start,
              valuelen: field.valueEnd - field.nameEnd, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
          start = field.valueEnd
        }
        return body(UnsafePointer(list.baseAddress), fields.count)
      }
    }
  }
}
