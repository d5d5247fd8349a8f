/// Encodes a message from JSON text. Fields are written in the order of the text, without default values.
struct MessageParser {
  private let schema: Schema
  private let sizeMax: Int
  private var reader: JSONReader
  private var output: [UInt8] = []
  /// The unknown fields that were skipped.
  private(set) var ignored = IgnoredFields()

  init(_ schema: Schema, _ text: [UInt8], sizeMax: Int) {
    self.schema = schema
    self.sizeMax = sizeMax
    reader = JSONReader(text)
    output.reserveCapacity(min(text.count, sizeMax))
  }

  /// Encodes the text as a message.
  mutating func parse(_ type: Schema.Message) throws(JSONTranscodingError) -> [UInt8] {
    try message(type, depth: 1)
    guard reader.peek() == nil else { throw reader.malformed("expected the end of the text") }
    return output
  }

  // MARK: Messages

  private mutating func message(_ type: Schema.Message, depth: Int) throws(JSONTranscodingError) {
    guard reader.peek() == UInt8(ascii: "{") else { throw unexpected("an object") }
    try JSONReader.checkDepth(depth)
    var state = MessageState(type)
    try reader.require("{")
    if reader.read("}") { return }
    repeat { try member(of: type, &state, depth) } while reader.read(",")
    try reader.require("}")
  }

  /// The fields and oneofs of a message that are set.
  private struct MessageState {
    var seenFields: [Bool]
    var setOneofs: [Bool]
    var unknownKeys = UnknownKeys()

    init(_ type: Schema.Message) {
      seenFields = [Bool](repeating: false, count: type.fields.count)
      setOneofs = [Bool](repeating: false, count: type.oneofs.count)
    }
  }

  /// Reads a key and its value.
  private mutating func member(
    of type: Schema.Message, _ state: inout MessageState, _ depth: Int
  ) throws(JSONTranscodingError) {
    let key = try reader.string()
    try reader.require(":")
    guard let index = type.fields.firstIndex(where: { $0.hasName(key) }) else {
      try state.unknownKeys.insert(key)
      ignored.append(key)
      return try reader.skipValue(depth: depth)
    }
    let field = type.fields[index]
    let ignoredCount = ignored.paths.count
    do throws(JSONTranscodingError) {
      guard !state.seenFields[index] else { throw JSONTranscodingError(.invalid, "duplicate key") }
      state.seenFields[index] = true
      if reader.read(word: "null") { return }
      if let oneof = field.oneof {
        guard !state.setOneofs[oneof] else {
          throw JSONTranscodingError(.invalid, "another field of \(type.oneofs[oneof]) is set")
        }
        state.setOneofs[oneof] = true
      }
      try value(of: field, depth)
    } catch {
      throw error.within(field.jsonName)
    }
    ignored.prefix(after: ignoredCount, with: field.jsonName)
  }

  // MARK: Values

  private mutating func value(of field: Schema.Field, _ depth: Int) throws(JSONTranscodingError) {
    if case .message(let index) = field.kind {
      let type = schema.messages[index]
      guard field.isRepeated else { return try element(type, of: field, depth) }
      if type.isMapEntry { return try map(of: field, type, depth) }
      return try array(depth) { (parser, depth) throws(JSONTranscodingError) in
        try parser.element(type, of: field, depth)
      }
    }
    guard field.isRepeated else {
      let scalar = try scalar(field.kind)
      // The presence of a oneof's field is encoded, even with the default value.
      if field.oneof != nil || !scalar.isDefault { write(scalar, field.number) }
      return try checkSize()
    }
    guard field.kind.isPacked else {
      return try array(depth) { (parser, _) throws(JSONTranscodingError) in
        parser.write(try parser.scalar(field.kind), field.number)
        try parser.checkSize()
      }
    }
    let before = output.count
    output.append(tag: field.number, 2)
    let start = output.count
    try array(depth) { (parser, _) throws(JSONTranscodingError) in
      parser.output.append(try parser.scalar(field.kind))
      try parser.checkSize()
    }
    if output.count == start { output.removeLast(start - before) } else { output.insertSize(at: start) }
  }

