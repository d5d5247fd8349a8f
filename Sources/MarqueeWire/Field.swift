internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

/// Readings of C fields, each checked; what is wrong is refused under the field's name in its .proto file.
enum Field {
  /// A string: strict UTF-8 without NUL.
  static func text(_ field: ProtobufCBinaryData, _ name: String) throws(Refusal) -> String {
    guard field.len > 0 else { return "" }
    guard let text = String(strictUTF8: UnsafeRawBufferPointer(start: field.data, count: field.len)) else {
      throw Refusal(.invalidArgument, field: name, "\(field.len) bytes that are not UTF-8 without NUL")
    }
    return text
  }

  /// An identifier.
  static func identifier<ID: Identifier>(
    _ field: ProtobufCBinaryData, _ name: String, as: ID.Type = ID.self
  ) throws(Refusal) -> ID {
    let text = try text(field, name)
    return try within(name, ID(text))
  }

  /// An identifier, or `nil` when the string is empty.
  static func identifierIfPresent<ID: Identifier>(
    _ field: ProtobufCBinaryData, _ name: String, as: ID.Type = ID.self
  ) throws(Refusal) -> ID? {
    field.len == 0 ? nil : try identifier(field, name)
  }

  /// Bytes, copied.
  static func bytes(_ field: ProtobufCBinaryData) -> [UInt8] {
    Array(UnsafeBufferPointer(start: field.data, count: field.len))
  }

  /// An instant in the years 1970 to 9999 (rule T7).
  static func instant(_ milliseconds: Int64, _ name: String) throws(Refusal) -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw Refusal(.invalidArgument, field: name, "\(milliseconds) ms is outside the years 1970 to 9999")
    }
    return instant
  }

  /// A number that is neither infinite nor NaN.
  static func finite(_ number: Double, _ name: String) throws(Refusal) -> Double {
    guard number.isFinite else { throw Refusal(.invalidArgument, field: name, "\(number) is not finite") }
    return number
  }

  /// A widget family.
  static func family(_ number: UInt32, _ name: String) throws(Refusal) -> WidgetFamily {
    guard let family = UInt8(exactly: number).flatMap(WidgetFamily.init) else {
      throw Refusal(.invalidArgument, field: name, "\(number) is no widget family")
    }
    return family
  }

  /// A flag that selects a case by being there, and therefore has to be set.
  static func selector(_ flag: Int32, _ name: String) throws(Refusal) {
    guard flag != 0 else { throw Refusal(.invalidArgument, field: name, "chosen, but false") }
  }

  /// A count of things wanted: `standard` when it is 0, and at most `maximum`.
  static func count(_ count: UInt32, _ name: String, standard: Int, maximum: Int) throws(Refusal) -> Int {
    guard count <= maximum else { throw Refusal(.invalidArgument, field: name, "\(count), at most \(maximum)") }
    return count == 0 ? standard : Int(count)
  }

  /// A message that has to be there.
  static func required<Value: WireValue>(
    _ pointer: UnsafeMutablePointer<Value.CForm>?, _ name: String, as: Value.Type = Value.self
  ) throws(Refusal) -> Value {
    guard let pointer else { throw absent(name) }
    return try within(name, Value(pointer.pointee))
  }

  /// A message that may be absent.
  static func optional<Value: WireValue>(
    _ pointer: UnsafeMutablePointer<Value.CForm>?, _ name: String, as: Value.Type = Value.self
  ) throws(Refusal) -> Value? {
    guard let pointer else { return nil }
    return try within(name, Value(pointer.pointee))
  }

  /// A repeated message.
  static func array<Value: WireValue>(
    _ count: Int, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Value.CForm>?>?, _ name: String,
    as: Value.Type = Value.self
  ) throws(Refusal) -> [Value] {
    try array(count, pointers, name) { (pointer) throws(Refusal) in
      guard let pointer else { throw absent("") }
      return try Value(pointer.pointee)
    }
  }

  /// A repeated field whose elements `each` reads.
  static func array<Element, Value>(
    _ count: Int, _ elements: UnsafeMutablePointer<Element>?, _ name: String,
    each: (Element) throws(Refusal) -> Value
  ) throws(Refusal) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for (index, element) in UnsafeBufferPointer(start: elements, count: count).enumerated() {
      values.append(try within(name, within("[\(index)]", each(element))))
    }
    return values
  }

  /// Refuses an array in which a key comes twice.
  static func unique<Value, Key: Hashable>(
    _ values: [Value], _ name: String, by key: (Value) -> Key
  ) throws(Refusal) {
    var seen: Set<Key> = []
    seen.reserveCapacity(values.count)
    for (index, value) in values.enumerated() where !seen.insert(key(value)).inserted {
      throw Refusal(.invalidArgument, field: "\(name)[\(index)]", "named twice")
    }
  }

  /// The refusal of a field that has to be there.
  static func absent(_ name: String) -> Refusal {
    Refusal(.invalidArgument, field: name, "absent")
  }

  /// Reads something inside the field called `name`.
  static func within<Value>(
    _ name: @autoclosure () -> String, _ read: @autoclosure () throws(Refusal) -> Value
  ) throws(Refusal) -> Value {
    do { return try read() } catch { throw error.within(name()) }
  }
}
