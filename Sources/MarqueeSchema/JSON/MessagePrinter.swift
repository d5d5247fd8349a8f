/// Writes an encoded message as JSON text without white space. Fields are written in the order of their numbers,
/// without default values, and unknown fields are left out.
struct MessagePrinter {
  private typealias Occurrence = (field: Int, value: WireReader.Value)

  private let schema: Schema
  private let sizeMax: Int
  private var output: [UInt8] = []

  init(_ schema: Schema, sizeMax: Int) {
    self.schema = schema
    self.sizeMax = sizeMax
  }

  /// Writes a message.
  mutating func text(of bytes: [UInt8], as type: Schema.Message) throws(JSONTranscodingError) -> [UInt8] {
    try message(type, bytes, bytes.indices, depth: 1)
    return output
  }

  // MARK: Messages

  private mutating func message(
    _ type: Schema.Message, _ bytes: [UInt8], _ range: Range<Int>, depth: Int
  ) throws(JSONTranscodingError) {
    try JSONReader.checkDepth(depth)
    let occurrences = try Self.occurrences(of: type, bytes, range)
    var isFirst = true
    output.append(UInt8(ascii: "{"))
    var rest = occurrences[...]
    while let first = rest.first {
      let field = type.fields[first.field]
      let values = rest.prefix { $0.field == first.field }
      rest = rest[values.endIndex...]
      let start = output.count
      if !isFirst { output.append(UInt8(ascii: ",")) }
      output += field.jsonKey
      do throws(JSONTranscodingError) {
        if try member(field, values, bytes, depth) { isFirst = false } else { output.removeLast(output.count - start) }
      } catch {
        throw error.within(field.jsonName)
      }
    }
    output.append(UInt8(ascii: "}"))
    try checkSize()
  }

  /// Returns the values of all known fields, sorted by field. Of the fields of a oneof, only the last one is kept.
  private static func occurrences(
    of type: Schema.Message, _ bytes: [UInt8], _ range: Range<Int>
  ) throws(JSONTranscodingError) -> [Occurrence] {
    var (occurrences, isSorted) = ([Occurrence](), true)
    var reader = WireReader(bytes, in: range)
    do throws(WireFormatError) {
      while let (number, value) = try reader.next() {
        let last = occurrences.last?.field ?? 0
        guard let index = type.fieldIndex(of: number, after: last) else { continue }
        isSorted = isSorted && index >= last
        occurrences.append((index, value))
      }
    } catch {
      throw JSONTranscodingError(.invalid, "malformed message: \(error.reason)")
    }
    for oneof in type.oneofs.indices {
      func isMember(_ occurrence: Occurrence) -> Bool { type.fields[occurrence.field].oneof == oneof }
      guard let last = occurrences.last(where: isMember)?.field else { continue }
      // The values of the last field before another one was set are dropped too.
      guard let other = occurrences.lastIndex(where: { isMember($0) && $0.field != last }) else { continue }
      occurrences = occurrences[...other].filter { !isMember($0) } + occurrences[(other + 1)...]
    }
    if !isSorted {
      let order = occurrences.indices.sorted { (occurrences[$0].field, $0) < (occurrences[$1].field, $1) }
      occurrences = order.map { occurrences[$0] }
    }
    return occurrences
  }

  /// Writes the value of a field; returns `false` if it is left out.
  private mutating func member(
    _ field: Schema.Field, _ values: ArraySlice<Occurrence>, _ bytes: [UInt8], _ depth: Int
  ) throws(JSONTranscodingError) -> Bool {
    if case .message(let index) = field.kind {
      let type = schema.messages[index]
      if type.isMapEntry { return try map(type, values, bytes, depth) }
      if field.isRepeated {
        try array(values) { (printer, value) throws(JSONTranscodingError) in
          try printer.message(type, bytes, Self.range(value), depth: depth + 2)
        }
        return true
      }
      // The values of a field that occurs several times are merged as their concatenation is.
      if values.count == 1, let first = values.first {
        try message(type, bytes, Self.range(first.value), depth: depth + 1)
        return true
      }
      var merged: [UInt8] = []
      for value in values { merged += bytes[try Self.range(value.value)] }
      try message(type, merged, merged.indices, depth: depth + 1)
      return true
    }
    if field.isRepeated {
      let scalars = try scalars(field.kind, values, bytes)
      if scalars.isEmpty { return false }
      try array(scalars[...]) { (printer, scalar) throws(JSONTranscodingError) in
        try printer.write(scalar, field.kind)
      }
      return true
    }
    guard let last = values.last else { return false }
    let scalar = try Self.scalar(field.kind, last.value, bytes)
    if scalar.isDefault, field.oneof == nil { return false }
    try write(scalar, field.kind)
    return true
  }