  private func checkSize() throws(JSONTranscodingError) {
    guard output.count <= sizeMax else {
      throw JSONTranscodingError(.tooLarge, "message exceeds message-size-max (\(sizeMax))")
    }
  }

  /// Reads an array, whose elements `body` reads.
  private mutating func array(
    _ depth: Int, _ body: (inout MessageParser, Int) throws(JSONTranscodingError) -> Void
  ) throws(JSONTranscodingError) {
    guard reader.peek() == UInt8(ascii: "[") else { throw unexpected("an array") }
    try JSONReader.checkDepth(depth + 1)
    try reader.require("[")
    if reader.read("]") { return }
    var index = 0
    repeat {
      let ignoredCount = ignored.paths.count
      do throws(JSONTranscodingError) { try body(&self, depth + 1) } catch { throw error.within("[\(index)]") }
      ignored.prefix(after: ignoredCount, with: "[\(index)]")
      index += 1
    } while reader.read(",")
    try reader.require("]")
  }

  /// Reads an embedded message.
  private mutating func element(
    _ type: Schema.Message, of field: Schema.Field, _ depth: Int
  ) throws(JSONTranscodingError) {
    output.append(tag: field.number, 2)
    let start = output.count
    try message(type, depth: depth + 1)
    output.insertSize(at: start)
    try checkSize()
  }

  /// Reads a map. The path of an error has the index of the entry, since keys are values of the message.
  private mutating func map(
    of field: Schema.Field, _ type: Schema.Message, _ depth: Int
  ) throws(JSONTranscodingError) {
    guard reader.peek() == UInt8(ascii: "{") else { throw unexpected("an object") }
    try JSONReader.checkDepth(depth + 1)
    try reader.require("{")
    if reader.read("}") { return }
    var keys: Set<[UInt8]> = []
    var index = 0
    repeat {
      let ignoredCount = ignored.paths.count
      do throws(JSONTranscodingError) { try entry(of: field, type, &keys, depth + 1) } catch {
        throw error.within("[\(index)]")
      }
      ignored.prefix(after: ignoredCount, with: "[\(index)]")
      index += 1
    } while reader.read(",")
    try reader.require("}")
  }

  /// Reads the entry of a map.
  private mutating func entry(
    of field: Schema.Field, _ type: Schema.Message, _ keys: inout Set<[UInt8]>, _ depth: Int
  ) throws(JSONTranscodingError) {
    let key = try reader.string()
    try reader.require(":")
    let start = output.count
    write(try scalar(type.fields[0].kind, from: key), 1)
    guard keys.insert(Array(output[start...])).inserted else {
      throw JSONTranscodingError(.invalid, "duplicate key")
    }
    if case .message(let index) = type.fields[1].kind {
      try element(schema.messages[index], of: type.fields[1], depth)
    } else {
      write(try scalar(type.fields[1].kind), 2)
    }
    output.insertSize(at: start)
    output.insert(contentsOf: [UInt8](tag: field.number, 2), at: start)
    try checkSize()
  }

  private mutating func write(_ scalar: WireScalar, _ number: Int) {
    output.append(tag: number, scalar.wireType)
    output.append(scalar)
  }

  // MARK: Scalars

  private mutating func scalar(_ kind: Schema.Field.Kind) throws(JSONTranscodingError) -> WireScalar {
    switch kind {
    case .bool:
      if reader.read(word: "true") { return .varint(1) }
      if reader.read(word: "false") { return .varint(0) }
      throw unexpected("true or false")
    case .int32, .uint32, .int64, .uint64, .double:
      if reader.peek() == UInt8(ascii: "\"") { return try scalar(kind, from: reader.string()) }
      guard let next = reader.peek(), next == UInt8(ascii: "-") || (0x30...0x39).contains(next) else {
        throw unexpected("a number")
      }
      return try scalar(kind, reader.number())
    case .string:
      guard reader.peek() == UInt8(ascii: "\"") else { throw unexpected("a string") }
      return .bytes(try reader.string())
    case .bytes:
      guard reader.peek() == UInt8(ascii: "\"") else { throw unexpected("a base64 string") }
      guard let bytes = Base64.decode(try reader.string()) else {
        throw JSONTranscodingError(.invalid, "not valid base64")
      }
      return .bytes(bytes[...])
    case .enumeration(let index): return try enumeration(schema.enumerations[index])
    case .message: preconditionFailure("a message is no scalar")
    }
  }

