/// A JSON value that was read with a limit of its nesting, or that is written (RFC 8259).
package indirect enum JSONNode: Sendable {
  case null
  case boolean(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONNode])
  /// The members in their order; names are unique in values that were read.
  case object([Member])

  /// A member of an object.
  package struct Member: Sendable {
    package let name: String
    package let value: JSONNode

    package init(_ name: String, _ value: JSONNode) {
      self.name = name
      self.value = value
    }
  }

  /// Reads a text, which is one value.
  ///
  /// - Parameters:
  ///   - text: UTF-8, of a size that the caller limits.
  ///   - depthMax: The maximum nesting of objects and arrays.
  /// - Throws: ``JSONTranscodingError`` if the text is malformed, nested too deeply, or has a duplicate name.
  package init(_ text: [UInt8], depthMax: Int) throws(JSONTranscodingError) {
    var reader = JSONReader(text)
    self = try reader.node(depth: 0, depthMax: depthMax)
    guard reader.peek() == nil else { throw reader.malformed("expected the end of the text") }
  }

  /// A whole number.
  package static func integer(_ number: Int64) -> JSONNode {
    guard let number = JSONNumber(Array(String(number).utf8)[...]) else {
      preconditionFailure("a whole number is not a number of JSON")
    }
    return .number(number)
  }

  /// A finite number.
  ///
  /// - Precondition: `number` is finite.
  package static func double(_ number: Double) -> JSONNode {
    guard let number = JSONNumber(Array(String(number).utf8)[...]) else {
      preconditionFailure("\(number) is not finite")
    }
    return .number(number)
  }

  /// The text of the value, without white space.
  package var text: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }

  private func write(to text: inout [UInt8]) {
    switch self {
    case .null: text += "null".utf8
    case .boolean(let flag): text += (flag ? "true" : "false").utf8
    case .number(let number): text += number.bytes
    case .string(let string): JSONString.append(string, to: &text)
    case .array(let values):
      text.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        value.write(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        JSONString.append(member.name, to: &text)
        text.append(UInt8(ascii: ":"))
        member.value.write(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }
}

extension JSONReader {
  /// Reads a value.
  ///
  /// - Parameters:
  ///   - depth: The number of objects and arrays around the value.
  ///   - depthMax: The maximum nesting.
  fileprivate mutating func node(depth: Int, depthMax: Int) throws(JSONTranscodingError) -> JSONNode {
    let next = peek()
    if next == UInt8(ascii: "{") || next == UInt8(ascii: "["), depth >= depthMax {
      throw JSONTranscodingError(.tooLarge, "nested too deeply (json-depth-max: \(depthMax))")
    }
    switch next {
    case UInt8(ascii: "{"): return .object(try members(depth: depth, depthMax: depthMax))
    case UInt8(ascii: "["):
      var values: [JSONNode] = []
      try elements("[", "]") { (reader, _) throws(JSONTranscodingError) in
        values.append(try reader.node(depth: depth + 1, depthMax: depthMax))
      }
      return .array(values)
    case UInt8(ascii: "\""): return .string(String(decoding: try string(), as: UTF8.self))
    case UInt8(ascii: "t") where read(word: "true"): return .boolean(true)
    case UInt8(ascii: "f") where read(word: "false"): return .boolean(false)
    case UInt8(ascii: "n") where read(word: "null"): return .null
    default: return .number(try number())
    }
  }

  private mutating func members(depth: Int, depthMax: Int) throws(JSONTranscodingError) -> [JSONNode.Member] {
    var (members, keys) = ([JSONNode.Member](), UnknownKeys())
    try elements("{", "}") { (reader, _) throws(JSONTranscodingError) in
      let key = try reader.string()
      try keys.insert(key)
      try reader.require(":")
      let value = try reader.node(depth: depth + 1, depthMax: depthMax)
      members.append(JSONNode.Member(String(decoding: key, as: UTF8.self), value))
    }
    return members
  }
}