  private mutating func array<Values: RandomAccessCollection>(
    _ values: Values, _ body: (inout MessagePrinter, Values.Element) throws(JSONTranscodingError) -> Void
  ) throws(JSONTranscodingError) {
    output.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      do throws(JSONTranscodingError) { try body(&self, value) } catch { throw error.within("[\(index)]") }
      try checkSize()
    }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func array(
    _ values: ArraySlice<Occurrence>,
    _ body: (inout MessagePrinter, WireReader.Value) throws(JSONTranscodingError) -> Void
  ) throws(JSONTranscodingError) {
    try array(values.lazy.map(\.value), body)
  }

  /// Writes a map; of equal keys, the last one counts.
  private mutating func map(
    _ type: Schema.Message, _ values: ArraySlice<Occurrence>, _ bytes: [UInt8], _ depth: Int
  ) throws(JSONTranscodingError) -> Bool {
    var (entries, indices) = ([[Occurrence]](), [[UInt8]: Int]())
    for value in values {
      let entry = try Self.occurrences(of: type, bytes, Self.range(value.value))
      let key = try Self.scalar(type.fields[0].kind, entry.last { $0.field == 0 }?.value, bytes)
      var encoded: [UInt8] = []
      encoded.append(key)
      if let index = indices[encoded] {
        entries[index] = entry
      } else {
        indices[encoded] = entries.count
        entries.append(entry)
      }
    }
    output.append(UInt8(ascii: "{"))
    for (index, entry) in entries.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      let key = try Self.scalar(type.fields[0].kind, entry.last { $0.field == 0 }?.value, bytes)
      try write(key: key, type.fields[0].kind)
      let start = output.count
      if try !member(type.fields[1], entry.filter { $0.field == 1 }[...], bytes, depth + 1) {
        output.removeLast(output.count - start)
        try writeDefault(of: type.fields[1].kind)
      }
      try checkSize()
    }
    output.append(UInt8(ascii: "}"))
    return true
  }

  private func checkSize() throws(JSONTranscodingError) {
    guard output.count <= sizeMax else {
      throw JSONTranscodingError(.tooLarge, "text exceeds the limit of \(sizeMax) bytes")
    }
  }

  // MARK: Scalars

  private static func range(_ value: WireReader.Value) throws(JSONTranscodingError) -> Range<Int> {
    guard case .range(let range) = value else { throw unexpectedType }
    return range
  }

  private static var unexpectedType: JSONTranscodingError {
    JSONTranscodingError(.invalid, "malformed message: unexpected wire type")
  }

  /// Returns a scalar; the default of its type if it is absent.
  private static func scalar(
    _ kind: Schema.Field.Kind, _ value: WireReader.Value?, _ bytes: [UInt8]
  ) throws(JSONTranscodingError) -> WireScalar {
    switch (kind, value) {
    case (.string, nil), (.bytes, nil): return .bytes([])
    case (.double, nil): return .fixed64(0)
    case (_, nil): return .varint(0)
    case (.string, .range(let range)?), (.bytes, .range(let range)?): return .bytes(bytes[range])
    case (.double, .fixed64(let number)?): return .fixed64(number)
    case (.bool, .varint(let number)?): return .varint(number == 0 ? 0 : 1)
    case (.uint32, .varint(let number)?): return .varint(UInt64(UInt32(truncatingIfNeeded: number)))
    case (.int32, .varint(let number)?), (.enumeration, .varint(let number)?):
      return .varint(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: number))))
    case (.int64, .varint(let number)?), (.uint64, .varint(let number)?): return .varint(number)
    default: throw unexpectedType
    }
  }

  /// Returns the values of a repeated field, packed or not.
  private func scalars(
    _ kind: Schema.Field.Kind, _ values: ArraySlice<Occurrence>, _ bytes: [UInt8]
  ) throws(JSONTranscodingError) -> [WireScalar] {
    var scalars: [WireScalar] = []
    for value in values {
      guard kind.isPacked, case .range(let range) = value.value else {
        scalars.append(try Self.scalar(kind, value.value, bytes))
        continue
      }
      var reader = WireReader(bytes, in: range)
      while !reader.isAtEnd {
        let packed: WireReader.Value
        do throws(WireFormatError) {
          packed = kind == .double ? .fixed64(try reader.fixed64()) : .varint(try reader.varint())
        } catch {
          throw JSONTranscodingError(.invalid, "malformed message: \(error.reason)")
        }
        scalars.append(try Self.scalar(kind, packed, bytes))
      }
    }
    return scalars
  }

  private mutating func write(_ scalar: WireScalar, _ kind: Schema.Field.Kind) throws(JSONTranscodingError) {
    switch (kind, scalar) {
    case (.bool, .varint(let number)): write(number == 0 ? "false" : "true")
    case (.int32, .varint(let number)): write("\(Int32(truncatingIfNeeded: number))")
    case (.uint32, .varint(let number)): write("\(number)")
    case (.int64, .varint(let number)): write("\"\(Int64(bitPattern: number))\"")
    case (.uint64, .varint(let number)): write("\"\(number)\"")
    case (.double, .fixed64(let bits)): write(double: Double(bitPattern: bits))
    case (.string, .bytes(let bytes)): try write(string: bytes)
    case (.bytes, .bytes(let bytes)):
      output.append(UInt8(ascii: "\""))
      Base64.append(bytes, to: &output)
      output.append(UInt8(ascii: "\""))
    case (.enumeration(let index), .varint(let number)):
      let number = Int32(truncatingIfNeeded: number)
      if let value = schema.enumerations[index].values.first(where: { $0.number == number }) {
        write("\"\(value.name)\"")
      } else {
        write("\(number)")
      }
    default: preconditionFailure("a scalar of another type")
    }
  }

  /// Writes the value of a map's entry without one.
  private mutating func writeDefault(of kind: Schema.Field.Kind) throws(JSONTranscodingError) {
    switch kind {
    case .message: write("{}")
    case .string, .bytes: write("\"\"")
    case .double: try write(.fixed64(0), kind)
    default: try write(.varint(0), kind)
    }
  }

  /// Writes the key of a map, which is always a string.
  private mutating func write(key: WireScalar, _ kind: Schema.Field.Kind) throws(JSONTranscodingError) {
    switch kind {
    case .bool, .int32, .uint32:
      output.append(UInt8(ascii: "\""))
      try write(key, kind)
      output.append(UInt8(ascii: "\""))
    default: try write(key, kind)
    }
    output.append(UInt8(ascii: ":"))
  }

  private mutating func write(_ text: String) { output += text.utf8 }

  private mutating func write(double: Double) {
    if double.isFinite { return write("\(double)") }
    write(double.isNaN ? "\"NaN\"" : double < 0 ? "\"-Infinity\"" : "\"Infinity\"")
  }

  private mutating func write(string bytes: ArraySlice<UInt8>) throws(JSONTranscodingError) {
    // The error has only the position.
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      throw JSONTranscodingError(.invalid, "string that is not UTF-8")
    }
    JSONString.append(bytes, to: &output)
  }
}

extension Schema.Message {
  /// Returns the index of the field with a number. The field at `hint` is compared first, since a field often follows
  /// one of the same number.
  fileprivate func fieldIndex(of number: Int, after hint: Int) -> Int? {
    if hint < fields.count, fields[hint].number == number { return hint }
    return fields.firstIndex { $0.number == number }
  }
}
