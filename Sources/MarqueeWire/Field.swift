internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

/// Decoders of C message fields. An invalid field throws an error with the field's name in its .proto file.
enum Field {
  /// Decodes a string: strict UTF-8 without NUL.
  static func text(_ field: ProtobufCBinaryData, _ name: String) throws(RequestError) -> String {
    guard field.len > 0 else { return "" }
    guard let text = String(strictUTF8: UnsafeRawBufferPointer(start: field.data, count: field.len)) else {
      throw RequestError(.invalidArgument, field: name, "not valid UTF-8 without NUL (\(field.len) bytes)")
    }
    return text
  }

  /// Decodes an identifier.
  static func identifier<ID: Identifier>(
    _ field: ProtobufCBinaryData, _ name: String, as: ID.Type = ID.self
  ) throws(RequestError) -> ID {
    let text = try text(field, name)
    return try within(name, ID(text))
  }

  /// Decodes an identifier; `nil` if the string is empty.
  static func identifierIfPresent<ID: Identifier>(
    _ field: ProtobufCBinaryData, _ name: String, as: ID.Type = ID.self
  ) throws(RequestError) -> ID? {
    field.len == 0 ? nil : try identifier(field, name)
  }

  /// Copies a bytes field.
  static func bytes(_ field: ProtobufCBinaryData) -> [UInt8] {
    Array(UnsafeBufferPointer(start: field.data, count: field.len))
  }

  /// Decodes an instant in the years 1970 to 9999 (rule T7).
  static func instant(_ milliseconds: Int64, _ name: String) throws(RequestError) -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw RequestError(.invalidArgument, field: name, "\(milliseconds) ms is outside the years 1970 to 9999")
    }
    return instant
  }

  /// Validates that a number is neither infinite nor NaN.
  static func finite(_ number: Double, _ name: String) throws(RequestError) -> Double {
    guard number.isFinite else { throw RequestError(.invalidArgument, field: name, "\(number) is not finite") }
    return number
  }

  /// Validates that a number is not negative.
  static func natural<Number: SignedInteger>(_ number: Number, _ name: String) throws(RequestError) -> Number {
    guard number >= 0 else { throw RequestError(.invalidArgument, field: name, "\(number) is negative") }
    return number
  }

  /// Validates that a flag that selects a oneof case is set.
  static func selector(_ flag: Int32, _ name: String) throws(RequestError) {
    guard flag != 0 else { throw RequestError(.invalidArgument, field: name, "must be true when set") }
  }

  /// Decodes a count.
  static func count(_ count: UInt64, _ name: String) throws(RequestError) -> Int {
    guard let number = Int(exactly: count) else {
      throw RequestError(.invalidArgument, field: name, "\(count) is out of range")
    }
    return number
  }

  /// Decodes the maximum number of results: `default` if it is 0, and at most `maximum`.
  static func count(_ count: UInt32, _ name: String, default: Int, maximum: Int) throws(RequestError) -> Int {
    guard count <= maximum else {
      throw RequestError(.invalidArgument, field: name, "\(count) exceeds the maximum of \(maximum)")
    }
    return count == 0 ? `default` : Int(count)
  }

  /// Decodes a required message.
  static func required<Value: WireValue>(
    _ pointer: UnsafeMutablePointer<Value.CForm>?, _ name: String, as: Value.Type = Value.self
  ) throws(RequestError) -> Value {
    guard let pointer else { throw absent(name) }
    return try within(name, Value(pointer.pointee))
  }

  /// Decodes an optional message.
  static func optional<Value: WireValue>(
    _ pointer: UnsafeMutablePointer<Value.CForm>?, _ name: String, as: Value.Type = Value.self
  ) throws(RequestError) -> Value? {
    guard let pointer else { return nil }
    return try within(name, Value(pointer.pointee))
  }

  /// Decodes repeated strings.
  static func texts(
    _ count: Int, _ texts: UnsafeMutablePointer<ProtobufCBinaryData>?, _ name: String
  ) throws(RequestError) -> [String] {
    try array(count, texts, name) { (field) throws(RequestError) in try text(field, "") }
  }

  /// Decodes repeated identifiers.
  static func identifiers<ID: Identifier>(
    _ count: Int, _ identifiers: UnsafeMutablePointer<ProtobufCBinaryData>?, _ name: String
  ) throws(RequestError) -> [ID] {
    try array(count, identifiers, name) { (field) throws(RequestError) in try identifier(field, "") }
  }

  /// Decodes a repeated message.
  static func array<Value: WireValue>(
    _ count: Int, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Value.CForm>?>?, _ name: String,
    as: Value.Type = Value.self
  ) throws(RequestError) -> [Value] {
    try array(count, pointers, name) { (pointer) throws(RequestError) in
      guard let pointer else { throw absent("") }
      return try Value(pointer.pointee)
    }
  }

  /// Decodes a repeated field whose elements are decoded by `each`.
  static func array<Element, Value>(
    _ count: Int, _ elements: UnsafeMutablePointer<Element>?, _ name: String,
    each: (Element) throws(RequestError) -> Value
  ) throws(RequestError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for (index, element) in UnsafeBufferPointer(start: elements, count: count).enumerated() {
      values.append(try within(name, within("[\(index)]", each(element))))
    }
    return values
  }

  /// Validates that the keys of an array's elements are distinct.
  static func unique<Value, Key: Hashable>(
    _ values: [Value], _ name: String, by key: (Value) -> Key
  ) throws(RequestError) {
    var seen: Set<Key> = []
    seen.reserveCapacity(values.count)
    for (index, value) in values.enumerated() where !seen.insert(key(value)).inserted {
      throw RequestError(.invalidArgument, field: "\(name)[\(index)]", "duplicate value")
    }
  }

  /// Returns the error for a missing required field.
  static func absent(_ name: String) -> RequestError {
    RequestError(.invalidArgument, field: name, "required field is missing")
  }

  /// Returns the error for a message of which no field of the oneof `name` is set, with the names of these fields.
  ///
  /// - Parameters:
  ///   - name: The oneof.
  ///   - message: The message, which has no other oneof.
  static func absent(_ name: String, of message: ProtobufCMessage) -> RequestError {
    var choices: [String] = []
    if let descriptor = message.descriptor?.pointee, let fields = descriptor.fields {
      for field in UnsafeBufferPointer(start: fields, count: Int(descriptor.n_fields))
      where field.flags & UInt32(PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue) != 0 {
        choices.append(String(cString: field.name))
      }
    }
    return RequestError(
      .invalidArgument, field: name, FieldViolation.choiceReason + choices.joined(separator: ", "))
  }

  /// Decodes a part of the field `name`, and prefixes the path of its errors.
  static func within<Value>(
    _ name: @autoclosure () -> String, _ read: @autoclosure () throws(RequestError) -> Value
  ) throws(RequestError) -> Value {
    do { return try read() } catch { throw error.within(name()) }
  }
}
