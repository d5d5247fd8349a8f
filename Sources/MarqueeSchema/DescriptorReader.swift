/// An invalid descriptor set.
public struct DescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The condition.
  public let reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  public var description: String { reason }
}

/// Reads descriptors; the types of fields are resolved when all files have been read.
struct DescriptorReader {
  /// The maximum nesting of messages.
  private static let depthMax = 16

  private(set) var files: [Schema.File] = []
  private(set) var services: [Schema.Service] = []
  private(set) var enumerations: [Schema.Enumeration] = []
  private(set) var filesByName: [[UInt8]: Int] = [:]
  private(set) var filesBySymbol: [[UInt8]: Int] = [:]
  private(set) var messagesByName: [[UInt8]: Int] = [:]
  private var enumerationsByName: [[UInt8]: Int] = [:]
  /// The messages with the descriptors of their fields.
  private var messages: [(name: String, oneofs: [String], isMapEntry: Bool, fields: [DescriptorFields])] = []

  /// Reads a `google.protobuf.FileDescriptorSet`.
  mutating func read(_ bytes: [UInt8]) throws(DescriptorError) {
    let set = try DescriptorFields(bytes, in: bytes.indices)
    for file in try set.messages(1) { try read(file: file) }
  }

  private mutating func read(file: DescriptorFields) throws(DescriptorError) {
    let (name, package, imports) = (try file.text(1), try file.text(2), try file.texts(3))
    for imported in imports where filesByName[Array(imported.utf8)] == nil {
      throw DescriptorError("\(name) precedes its import \(imported)")
    }
    guard try file.text(12) == "proto3" else { throw DescriptorError("\(name) is not a proto3 file") }
    guard filesByName.updateValue(files.count, forKey: Array(name.utf8)) == nil else {
      throw DescriptorError("\(name) occurs twice")
    }
    files.append(.init(name: name, package: package, descriptor: Array(file.bytes[file.range]), imports: imports))
    let prefix = package.isEmpty ? "" : package + "."
    for message in try file.messages(4) { try read(message: message, in: prefix, depth: 1) }
    for enumeration in try file.messages(5) { try read(enumeration: enumeration, in: prefix) }
    for service in try file.messages(6) { try read(service: service, in: prefix) }
  }

  /// Declares a symbol of the last file.
  private mutating func declare(_ symbol: String) throws(DescriptorError) {
    guard filesBySymbol.updateValue(files.count - 1, forKey: Array(symbol.utf8)) == nil else {
      throw DescriptorError("\(symbol) is declared twice")
    }
  }

  private mutating func read(
    message: DescriptorFields, in prefix: String, depth: Int
  ) throws(DescriptorError) {
    guard depth <= Self.depthMax else { throw DescriptorError("messages are nested too deeply") }
    let name = prefix + (try message.text(1))
    try declare(name)
    var oneofs: [String] = []
    for oneof in try message.messages(8) {
      oneofs.append(try oneof.text(1))
      try declare("\(name).\(oneofs[oneofs.count - 1])")
    }
    let fields = try message.messages(2)
    for field in fields { try declare("\(name).\(try field.text(1))") }
    let isMapEntry = try message.messages(7).first?.number(7) == 1
    messagesByName[Array(name.utf8)] = messages.count
    messages.append((name, oneofs, isMapEntry, fields))
    for inner in try message.messages(3) { try read(message: inner, in: name + ".", depth: depth + 1) }
    for inner in try message.messages(4) { try read(enumeration: inner, in: name + ".") }
  }

  private mutating func read(enumeration: DescriptorFields, in prefix: String) throws(DescriptorError) {
    let name = prefix + (try enumeration.text(1))
    try declare(name)
    var values: [Schema.Enumeration.Value] = []
    for value in try enumeration.messages(2) {
      let text = try value.text(1)
      try declare(prefix + text)
      values.append(.init(name: text, number: Int32(truncatingIfNeeded: try value.number(2))))
    }
    guard values.first?.number == 0 else { throw DescriptorError("\(name) does not begin with 0") }
    enumerationsByName[Array(name.utf8)] = enumerations.count
    enumerations.append(.init(name: name, values: values))
  }

  private mutating func read(service: DescriptorFields, in prefix: String) throws(DescriptorError) {
    let name = prefix + (try service.text(1))
    try declare(name)
    var methods: [Schema.Method] = []
    for method in try service.messages(2) {
      let text = try method.text(1)
      try declare("\(name).\(text)")
      methods.append(
        .init(
          path: "\(name)/\(text)", request: try method.typeName(2), response: try method.typeName(3),
          isClientStreaming: try method.number(5) == 1, isServerStreaming: try method.number(6) == 1))
    }
    services.append(.init(name: name, methods: methods))
  }

  // MARK: Types

