/// A parameter of a statement, which is sent in PostgreSQL's binary format.
///
/// All integers are sent as `bigint`. The statement casts them where a column is smaller.
package enum PostgresValue: Sendable {
  case integer(Int64?)
  case integers([Int64?])
  case bytes([UInt8]?)
  case byteArrays([[UInt8]])
  case text(String?)
  case texts([String])

  /// The maximum size of a value, which is that of PostgreSQL.
  static let sizeMax = 0x3FFF_FFFF

  /// The type's object identifier, which is fixed in PostgreSQL.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .integers: 1_016
    case .bytes: 17
    case .byteArrays: 1_001
    case .text: 25
    case .texts: 1_009
    }
  }

  /// Appends the value to `buffer`.
  ///
  /// - Returns: The number of bytes; `nil` for `NULL`, which has none.
  func encode(to buffer: inout [UInt8]) -> Int? {
    let start = buffer.count
    switch self {
    case .integer(nil), .bytes(nil), .text(nil): return nil
    case .integer(let value?): buffer.append(bigEndian: value)
    case .bytes(let value?): buffer.append(contentsOf: value)
    case .text(let value?): buffer.append(contentsOf: value.utf8)
    case .integers(let values):
      buffer.appendArrayHeader(count: values.count, hasNull: values.contains(nil), type: 20)
      for value in values {
        buffer.append(bigEndian: value == nil ? -1 : Int32(8))
        if let value { buffer.append(bigEndian: value) }
      }
    case .byteArrays(let values):
      buffer.appendArrayHeader(count: values.count, hasNull: false, type: 17)
      buffer.reserveCapacity(values.reduce(buffer.count) { $0 + 4 + $1.count })
      for value in values {
        buffer.append(bigEndian: Int32(clamping: value.count))
        buffer.append(contentsOf: value)
      }
    case .texts(let values):
      buffer.appendArrayHeader(count: values.count, hasNull: false, type: 25)
      for value in values {
        buffer.append(bigEndian: Int32(clamping: value.utf8.count))
        buffer.append(contentsOf: value.utf8)
      }
    }
    return buffer.count - start
  }
}

/// The encoded parameters of a statement.
struct EncodedValues {
  /// The number of bytes of each parameter.
  private(set) var lengths: [CInt] = []
  private var buffer: [UInt8] = []
  private var offsets: [Int?] = []

  /// Encodes parameters.
  ///
  /// - Throws: ``PostgresError`` `tooLarge`.
  init(_ values: [PostgresValue]) throws(PostgresError) {
    for value in values {
      let start = buffer.count
      let length = value.encode(to: &buffer)
      guard length ?? 0 <= PostgresValue.sizeMax else {
        throw PostgresError(.tooLarge, "a parameter has more than \(PostgresValue.sizeMax) bytes")
      }
      offsets.append(length == nil ? nil : start)
      lengths.append(CInt(length ?? 0))
    }
    // An empty value is not NULL, so it needs an address.
    buffer.append(0)
  }

  /// Calls `body` with the addresses of the parameters, `nil` for `NULL`.
  func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    buffer.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return body(offsets.map { offset in offset.flatMap { offset in start.map { $0 + offset } } })
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends the header of an array of one dimension, or of none without elements.
  fileprivate mutating func appendArrayHeader(count: Int, hasNull: Bool, type: Int32) {
    append(bigEndian: Int32(count == 0 ? 0 : 1))
    append(bigEndian: Int32(hasNull ? 1 : 0))
    append(bigEndian: type)
    guard count > 0 else { return }
    append(bigEndian: Int32(clamping: count))
    // The lower bound.
    append(bigEndian: Int32(1))
  }
}