  private mutating func enumeration(_ type: Schema.Enumeration) throws(JSONTranscodingError) -> WireScalar {
    if reader.peek() == UInt8(ascii: "\"") {
      let name = try reader.string()
      guard let value = type.values.first(where: { name.elementsEqual($0.name.utf8) }) else {
        throw JSONTranscodingError(.invalid, "unknown name of a value of \(type.name)\(type.choices)")
      }
      return .varint(UInt64(bitPattern: Int64(value.number)))
    }
    guard let next = reader.peek(), next == UInt8(ascii: "-") || (0x30...0x39).contains(next) else {
      throw unexpected("a name or a number")
    }
    return try scalar(.int32, reader.number())
  }

  /// Returns the scalar of a string: a number, or the key of a map.
  private func scalar(
    _ kind: Schema.Field.Kind, from text: ArraySlice<UInt8>
  ) throws(JSONTranscodingError) -> WireScalar {
    switch kind {
    case .string: return .bytes(text)
    case .bool:
      if text.elementsEqual("true".utf8) { return .varint(1) }
      if text.elementsEqual("false".utf8) { return .varint(0) }
    case .double where text.elementsEqual("NaN".utf8): return .fixed64(Double.nan.bitPattern)
    case .double where text.elementsEqual("Infinity".utf8): return .fixed64(Double.infinity.bitPattern)
    case .double where text.elementsEqual("-Infinity".utf8): return .fixed64((-Double.infinity).bitPattern)
    default:
      if text.count <= JSONTranscoder.numberSizeMax, let number = JSONNumber(text), number.bytes.count == text.count {
        return try scalar(kind, number)
      }
    }
    throw JSONTranscodingError(.invalid, kind == .bool ? "not true or false" : "not a number")
  }

  private func scalar(
    _ kind: Schema.Field.Kind, _ number: JSONNumber
  ) throws(JSONTranscodingError) -> WireScalar {
    switch kind {
    case .int32: if let value = number.integer(Int32.self) { return .varint(UInt64(bitPattern: Int64(value))) }
    case .uint32: if let value = number.integer(UInt32.self) { return .varint(UInt64(value)) }
    case .int64: if let value = number.integer(Int64.self) { return .varint(UInt64(bitPattern: value)) }
    case .uint64: if let value = number.integer(UInt64.self) { return .varint(value) }
    default:
      if let value = number.double { return .fixed64(value.bitPattern) }
      throw JSONTranscodingError(.invalid, "number out of range")
    }
    throw JSONTranscodingError(.invalid, "not an integer, or out of the range of \(kind)")
  }

  /// Returns the error of a value of another type.
  private mutating func unexpected(_ expected: String) -> JSONTranscodingError {
    guard let next = reader.peek(), "{[\"tfn-0123456789".utf8.contains(next) else {
      return reader.malformed("expected \(expected)")
    }
    return JSONTranscodingError(.invalid, "expected \(expected)")
  }
}

extension Schema.Field.Kind {
  /// Whether repeated values are encoded as one field.
  var isPacked: Bool {
    switch self {
    case .string, .bytes, .message: false
    default: true
    }
  }
}

extension Schema.Enumeration {
  /// The maximum number of names in an error.
  private static var choiceCountMax: Int { 16 }

  /// The end of an error, with the names of the values.
  fileprivate var choices: String {
    let more = values.count > Self.choiceCountMax ? ", …" : ""
    return "; expected " + values.prefix(Self.choiceCountMax).map(\.name).joined(separator: ", ") + more
  }
}