  /// Returns the messages with the types of their fields.
  func resolvedMessages() throws(DescriptorError) -> [Schema.Message] {
    for method in services.flatMap(\.methods) {
      for name in [method.request, method.response] where messagesByName[Array(name.utf8)] == nil {
        throw DescriptorError("\(method.path) has the unknown type \(name)")
      }
    }
    var result: [Schema.Message] = []
    for message in messages {
      var fields: [Schema.Field] = []
      for field in message.fields { fields.append(try resolved(field, of: message.name, message.oneofs.count)) }
      fields.sort { $0.number < $1.number }
      for (left, right) in zip(fields, fields.dropFirst()) where left.number == right.number {
        throw DescriptorError("\(message.name) has two fields with number \(left.number)")
      }
      if message.isMapEntry, fields.map(\.number) != [1, 2] || fields.contains(where: \.isRepeated) {
        throw DescriptorError("\(message.name) is not the entry of a map")
      }
      result.append(
        .init(name: message.name, fields: fields, oneofs: message.oneofs, isMapEntry: message.isMapEntry))
    }
    return result
  }

  private func resolved(
    _ field: DescriptorFields, of message: String, _ oneofCount: Int
  ) throws(DescriptorError) -> Schema.Field {
    let (name, number) = (try field.text(1), try field.number(3))
    guard (1...536_870_911).contains(number) else { throw DescriptorError("\(message).\(name) has no valid number") }
    var oneof: Int?
    if let index = try field.numberIfPresent(9) {
      guard index < oneofCount else { throw DescriptorError("\(message).\(name) has an unknown oneof") }
      oneof = Int(index)
    }
    let jsonName = try field.text(10)
    return Schema.Field(
      name: name, jsonName: jsonName.isEmpty ? Self.jsonName(of: name) : jsonName, number: Int(number),
      kind: try kind(of: field, "\(message).\(name)"), isRepeated: try field.number(4) == 3, oneof: oneof)
  }

  private func kind(of field: DescriptorFields, _ name: String) throws(DescriptorError) -> Schema.Field.Kind {
    switch try field.number(5) {
    case 1: return .double
    case 3: return .int64
    case 4: return .uint64
    case 5: return .int32
    case 8: return .bool
    case 9: return .string
    case 11:
      if let index = messagesByName[Array(try field.typeName(6).utf8)] { return .message(index) }
    case 12: return .bytes
    case 13: return .uint32
    case 14:
      if let index = enumerationsByName[Array(try field.typeName(6).utf8)] { return .enumeration(index) }
    default: break
    }
    throw DescriptorError("\(name) has an unknown or unsupported type")
  }

  /// Returns a name in camelCase, as protoc does.
  private static func jsonName(of name: String) -> String {
    var (result, isAfterUnderscore) = ("", false)
    for character in name {
      if character != "_" { result += isAfterUnderscore ? character.uppercased() : String(character) }
      isAfterUnderscore = character == "_"
    }
    return result
  }
}

/// The fields of an encoded descriptor.
struct DescriptorFields {
  let bytes: [UInt8]
  /// The bytes of the descriptor.
  let range: Range<Int>
  private var values: [Int: [WireReader.Value]] = [:]

  init(_ bytes: [UInt8], in range: Range<Int>) throws(DescriptorError) {
    self.bytes = bytes
    self.range = range
    var reader = WireReader(bytes, in: range)
    do throws(WireFormatError) {
      while let field = try reader.next() { values[field.number, default: []].append(field.value) }
    } catch {
      throw DescriptorError("malformed descriptor: \(error.reason)")
    }
  }

  /// Returns a number; `nil` if the field is absent.
  func numberIfPresent(_ number: Int) throws(DescriptorError) -> UInt64? {
    guard let value = values[number]?.last else { return nil }
    guard case .varint(let integer) = value else { throw DescriptorError("field \(number) is not a number") }
    return integer
  }

  /// Returns a number; 0 if the field is absent.
  func number(_ number: Int) throws(DescriptorError) -> UInt64 { try numberIfPresent(number) ?? 0 }

  /// Returns a string; empty if the field is absent.
  func text(_ number: Int) throws(DescriptorError) -> String { try texts(number).last ?? "" }

  /// Returns the full name of a type, without the leading period.
  func typeName(_ number: Int) throws(DescriptorError) -> String {
    let name = try text(number)
    guard name.utf8.first == UInt8(ascii: ".") else { throw DescriptorError("\(name) is not a full name") }
    return String(name.dropFirst())
  }

  /// Returns repeated strings.
  func texts(_ number: Int) throws(DescriptorError) -> [String] {
    var texts: [String] = []
    for range in try ranges(number) {
      guard let text = String(validating: bytes[range], as: UTF8.self) else {
        throw DescriptorError("field \(number) is not UTF-8")
      }
      texts.append(text)
    }
    return texts
  }

  /// Returns repeated messages.
  func messages(_ number: Int) throws(DescriptorError) -> [DescriptorFields] {
    var messages: [DescriptorFields] = []
    for range in try ranges(number) { messages.append(try DescriptorFields(bytes, in: range)) }
    return messages
  }

  private func ranges(_ number: Int) throws(DescriptorError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for value in values[number] ?? [] {
      guard case .range(let range) = value else { throw DescriptorError("field \(number) is not a string") }
      ranges.append(range)
    }
    return ranges
  }
}
